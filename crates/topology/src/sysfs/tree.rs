//! Files below a root, read so that nothing that is wrong with one of them stops the reading.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use crate::Mask;
use crate::read::Warning;

/// No file that is read here is longer on any real machine.
const LONGEST_FILE: u64 = 1 << 20;

/// The tree, with the warnings collected while reading it. Paths are relative to
/// `sys/devices/system` unless stated otherwise.
pub(super) struct Tree<'a> {
    root: &'a Path,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(root: &'a Path) -> Self {
        Self { root, warnings: Vec::new() }
    }

    pub(super) fn warn(&mut self, place: &str, problem: impl Into<String>) {
        self.warnings.push(Warning::new(place, problem));
    }

    /// Text of a file; `None` without a warning if there is no such file.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        self.text_below_root(&format!("sys/devices/system/{path}"))
    }

    /// Text of a file given by its path below the root.
    pub(super) fn text_below_root(&mut self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let read = File::open(self.root.join(path))
            .and_then(|file| file.take(LONGEST_FILE).read_to_end(&mut bytes));
        match read {
            Ok(_) => Some(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(cause)
                if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                None
            }
            Err(cause) => {
                self.warn(path, format!("cannot be read ({cause}): ignored"));
                None
            }
        }
    }

    /// A list of ids; ids from `end` on are left out with a warning.
    pub(super) fn list<I>(&mut self, path: &str, end: usize) -> Option<Mask<I>>
    where
        I: Copy + From<usize> + Into<usize>,
    {
        let text = self.text(path)?;
        let list: Mask<I> = match text.parse() {
            Ok(list) => list,
            Err(error) => {
                self.warn(path, format!("{error}: ignored"));
                return None;
            }
        };
        let kept: Mask<I> = list.iter().filter(|&id| id.into() < end).collect();
        if kept != list {
            self.warn(path, format!("ids from {end} on are impossible: left out"));
        }
        Some(kept)
    }

    /// A number; a file that holds none gives a warning.
    pub(super) fn number<N: std::str::FromStr>(&mut self, path: &str) -> Option<N> {
        let text = self.text(path)?;
        let number = text.parse().ok();
        if number.is_none() {
            self.warn(path, format!("expected a number in range, found `{text}`: ignored"));
        }
        number
    }

    /// Numbers of the entries `prefixN` of a folder, below `end`.
    pub(super) fn numbered<I>(&self, folder: &str, prefix: &str, end: usize) -> Mask<I>
    where
        I: Copy + From<usize> + Into<usize>,
    {
        let number = |name: &str| -> Option<usize> {
            let digits = name.strip_prefix(prefix)?;
            let plain = digits.bytes().all(|b| b.is_ascii_digit());
            if plain { digits.parse().ok().filter(|&n| n < end) } else { None }
        };
        // An entry that cannot be listed is one that is not there.
        let numbers: BTreeSet<usize> =
            fs::read_dir(self.root.join("sys/devices/system").join(folder))
                .into_iter()
                .flatten()
                .filter_map(|entry| number(entry.ok()?.file_name().to_str()?))
                .collect();
        numbers.into_iter().map(I::from).collect()
    }
}
