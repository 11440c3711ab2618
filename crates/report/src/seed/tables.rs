//! All published tables, and finding one.

use super::files::{FILES, INDEX};
use super::load;
use super::table::SeedTable;
use crate::Error;

/// The published tables in id order.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedTables {
    tables: Vec<SeedTable>,
}

impl SeedTables {
    /// The shipped tables.
    ///
    /// # Errors
    /// [`Error::SeedTable`] when a file is damaged: the index and the tables must agree on columns, rows, cells, lines and words.
    pub fn load() -> Result<Self, Error> {
        Self::parse(INDEX, &FILES)
    }

    /// Tables from the text of an index and of (id, text) files, under the same checks as the shipped ones.
    ///
    /// # Errors
    /// [`Error::SeedTable`] with table, line and field of the first damage.
    pub fn parse(index: &str, files: &[(&str, &str)]) -> Result<Self, Error> {
        Ok(Self { tables: load::tables(index, files)? })
    }

    /// All tables.
    pub fn all(&self) -> &[SeedTable] {
        &self.tables
    }

    /// The table of that id.
    ///
    /// # Errors
    /// [`Error::UnknownTable`] with the nearest id.
    pub fn get(&self, id: &str) -> Result<&SeedTable, Error> {
        self.tables.iter().find(|table| table.id == id).ok_or_else(|| self.unknown(id))
    }

    /// The table of an id (`T001-02`), or all tables of a post (`T001`).
    ///
    /// # Errors
    /// [`Error::UnknownTable`] with the nearest id or post.
    pub fn select(&self, name: &str) -> Result<Vec<&SeedTable>, Error> {
        let found: Vec<&SeedTable> = self
            .tables
            .iter()
            .filter(|table| table.id == name || post(&table.id) == name)
            .collect();
        if found.is_empty() { Err(self.unknown(name)) } else { Ok(found) }
    }

    fn unknown(&self, name: &str) -> Error {
        let typed = name.to_uppercase();
        let names = self.tables.iter().flat_map(|table| [post(&table.id), table.id.as_str()]);
        let nearest = names
            .min_by_key(|candidate| strsim::damerau_levenshtein(&typed, candidate))
            .unwrap_or_default();
        Error::UnknownTable { name: name.to_owned(), nearest: nearest.to_owned() }
    }
}

/// The part of an id that names the post.
fn post(id: &str) -> &str {
    id.split_once('-').map_or(id, |(post, _)| post)
}
