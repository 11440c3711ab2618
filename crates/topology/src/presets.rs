//! Machines that published benchmarks were run on, with their performance.
//!
//! Each is a file in `presets/`, in the format of a machine file:
//!
//! ```toml
//! name = "two"
//! about = "one line"
//! topology = "nodes=2 cores=4 memory=8GiB"      # the one-line form, without performance
//!
//! [performance]                                 # keys and values of the one-line form
//! controller = { value = "20GiB/s", source = "where the figure comes from" }
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::nearest;
use crate::spec::{self, PERFORMANCE_KEYS};
use crate::{Error, Machine};

/// A machine that comes with the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Short name, as given on the command line.
    pub name: String,
    /// What it is, in one line.
    pub about: String,
    /// The machine, performance included.
    pub machine: Machine,
}

const FILES: [&str; 5] = [
    include_str!("../presets/r810.toml"),
    include_str!("../presets/opteron-32.toml"),
    include_str!("../presets/blade-24.toml"),
    include_str!("../presets/i3-3240.toml"),
    include_str!("../presets/i7-3770.toml"),
];

/// All presets.
#[must_use]
pub fn all() -> Vec<Preset> {
    // The files are part of the program; a test reads each of them.
    FILES.iter().filter_map(|file| parse(file, "preset").ok()).collect()
}

/// The preset with this name.
///
/// # Errors
/// [`Error::UnknownMachine`] with the nearest known name and all known names.
pub fn find(name: &str) -> Result<Machine, Error> {
    let presets = all();
    let known: Vec<String> = presets.iter().map(|preset| preset.name.clone()).collect();
    match presets.into_iter().find(|preset| preset.name == name) {
        Some(preset) => Ok(preset.machine),
        None => {
            let nearest = nearest(name, known.iter().map(String::as_str)).map(String::from);
            Err(Error::UnknownMachine { name: name.to_owned(), nearest, known })
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    about: String,
    topology: String,
    #[serde(default)]
    performance: BTreeMap<String, Figure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    value: String,
    source: String,
}

/// Reads the text of a machine file; `path` is for messages.
///
/// # Errors
/// [`Error::MachineFile`] for what is not such a file, [`Error::MachineFigure`] for a wrong description
/// or figure.
pub fn parse(text: &str, path: &str) -> Result<Preset, Error> {
    let file: File = toml::from_str(text)
        .map_err(|cause| Error::MachineFile { path: path.to_owned(), cause: Box::new(cause) })?;
    let figures = file.performance.iter().map(|(key, figure)| format!(" {key}={}", figure.value));
    let description = file.topology + &figures.collect::<String>();
    let mut machine = spec::parse(&description)
        .map_err(|cause| Error::MachineFigure { path: path.to_owned(), cause: Box::new(cause) })?;
    machine.name.clone_from(&file.name);
    if let Some(performance) = &mut machine.performance {
        let assumed = PERFORMANCE_KEYS
            .iter()
            .filter(|key| !file.performance.contains_key(**key))
            .map(|key| format!("{key}: assumed"));
        let stated =
            file.performance.iter().map(|(key, figure)| format!("{key}: {}", figure.source));
        performance.sources = stated.chain(assumed).collect();
    }
    Ok(Preset { name: file.name, about: file.about, machine })
}

#[cfg(test)]
mod tests;
