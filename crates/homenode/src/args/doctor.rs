//! `homenode doctor`.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

/// Where to look.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct DoctorArgs {
    /// A captured tree with `proc` and `sys`: nothing is tried there [default: this machine]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}
