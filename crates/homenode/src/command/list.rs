//! Prints a list of things with one line about each.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::args::ListFormat;
use crate::{Error, Exit, output};

/// A thing with a name.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Entry {
    /// As the user writes it.
    pub(super) name: String,
    /// What it is, in one line.
    pub(super) about: String,
}

/// Prints entries; `what` names them in JSON.
pub(super) fn print(what: &str, entries: &[Entry], format: ListFormat) -> Result<Exit, Error> {
    let text = match format {
        ListFormat::Table => table(entries),
        ListFormat::Json => {
            let mut document: BTreeMap<&str, Value> = BTreeMap::new();
            document.insert("schema", json!(format!("homenode.{what}")));
            document.insert("version", json!(1));
            document.insert(what, json!(entries));
            output::json(&document)?
        }
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn table(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    entries.iter().map(|entry| format!("{:<width$}  {}\n", entry.name, entry.about)).collect()
}
