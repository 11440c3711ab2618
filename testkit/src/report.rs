//! The lines that the workload prints: a word for the kind, then `key=value`.

use std::fmt;

/// One second of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    /// Seconds since the threads started.
    pub at: u64,
    /// The process.
    pub pid: u32,
    /// Share of pages on their thread's node, 0 to 1.
    pub local: Option<f64>,
    /// Words visited a second, all threads together.
    pub ops_per_s: u64,
    /// Pages on each node.
    pub pages: Vec<usize>,
    /// Pages whose node the kernel did not tell.
    pub unknown: usize,
    /// Node of each thread, -1 when not known.
    pub threads: Vec<i64>,
    /// Time the query of all pages took.
    pub query_ms: u128,
}

impl fmt::Display for Second {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.local.map_or_else(|| "unknown".to_owned(), |share| format!("{share:.4}"));
        write!(
            f,
            "second t={} pid={} local={local} ops_per_s={} pages={} unknown={} threads={} query_ms={}",
            self.at,
            self.pid,
            self.ops_per_s,
            joined(&self.pages),
            self.unknown,
            joined(&self.threads),
            self.query_ms
        )
    }
}

/// Values with commas between them.
#[must_use]
pub fn joined<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
