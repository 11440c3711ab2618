//! `homenode sim`.

use clap::{Args, ValueEnum};

use super::{MachineArgs, Thp};

/// What to simulate.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct SimArgs {
    /// Workload by name (see `homenode workloads`), or a workload file (.toml)
    pub workload: String,
    /// On which machine; r810 if neither option is given.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Policy by name (see `homenode policies`)
    #[arg(long, default_value = "mainline")]
    pub policy: String,
    /// Seed of the random streams; an odd one starts in an odd second
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Transparent huge pages
    #[arg(long, value_enum, default_value_t)]
    pub thp: Thp,
    /// List every decision of the policy with its reason
    #[arg(long)]
    pub explain: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: SimFormat,
}

/// How to print a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SimFormat {
    /// Text.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// One JSON object a line: decisions as they are made, then the run.
    Jsonl,
}
