//! Where a machine comes from, as it is given on a command line.

use std::fs;
use std::path::Path;

use crate::{Error, Machine, Read, numactl, presets, spec, sysfs};

/// The machine of `--machine`: the name of a preset, or a one-line description (anything with a `=`).
///
/// # Errors
/// [`Error::UnknownMachine`] or [`Error::Spec`].
pub fn named(name_or_spec: &str) -> Result<Machine, Error> {
    if spec::is_spec(name_or_spec) {
        spec::parse(name_or_spec)
    } else {
        presets::find(name_or_spec)
    }
}

/// The machine of `--from`: a folder is the root of a sysfs tree, a file that ends in `.toml` a machine
/// file (see [`presets`]), any other file the text of `numactl --hardware`.
///
/// # Errors
/// [`Error::Io`] if the path cannot be read, else those of the reader.
pub fn path(path: &Path) -> Result<Read, Error> {
    let io = |cause| Error::Io { path: path.to_owned(), cause };
    if fs::metadata(path).map_err(io)?.is_dir() {
        return sysfs::read(path);
    }
    let text = String::from_utf8_lossy(&fs::read(path).map_err(io)?).into_owned();
    let name = path.display().to_string();
    if path.extension().is_some_and(|extension| extension == "toml") {
        let machine = presets::parse(&text, &name)?.machine;
        return Ok(Read { machine, warnings: Vec::new() });
    }
    numactl::parse(&text, &name)
}

#[cfg(test)]
mod tests;
