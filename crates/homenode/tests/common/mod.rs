//! The command, a tiny machine and a small workload.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses a part, and all of it is test code"
)]

use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;

/// Two nodes of two cores.
pub(crate) const MACHINE: &str = "nodes=2 cores=2 memory=1GiB";
/// Four seconds of work, simulated in no time.
pub(crate) const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/small.toml");

/// The command.
pub(crate) fn homenode() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("homenode"))
}

/// A file of the folder `data`.
pub(crate) fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What a command that succeeds prints.
pub(crate) fn stdout(command: &mut Command) -> String {
    let assert = command.assert().success();
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

/// Text that contains this, without colour.
pub(crate) fn says(part: &str) -> impl Predicate<str> {
    predicate::str::contains(part.to_owned()).and(predicate::str::contains("\u{1b}").not())
}
