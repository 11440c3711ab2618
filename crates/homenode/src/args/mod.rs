//! The command line as given; nothing is resolved here.

mod compare;
mod list;
mod machine;
mod sim;
mod topo;

use clap::{Parser, Subcommand};

pub use compare::{CompareArgs, CompareFormat, Thp};
pub use list::{ListArgs, ListFormat};
pub use machine::MachineArgs;
pub use sim::{SimArgs, SimFormat};
pub use topo::TopoArgs;

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
    /// List the machines that come with the program
    Machines(ListArgs),
    /// List the balancing policies
    Policies(ListArgs),
    /// List the workloads that come with the program
    Workloads(ListArgs),
}
