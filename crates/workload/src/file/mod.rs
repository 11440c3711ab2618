//! Workloads that users write, as TOML (see `docs/workloads.md`).

mod assemble;
mod notation;
mod schema;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::Path;

use homenode_topology::Machine;

use crate::{Build, Error, Workload};

/// Reads a workload file and builds it for `machine`.
///
/// # Errors
/// [`Error::Read`] if the file cannot be read, otherwise [`Error::File`] with the line and what was
/// expected there.
pub fn read(path: &Path, machine: &Machine, build: Build) -> Result<Workload, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::Read { path: path.to_owned(), source })?;
    parse(path, &text, machine, build)
}

/// As [`read`], of a text that is at hand; `path` names it in messages, and the workload if the text
/// does not.
///
/// # Errors
/// [`Error::File`].
pub fn parse(path: &Path, text: &str, machine: &Machine, build: Build) -> Result<Workload, Error> {
    let fault = |fault: Fault| Error::File {
        path: path.to_owned(),
        line: line(text, fault.at.start),
        message: fault.message,
    };
    let schema: schema::File = toml::from_str(text).map_err(|error| {
        let at = error.span().unwrap_or_default();
        fault(Fault { at, message: error.message().to_owned() })
    })?;
    let name = path.file_stem().map_or_else(|| "workload".into(), |stem| stem.to_string_lossy());
    assemble::workload(schema, &name, machine, build).map_err(fault)
}

/// What is wrong with a stretch of the text.
#[derive(Debug)]
struct Fault {
    at: Range<usize>,
    message: String,
}

/// The line of a byte of the text, counted from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count()
}
