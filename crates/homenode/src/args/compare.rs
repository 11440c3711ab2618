//! `homenode compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::MachineArgs;

/// What to compare. Whatever is not given is taken from the published table named by `--against`, else
/// from the default: autonumabench on `r810` and `opteron-32`, with the policies published for them.
#[derive(Debug, Default, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct CompareArgs {
    /// Workloads by name (see `homenode workloads`), or workload files (.toml)
    pub workloads: Vec<String>,
    /// On which machine.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Policies by name (see `homenode policies`)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub policies: Option<Vec<String>>,
    /// Policy that the others are compared with: the first column
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Runs of each cell, with seeds 0 to N - 1
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: u64,
    /// Take machine, policies, workloads and baseline from a published table (T000-01) or post (T000)
    #[arg(long, value_name = "ID")]
    pub against: Option<String>,
    /// Transparent huge pages
    #[arg(long, value_enum, default_value_t)]
    pub thp: Thp,
    /// Leave out the optimum of each workload, which takes a few runs more
    #[arg(long)]
    pub no_regret: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Worker threads; results do not depend on it [default: one a CPU]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// How to print a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// Text, in the form of MMTests.
    #[default]
    Table,
    /// One JSON document (schema `homenode.compare`).
    Json,
    /// One line a cell.
    Csv,
    /// One page with charts that loads nothing from elsewhere.
    Html,
}

/// Whether transparent huge pages are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Thp {
    /// Memory comes in huge pages where it can.
    #[default]
    On,
    /// Base pages only.
    Off,
}

impl Thp {
    /// Whether they are on.
    #[must_use]
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}
