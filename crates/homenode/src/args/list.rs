//! `homenode machines`, `policies` and `workloads`.

use clap::{Args, ValueEnum};

/// How to list.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::HELP)]
pub struct ListArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

/// How to print a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// Text.
    #[default]
    Table,
    /// One JSON document.
    Json,
}
