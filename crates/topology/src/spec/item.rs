//! The items of a one-line description, with their columns.

use super::{Error, KEYS};
use crate::error::{did_you_mean, nearest};

/// A piece of the description that knows where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    /// The whole description.
    pub(super) whole: &'a str,
    /// The piece.
    pub(super) text: &'a str,
    /// Byte offset of the piece in the whole.
    pub(super) at: usize,
}

impl<'a> Piece<'a> {
    /// An error at this piece.
    pub(super) fn wrong(self, problem: impl Into<String>) -> Error {
        let column = self.whole[..self.at].chars().count() + 1;
        Error::Spec { text: self.whole.to_owned(), column, problem: problem.into() }
    }

    /// An error that names the piece and what belongs in its place.
    pub(super) fn expected(self, what: &str) -> Error {
        if self.text.is_empty() {
            self.wrong(format!("expected {what}"))
        } else {
            self.wrong(format!("expected {what}, found `{}`", self.text))
        }
    }

    /// The two pieces around the first `separator`.
    pub(super) fn split_once(self, separator: char) -> Option<(Self, Self)> {
        let (before, after) = self.text.split_once(separator)?;
        let after_at = self.at + before.len() + separator.len_utf8();
        Some((Self { text: before, ..self }, Self { text: after, at: after_at, ..self }))
    }

    /// The pieces between the `separator`s.
    pub(super) fn split(self, separator: char) -> impl Iterator<Item = Self> {
        let mut at = self.at;
        self.text.split(separator).map(move |text| {
            let piece = Self { text, at, ..self };
            at += text.len() + separator.len_utf8();
            piece
        })
    }

    /// The rest of the piece after `prefix`.
    pub(super) fn strip_prefix(self, prefix: &str) -> Option<Self> {
        let text = self.text.strip_prefix(prefix)?;
        Some(Self { text, at: self.at + prefix.len(), ..self })
    }
}

/// `key[@scope]=value`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub(super) key: Piece<'a>,
    pub(super) scope: Option<Piece<'a>>,
    pub(super) value: Piece<'a>,
}

/// Splits the description at white space and checks the keys.
pub(super) fn split(whole: &str) -> Result<Vec<Item<'_>>, Error> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut at = 0;
    for text in whole.split_inclusive(char::is_whitespace) {
        let piece = Piece { whole, text: text.trim_end(), at };
        at += text.len();
        if piece.text.is_empty() {
            continue;
        }
        let item = item(piece)?;
        let repeated = |other: &Item<'_>| other.key.text == item.key.text && other.scope.is_none();
        if item.scope.is_none() && items.iter().any(repeated) {
            return Err(item.key.wrong(format!("`{}` is given twice", item.key.text)));
        }
        items.push(item);
    }
    if items.is_empty() {
        let nothing = Piece { whole, text: "", at: 0 };
        return Err(nothing.expected("items such as `nodes=4 cores=6 memory=16GiB`"));
    }
    Ok(items)
}

fn item(piece: Piece<'_>) -> Result<Item<'_>, Error> {
    let (left, value) =
        piece.split_once('=').ok_or_else(|| piece.expected("`key=value`, such as `cores=6`"))?;
    let (key, scope) = match left.split_once('@') {
        None => (left, None),
        Some((key, scope)) => (key, Some(scope)),
    };
    if KEYS.contains(&key.text) {
        return Ok(Item { key, scope, value });
    }
    let hint = did_you_mean(nearest(key.text, KEYS));
    Err(key.wrong(format!("no key is named `{}`{hint}; known: {}", key.text, KEYS.join(", "))))
}
