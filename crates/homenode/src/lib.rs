//! What the `homenode` command does, reachable without a terminal.
//!
//! * [`args`]: the command line as given; [`command`]: one file for each command
//! * [`plan`]: what a comparison runs, with every default filled in; [`against`]: the same taken from a
//!   published table, by the names in [`catalog`]
//! * [`experiment`]: runs cells in parallel; [`regret`]: finds the optimum of each workload; [`assemble`]:
//!   turns their results into the report's rows
//! * [`status`], [`journals`]: what runs on this machine, and the way back from what was done to it
//! * [`roles`], [`straw_man`]: what the report is judged by

pub mod against;
pub mod args;
pub mod assemble;
pub mod catalog;
pub mod command;
pub mod error;
pub mod exit;
pub mod experiment;
pub mod explain;
pub mod interrupt;
pub mod journals;
pub mod machine;
pub mod output;
pub mod plan;
pub mod progress;
pub mod regret;
pub mod roles;
pub mod status;
pub mod straw_man;
pub mod vmstat;
pub mod workload;

use std::ffi::OsString;

use clap::Parser;

pub use error::Error;
pub use exit::Exit;

/// Runs the command with these arguments, the first being the name of the program. Prints what went
/// wrong; what is returned becomes the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let args = match args::Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers on standard output, the rest are mistakes.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            return match error.print() {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Exit::Partial,
                _ => exit,
            };
        }
    };
    command::run(&args.command).unwrap_or_else(|error| {
        if error.is_broken_pipe() {
            return Exit::Done;
        }
        output::complain(&error);
        error.exit()
    })
}
