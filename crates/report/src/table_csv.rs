//! The report as CSV: one line per cell of a comparison, with the published value beside it where there is one.

use std::collections::BTreeMap;

use crate::comparison::{Comparison, Row, Samples};
use crate::mmtests::row_change;
use crate::published::PublishedCell;
use crate::report::Report;
use crate::stats;
use crate::vmstat::VmstatRow;
use crate::{Column, Error};

#[cfg(test)]
mod tests;

/// Columns of the file.
pub const FIELDS: [&str; 18] = [
    "comparison", "machine", "kind", "benchmark", "metric", "key", "column", "runs", "mean", "stddev", "median", "p5", "p95", "change_pct",
    "published", "log_error", "role", "table",
];

/// One line before the published part.
struct Line<'a> {
    kind: &'static str,
    benchmark: &'a str,
    metric: &'a str,
    key: &'a str,
    column: &'a Column,
    samples: Samples,
    change: Option<f64>,
}

impl Report {
    /// The report as CSV with a header line. Regret has kind `regret_bound` and `regret_static`.
    ///
    /// # Errors
    /// [`Error::Document`] if a line cannot be written.
    pub fn csv(&self) -> Result<String, Error> {
        let broken = |problem: String| Error::Document { problem };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(FIELDS).map_err(|error| broken(error.to_string()))?;
        let mut published: BTreeMap<(&str, &str, &str), Vec<&PublishedCell>> = BTreeMap::new();
        for cell in &self.published {
            published.entry((&cell.cell.metric, cell.cell.key.as_str(), &cell.simulated_column)).or_default().push(cell);
        }
        for comparison in &self.comparisons {
            for line in lines(comparison) {
                let found = published.get(&(line.metric, line.key, line.column.name.as_str())).and_then(|cells| cells.first()).copied();
                writer.write_record(record(comparison, &line, found)).map_err(|error| broken(error.to_string()))?;
            }
        }
        let bytes = writer.into_inner().map_err(|error| broken(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| broken(error.to_string()))
    }
}
