//! What can go wrong while a machine description is read.

use std::path::PathBuf;

/// Why a description of a machine could not be used. Each message says what was read, what is wrong with
/// it, where, and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A one-line description is wrong.
    #[error("column {column} of the machine description: {problem}\n  {text}\n  {:>column$}", "^")]
    Spec {
        /// The description as given.
        text: String,
        /// Where it is wrong: the first character is column 1.
        column: usize,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// No machine has this name, and it is not a one-line description either.
    #[error(
        "no machine is named `{name}`{}; known: {}; or describe one: `nodes=4 cores=6 memory=16GiB`",
        did_you_mean(nearest.as_deref()),
        known.join(", ")
    )]
    UnknownMachine {
        /// The name as given.
        name: String,
        /// The known name that looks most like it, if any does.
        nearest: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// A machine file in TOML is malformed; the cause has line and column.
    #[error("cannot read the machine file {path}: {cause}")]
    MachineFile {
        /// The file, or the name of the preset.
        path: String,
        /// What the TOML reader found wrong.
        cause: Box<toml::de::Error>,
    },
    /// A figure of a machine file is wrong.
    #[error("cannot read the machine file {path}: {cause}")]
    MachineFigure {
        /// The file, or the name of the preset.
        path: String,
        /// What is wrong with the description that the file amounts to.
        cause: Box<Error>,
    },
    /// A file or folder could not be read.
    #[error("cannot read {}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// A folder holds no description of CPUs and nodes.
    #[error(
        "{} holds no machine: expected `sys/devices/system/cpu/cpuN` or `sys/devices/system/node/nodeN` below it",
        root.display()
    )]
    NotSysfs {
        /// The folder that was given.
        root: PathBuf,
    },
    /// A line of `numactl --hardware` text is malformed.
    #[error("{path}, line {line}: {problem}, found `{item}`")]
    Numactl {
        /// Where the text came from.
        path: String,
        /// The first line is 1.
        line: usize,
        /// The part that is wrong.
        item: String,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

/// The end of a message that suggests `name`: empty if there is nothing to suggest.
pub(crate) fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The candidate that a mistyped `name` most likely stands for, if any is near enough.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= 1 + candidate.len() / 3)
        .min()
        .map(|(_, candidate)| candidate)
}
