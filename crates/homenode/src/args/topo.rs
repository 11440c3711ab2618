//! `homenode topo`.

use clap::Args;

use super::{ListFormat, MachineArgs};

/// What to show.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct TopoArgs {
    /// Which machine; this one if neither option is given.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}
