//! The MMTests report: editions, number formats, and the compare, duration and vmstat tables (spec benchmarks 13.3).

mod format;
mod grid;
mod tables;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use format::fixed;
pub use format::{decimals_of, print_value, value_width};
pub use grid::Grid;
pub(crate) use tables::row_change;
pub use tables::{VmstatRows, compare_table, duration_table, vmstat_table};

/// Edition of MMTests: its rows, header and special cases changed between the posts of 2012 and those of 2013.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edition {
    /// 2012: a header is split at its first `-`.
    Y2012,
    /// 2013: `-rcN` stays in the upper header line; more vmstat rows.
    #[default]
    Y2013,
}
