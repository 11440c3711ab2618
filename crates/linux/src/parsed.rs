//! What a parser gives back: the value it could read, and what it had to leave out.

/// A value with the problems met while reading it. Unknown fields are no problem and are skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What was read; fields that were missing or damaged are left at their default.
    pub value: T,
    /// Known fields whose content was damaged.
    pub warnings: Vec<Warning>,
}

/// A known field that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Line number, from 1.
    pub line: usize,
    /// What stands there, at most 80 characters.
    pub item: String,
    /// What was looked for.
    pub wanted: &'static str,
}

impl<T> Parsed<T> {
    /// The value, whatever was left out of it.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }
}

/// Collects warnings while a text is read.
#[derive(Default)]
pub(crate) struct Warnings(Vec<Warning>);

impl Warnings {
    pub(crate) fn add(&mut self, line: usize, item: &str, wanted: &'static str) {
        self.0.push(Warning { line, item: shortened(item), wanted });
    }

    /// The value read, or a warning and nothing.
    pub(crate) fn keep<T, E>(
        &mut self,
        read: Result<T, E>,
        line: usize,
        item: &str,
        wanted: &'static str,
    ) -> Option<T> {
        read.map_err(|_| self.add(line, item, wanted)).ok()
    }

    pub(crate) fn with<T>(self, value: T) -> Parsed<T> {
        Parsed { value, warnings: self.0 }
    }
}

/// The first 80 characters.
pub(crate) fn shortened(item: &str) -> String {
    item.chars().take(80).collect()
}
