//! What the published tables call things, and what they are called here: `data/published.toml`.

use std::collections::BTreeMap;

use homenode_report::Edition;
use serde::Deserialize;

use crate::Error;

const TEXT: &str = include_str!("../data/published.toml");

/// The names of published things and their counterparts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Edition of MMTests, by post.
    editions: BTreeMap<String, Edition>,
    /// Preset of a machine, by its description in the tables.
    machines: BTreeMap<String, String>,
    #[serde(rename = "column")]
    columns: Vec<PublishedColumn>,
    /// Tables whose numbers are multiplied before they are compared.
    #[serde(rename = "scale")]
    pub scales: Vec<Scale>,
}

/// A column of the published tables that has a counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedColumn {
    /// As in the tables.
    pub name: String,
    /// The policy that copies it.
    pub policy: String,
    /// The column of the stage before it.
    pub predecessor: Option<String>,
}

/// A factor on all numbers of a table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// The table's id.
    pub table: String,
    /// The factor.
    pub factor: f64,
    /// Why.
    pub reason: String,
    /// Rows that stay as they are.
    #[serde(default)]
    pub except: Vec<String>,
}

impl Catalog {
    /// The catalogue that is part of the program.
    ///
    /// # Errors
    /// [`Error::Data`] if it is damaged.
    pub fn load() -> Result<Self, Error> {
        toml::from_str(TEXT)
            .map_err(|error| Error::Data { name: "published.toml", problem: error.to_string() })
    }

    /// The preset of a machine described so in the tables.
    #[must_use]
    pub fn machine(&self, description: &str) -> Option<&str> {
        self.machines.get(description).map(String::as_str)
    }

    /// The counterpart of a column of this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&PublishedColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The edition of a table; that of 2013 for other ids.
    #[must_use]
    pub fn edition(&self, table: &str) -> Edition {
        let post = table.split_once('-').map_or(table, |(post, _)| post);
        self.editions.get(post).copied().unwrap_or(Edition::Y2013)
    }

    /// The factor of a table, if it has one.
    #[must_use]
    pub fn scale(&self, table: &str) -> Option<&Scale> {
        self.scales.iter().find(|scale| scale.table == table)
    }
}

#[cfg(test)]
mod tests {
    use homenode_balance::tree;
    use homenode_report::SeedTables;
    use homenode_topology::presets;

    use super::*;

    /// Every name on either side exists.
    #[test]
    fn names_exist() {
        let (catalog, tables) = (Catalog::load().unwrap(), SeedTables::load().unwrap());
        let published =
            |name: &String| tables.all().iter().any(|table| table.columns.contains(name));
        for column in &catalog.columns {
            assert!(published(&column.name), "{}", column.name);
            assert!(tree::all().iter().any(|tree| tree.name == column.policy), "{}", column.policy);
            assert!(column.predecessor.iter().all(published), "{:?}", column.predecessor);
        }
        for (description, name) in &catalog.machines {
            assert!(tables.all().iter().any(|table| table.machine == *description));
            assert!(presets::find(name).is_ok(), "{name}");
        }
        for scale in &catalog.scales {
            let rows = tables.get(&scale.table).unwrap().rows();
            for metric in &scale.except {
                assert!(rows.iter().any(|(known, _)| known == metric), "{metric}");
            }
        }
        for table in tables.all() {
            assert!(catalog.editions.keys().any(|post| table.id.starts_with(post)), "{}", table.id);
        }
    }
}
