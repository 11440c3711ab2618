//! The commands, one file each.

mod compare;
mod doctor;
mod grid;
mod list;
mod machines;
mod policies;
mod sim;
mod status;
mod topo;
mod undo;
mod workloads;

use crate::args::Command;
use crate::{Error, Exit};

/// Runs a command.
///
/// # Errors
/// If it cannot do its work; [`Error::exit`] has the exit code.
pub fn run(command: &Command) -> Result<Exit, Error> {
    match command {
        Command::Compare(args) => compare::run(args),
        Command::Sim(args) => sim::run(args),
        Command::Topo(args) => topo::run(args),
        Command::Status(args) => status::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Undo(args) => undo::run(args),
        Command::Machines(args) => machines::run(args),
        Command::Policies(args) => policies::run(args),
        Command::Workloads(args) => workloads::run(args),
    }
}
