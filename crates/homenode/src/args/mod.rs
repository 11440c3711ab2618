//! The command line as given; nothing is resolved here.

mod compare;
mod doctor;
mod list;
mod machine;
mod sim;
mod status;
mod topo;
mod undo;

use clap::{Parser, Subcommand};

pub use compare::{CompareArgs, CompareFormat, Thp};
pub use doctor::DoctorArgs;
pub use list::{ListArgs, ListFormat};
pub use machine::MachineArgs;
pub use sim::{SimArgs, SimFormat};
pub use status::StatusArgs;
pub use topo::TopoArgs;
pub use undo::UndoArgs;

use crate::exit;

/// Automatic NUMA balancing: tasks move towards their memory, memory moves towards its tasks.
#[derive(Debug, Parser)]
#[command(name = "homenode", version, after_help = exit::HELP)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compare policies on simulated machines, beside the numbers published for them
    Compare(CompareArgs),
    /// Simulate one run and show it over time
    Sim(SimArgs),
    /// Show the nodes, CPUs and distances of a machine
    Topo(TopoArgs),
    /// Show what processes use on each node, and whether their memory lies where they run
    Status(StatusArgs),
    /// Look for what keeps this machine from being balanced, and say what to do
    Doctor(DoctorArgs),
    /// Take back what a run changed
    Undo(UndoArgs),
    /// List the machines that come with the program
    Machines(ListArgs),
    /// List the balancing policies
    Policies(ListArgs),
    /// List the workloads that come with the program
    Workloads(ListArgs),
}
