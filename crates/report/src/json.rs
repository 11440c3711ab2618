//! The JSON document of a report: schema `homenode.compare`, version 1, described in `docs/compare-json.md`.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::comparison::{Comparison, Samples};
use crate::fidelity::Fidelity;
use crate::mmtests::row_change;
use crate::published::PublishedCell;
use crate::report::Report;
use crate::stats;
use crate::vmstat::{VmstatRow, VmstatRun};

#[cfg(test)]
mod tests;

/// Value of the field `schema`.
pub const SCHEMA: &str = "homenode.compare";
/// Value of the field `version`; it grows when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// The document. `comparisons` holds what was measured and is enough to read a report back; `summaries` holds what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// What was measured.
    pub comparisons: Vec<Comparison>,
    /// Figures computed from each comparison, in the same order.
    pub summaries: Vec<Summary>,
    /// Published cells beside simulated ones.
    pub published: Vec<PublishedCell>,
    /// The score.
    pub fidelity: Fidelity,
}

/// Figures computed from one comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Title of the comparison.
    pub title: String,
    /// One entry per row.
    pub rows: Vec<RowSummary>,
    /// The vmstat table with its computed rows; one entry per row.
    pub vmstat: Vec<VmstatSummary>,
}

/// Figures of one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowSummary {
    /// Benchmark.
    pub benchmark: String,
    /// First label.
    pub metric: String,
    /// Second label.
    pub key: String,
    /// One entry per column; `null` where nothing was measured.
    pub cells: Vec<Option<CellSummary>>,
}

/// Figures of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellSummary {
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; 0 for one run.
    pub stddev: f64,
    /// Median.
    pub median: f64,
    /// 5th percentile.
    pub p5: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Change against the first column in per cent, by the sign rule of the row.
    pub change_pct: Option<f64>,
    /// Two-sided Mann-Whitney p against the first column.
    pub p_value: Option<f64>,
}

/// One row of the vmstat table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VmstatSummary {
    /// Label.
    pub name: String,
    /// One entry per column: the value for the mean of its runs; `null` without runs.
    pub values: Vec<Option<f64>>,
}

impl Report {
    /// The document.
    pub fn document(&self) -> Document {
        Document {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            comparisons: self.comparisons.clone(),
            summaries: self.comparisons.iter().map(summary).collect(),
            published: self.published.clone(),
            fidelity: self.fidelity.clone(),
        }
    }

    /// The document as JSON text, with a line feed at its end. Equal reports give equal bytes.
    ///
    /// # Errors
    /// [`Error::Document`] if it cannot be written.
    pub fn json(&self) -> Result<String, Error> {
        let text = serde_json::to_string_pretty(&self.document())
            .map_err(|error| Error::Document { problem: error.to_string() })?;
        Ok(text + "\n")
    }

    /// A report read back from its JSON text.
    ///
    /// # Errors
    /// [`Error::Document`] for other text, another schema or another version; what [`Comparison::check`] returns.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let problem = |problem: String| Error::Document { problem };
        let head: Head = serde_json::from_str(text).map_err(|error| problem(error.to_string()))?;
        if (head.schema.as_str(), head.version) != (SCHEMA, VERSION) {
            return Err(problem(format!(
                "it is `{}` version {}, expected `{SCHEMA}` version {VERSION}",
                head.schema, head.version
            )));
        }
        let document: Document =
            serde_json::from_str(text).map_err(|error| problem(error.to_string()))?;
        document.comparisons.iter().try_for_each(Comparison::check)?;
        Ok(Self {
            comparisons: document.comparisons,
            published: document.published,
            fidelity: document.fidelity,
        })
    }
}

/// The fields that say what a document is.
#[derive(Deserialize)]
struct Head {
    schema: String,
    version: u32,
}

fn summary(comparison: &Comparison) -> Summary {
    let rows = comparison.rows.iter().map(|row| {
        let baseline = row.cells.first().and_then(Option::as_ref);
        let cells = row.cells.iter().enumerate().map(|(at, cell)| {
            let samples = cell.as_ref()?;
            Some(cell_summary(
                samples,
                baseline.filter(|_| at > 0),
                row_change(row, at, comparison.edition),
            ))
        });
        RowSummary {
            benchmark: row.benchmark.clone(),
            metric: row.metric.clone(),
            key: row.key.clone(),
            cells: cells.collect(),
        }
    });
    let means: Vec<Option<VmstatRun>> =
        comparison.vmstat.iter().map(|runs| VmstatRun::mean(runs)).collect();
    let vmstat =
        VmstatRow::all(comparison.edition).copied().chain(VmstatRow::corrected()).map(|row| {
            VmstatSummary {
                name: row.name.to_owned(),
                values: means
                    .iter()
                    .map(|run| run.as_ref().map(|run| row.value(run).number()))
                    .collect(),
            }
        });
    Summary {
        title: comparison.title.clone(),
        rows: rows.collect(),
        vmstat: if means.is_empty() { Vec::new() } else { vmstat.collect() },
    }
}

fn cell_summary(
    samples: &Samples,
    baseline: Option<&Samples>,
    change_pct: Option<f64>,
) -> CellSummary {
    let test =
        baseline.and_then(|baseline| stats::mann_whitney(samples.values(), baseline.values()));
    CellSummary {
        mean: samples.mean(),
        stddev: samples.deviation(),
        median: samples.median(),
        p5: samples.percentile(5.0),
        p95: samples.percentile(95.0),
        change_pct,
        p_value: test.map(|test| test.p),
    }
}
