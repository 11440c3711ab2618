//! `homenode undo`.

use std::path::PathBuf;

use clap::Args;

use super::ListFormat;

/// What to take back.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct UndoArgs {
    /// Journal of a run [default: the newest one with something to undo, of $XDG_STATE_HOME/homenode or
    /// ~/.local/state/homenode]
    pub journal: Option<PathBuf>,
    /// Show what would be restored, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Follow the undamaged part of a damaged journal
    #[arg(long)]
    pub damaged: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}
