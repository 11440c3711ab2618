//! Published beside simulated: the cells of the posts that a comparison has a counterpart of.

mod metric_class;
mod pairing;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use metric_class::MetricClass;
pub use pairing::{counterpart, published_cells};

use crate::comparison::Samples;
use crate::role::Role;
use crate::seed::{SeedCell, SeedTable};

/// Runs below which a 5-95 % band says nothing.
pub const BAND_RUNS: usize = 20;

/// Names a published cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId {
    /// Table id.
    pub table: String,
    /// First label of the row.
    pub metric: String,
    /// Second label of the row; may be empty.
    pub key: String,
    /// Published column.
    pub column: String,
}

impl CellId {
    /// The name of a cell of a table.
    pub fn new(table: &SeedTable, cell: &SeedCell) -> Self {
        Self {
            table: table.id.clone(),
            metric: cell.metric.clone(),
            key: cell.key.clone(),
            column: cell.column.clone(),
        }
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.table, self.metric)?;
        if !self.key.is_empty() {
            write!(f, " {}", self.key)?;
        }
        write!(f, " [{}]", self.column)
    }
}

/// What the simulated runs say about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SimulatedValue {
    /// Number of runs (seeds).
    pub runs: usize,
    /// Median.
    pub median: f64,
    /// 5th percentile.
    pub p5: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Sample standard deviation; 0 for one run.
    pub stddev: f64,
}

impl From<&Samples> for SimulatedValue {
    fn from(samples: &Samples) -> Self {
        Self {
            runs: samples.values().len(),
            median: samples.median(),
            p5: samples.percentile(5.0),
            p95: samples.percentile(95.0),
            stddev: samples.deviation(),
        }
    }
}

/// A published cell and its simulated counterpart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PublishedCell {
    /// Which cell.
    pub cell: CellId,
    /// Class of the metric; `None` for rows that no score counts.
    pub class: Option<MetricClass>,
    /// Column of the comparison that simulates it.
    pub simulated_column: String,
    /// The published value, times the factor of its role rule.
    pub published: f64,
    /// The published value of the baseline column in the same row, times the same factor.
    pub published_baseline: Option<f64>,
    /// The simulated value.
    pub simulated: SimulatedValue,
    /// Median of the simulated baseline column in the same row.
    pub simulated_baseline: Option<f64>,
    /// The published value of the previous stage in the same row, times the same factor.
    pub published_predecessor: Option<f64>,
    /// Whether the cell stands in the baseline column.
    pub baseline: bool,
    /// What the cell is used for.
    pub role: Role,
    /// Why it has that role, where a reason is given.
    pub reason: Option<String>,
    /// ln(simulated median / published); `None` if exactly one of them is 0 or one is negative.
    pub log_error: Option<f64>,
}

impl PublishedCell {
    /// Whether nothing happened on either side, so that there is nothing to compare.
    pub fn is_idle(&self) -> bool {
        self.published == 0.0 && self.simulated.median == 0.0
    }

    /// Whether the published value lies inside the simulated 5-95 % band; `None` below 20 runs.
    pub fn in_band(&self) -> Option<bool> {
        (self.simulated.runs >= BAND_RUNS)
            .then(|| (self.simulated.p5..=self.simulated.p95).contains(&self.published))
    }
}

/// ln(prediction / published); 0 for equal values, `None` if exactly one of them is 0 or one is negative.
pub fn log_error(prediction: f64, published: f64) -> Option<f64> {
    if prediction == published {
        return Some(0.0);
    }
    let error = (prediction > 0.0 && published > 0.0).then(|| libm::log(prediction / published));
    error.filter(|error| error.is_finite())
}

/// The cells with the largest residual first; a cell whose error has no value counts as the largest. Unscored cells are left out.
pub fn worst_first(cells: &[PublishedCell]) -> Vec<&PublishedCell> {
    let mut scored: Vec<&PublishedCell> =
        cells.iter().filter(|cell| cell.role != Role::Unscored).collect();
    let size = |cell: &PublishedCell| cell.log_error.map_or(f64::INFINITY, f64::abs);
    scored.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.cell.cmp(&b.cell)));
    scored
}
