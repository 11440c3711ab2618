//! Where text goes: data to standard output or a file, messages to standard error.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Error;

/// Writes data to a file, or to standard output without one.
///
/// # Errors
/// [`Error::Write`].
pub fn write(text: &str, file: Option<&Path>) -> Result<(), Error> {
    match file {
        Some(path) => {
            fs::write(path, text).map_err(|cause| Error::Write { to: path.to_owned(), cause })
        }
        None => print(text),
    }
}

/// Writes data to standard output.
///
/// # Errors
/// [`Error::Write`].
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(to_stdout)
}

/// A failure of standard output.
#[must_use]
pub fn to_stdout(cause: io::Error) -> Error {
    Error::Write { to: PathBuf::from("standard output"), cause }
}

/// Pretty JSON with a line feed at its end.
///
/// # Errors
/// [`Error::Write`] if a value cannot be written as JSON.
pub fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| to_stdout(error.into()))
}

/// Prints an error to standard error. If that fails there is nobody left to tell.
pub fn complain(error: &Error) {
    say("error", error);
}

/// Prints a warning to standard error.
pub fn warn(message: impl fmt::Display) {
    say("warning", message);
}

/// Prints a remark to standard error.
pub fn note(message: impl fmt::Display) {
    say("note", message);
}

fn say(kind: &str, message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{kind}: {message}");
}
