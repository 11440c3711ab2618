//! Development tasks: `cargo xtask TASK`.

mod guest;

use std::process::ExitCode;

use clap::Parser;

/// Development tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Run tests in QEMU guests with several NUMA nodes and a stock Debian kernel.
    Guest(guest::Options),
}

fn main() -> ExitCode {
    let result = match Task::parse() {
        Task::Guest(options) => guest::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}
