//! `homenode status`.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

/// What to show: processes by number, in full; or all whose memory this user may see, one line each.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct StatusArgs {
    /// Processes
    #[arg(value_name = "PID")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..))]
    pub pids: Vec<i32>,
    /// All processes, also those whose memory this user may not see
    #[arg(long, conflicts_with = "pids")]
    pub all: bool,
    /// Where `proc` and `sys` are: this machine, or a captured tree
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}
