//! The machine to simulate.

use std::path::PathBuf;

use clap::Args;

/// The machine to simulate.
#[derive(Debug, Default, Args)]
pub struct MachineArgs {
    /// Machine by name (see `homenode machines`), or in one line such as `nodes=4 cores=6 memory=16GiB`
    #[arg(long, value_name = "NAME|SPEC", conflicts_with = "from")]
    pub machine: Option<String>,
    /// Machine from a sysfs root (`/` is this machine), a machine file (.toml), or `numactl --hardware` text
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
}
