//! Prints a list of things with one line about each.

use serde::Serialize;

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

#[derive(Serialize)]
struct Document<'a> {
    schema: String,
    version: u32,
    entries: &'a [Entry],
}

/// Prints entries; `what` names the schema of their JSON.
pub(super) fn print(what: &str, entries: &[Entry], format: ListFormat) -> Result<Exit, Error> {
    let text = match format {
        ListFormat::Table => table(entries),
        ListFormat::Json => {
            output::json(&Document { schema: format!("homenode.{what}"), version: 1, entries })?
        }
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn table(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    entries.iter().map(|entry| format!("{:<width$}  {}\n", entry.name, entry.about)).collect()
}
