//! What a caller measured: columns (policies), rows (metrics of benchmarks), and the runs behind each cell.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::mmtests::Edition;
use crate::stats;
use crate::vmstat::VmstatRun;

/// Largest magnitude of a measured value: its square must stay a number.
const LARGEST: f64 = 1e150;

/// Whether a value is a number that statistics can be computed of.
fn usable(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// Values of one cell, one per seed (or repetition), in run order: at least one, each between -1e150 and 1e150.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Samples of these values.
    ///
    /// # Errors
    /// [`Error::Samples`] when there is no value, or one that is not a number of that range.
    pub fn new(values: Vec<f64>) -> Result<Self, Error> {
        if values.is_empty() {
            return Err(Error::Samples { found: "none".to_owned() });
        }
        if let Some(value) = values.iter().find(|value| !usable(**value)) {
            return Err(Error::Samples { found: format!("{value:e}") });
        }
        Ok(Self(values))
    }

    /// The values in run order.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Arithmetic mean: the value the MMTests tables print.
    pub fn mean(&self) -> f64 {
        stats::mean(&self.0).unwrap_or_default()
    }

    /// Median: the value that is compared with published numbers.
    pub fn median(&self) -> f64 {
        stats::median(&self.0).unwrap_or_default()
    }

    /// Percentile, 0 to 100, as in [`stats::percentile`].
    pub fn percentile(&self, percent: f64) -> f64 {
        stats::percentile(&self.0, percent).unwrap_or_default()
    }

    /// Sample standard deviation; 0 for one value.
    pub fn deviation(&self) -> f64 {
        stats::sample_deviation(&self.0).unwrap_or_default()
    }
}

impl TryFrom<Vec<f64>> for Samples {
    type Error = Error;

    fn try_from(values: Vec<f64>) -> Result<Self, Error> {
        Self::new(values)
    }
}

impl From<Samples> for Vec<f64> {
    fn from(samples: Samples) -> Self {
        samples.0
    }
}

/// One policy, kernel or tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name, such as `balancenuma:stats`.
    pub name: String,
    /// The column of the published tables it is a copy of, such as `3.7.0-rc6-stats-v5r1`.
    pub published: Option<String>,
    /// The published column of the stage before it, for the straw man "predecessor".
    pub predecessor: Option<String>,
}

/// One metric of one benchmark over all columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Benchmark, such as `autonumabench`; with the metric it decides the sign rule and the decimals.
    pub benchmark: String,
    /// First label, such as `Elapsed`.
    pub metric: String,
    /// Second label, such as `NUMA01`; may be empty.
    pub key: String,
    /// One entry per column; `None` where nothing was measured.
    pub cells: Vec<Option<Samples>>,
}

/// Seconds of a whole test under one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Durations {
    /// CPU seconds in user mode.
    pub user: Samples,
    /// CPU seconds in kernel mode.
    pub system: Samples,
    /// Seconds on the clock.
    pub elapsed: Samples,
}

impl Durations {
    /// The three rows of the duration table with their labels.
    pub fn rows(&self) -> [(&'static str, &Samples); 3] {
        [("User", &self.user), ("System", &self.system), ("Elapsed", &self.elapsed)]
    }
}

/// How far a column stays behind the computed optimum on one workload: measured time / optimal time - 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegretCell {
    /// Against the lower bound of the linear program, which no placement may reach.
    pub regret_bound: Option<f64>,
    /// Against the best static placement, run on the same machine; negative when moving beats it.
    pub regret_static: Option<f64>,
}

/// Regret of every column on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// The workload.
    pub workload: String,
    /// One entry per column.
    pub cells: Vec<RegretCell>,
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// (seconds, value) in time order.
    pub points: Vec<(f64, f64)>,
}

/// Curves over time, such as the local ratio or the load of a controller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeChart {
    /// Heading.
    pub title: String,
    /// What the value axis shows, with its unit.
    pub value_label: String,
    /// The curves; their values start at 0.
    pub curves: Vec<Curve>,
}

/// One machine, its columns and everything measured under them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// Heading.
    pub title: String,
    /// Machine, such as `r810`.
    pub machine: String,
    /// Edition of MMTests whose rules the tables follow.
    pub edition: Edition,
    /// Ids of the published tables to put beside it; may be empty.
    pub against: Vec<String>,
    /// The columns; the first is the baseline of every percentage.
    pub columns: Vec<Column>,
    /// The rows in printed order.
    pub rows: Vec<Row>,
    /// One entry per column, or none at all.
    pub durations: Vec<Option<Durations>>,
    /// For each column its runs, or none at all.
    pub vmstat: Vec<Vec<VmstatRun>>,
    /// One entry per workload; may be empty.
    pub regret: Vec<Regret>,
    /// Curves over time; may be empty.
    pub charts: Vec<TimeChart>,
}

impl Comparison {
    /// Checks that every part has one entry per column, that no column or row stands twice, and that every number is one.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Duplicate`] or [`Error::Number`] with the first part that does not fit.
    pub fn check(&self) -> Result<(), Error> {
        let columns = self.columns.len();
        let shape = |item: String, found: usize| {
            if found == columns {
                Ok(())
            } else {
                Err(Error::Shape { comparison: self.title.clone(), item, found, columns })
            }
        };
        for row in &self.rows {
            shape(format!("row `{} {} {}`", row.benchmark, row.metric, row.key), row.cells.len())?;
        }
        for regret in &self.regret {
            shape(format!("regret of `{}`", regret.workload), regret.cells.len())?;
        }
        if !self.durations.is_empty() {
            shape("durations".to_owned(), self.durations.len())?;
        }
        if !self.vmstat.is_empty() {
            shape("vmstat".to_owned(), self.vmstat.len())?;
        }
        for (item, value) in self.loose_numbers() {
            if !usable(value) {
                return Err(Error::Number {
                    comparison: self.title.clone(),
                    item,
                    value: format!("{value:e}"),
                });
            }
        }
        self.unique("column", self.columns.iter().map(|column| column.name.clone()))?;
        self.unique(
            "row",
            self.rows.iter().map(|row| format!("{} {} {}", row.benchmark, row.metric, row.key)),
        )
    }

    /// Every number that is not in [`Samples`], with its place.
    fn loose_numbers(&self) -> impl Iterator<Item = (String, f64)> {
        let charts = self.charts.iter().flat_map(|chart| {
            let curve = |curve: &Curve| {
                curve.points.iter().flat_map(|point| [point.0, point.1]).collect::<Vec<f64>>()
            };
            chart
                .curves
                .iter()
                .flat_map(curve)
                .map(|value| (format!("chart `{}`", chart.title), value))
        });
        let regret = self.regret.iter().flat_map(|regret| {
            let values = regret
                .cells
                .iter()
                .flat_map(|cell| [cell.regret_bound, cell.regret_static])
                .flatten();
            values.map(|value| (format!("regret of `{}`", regret.workload), value))
        });
        let seconds =
            self.vmstat.iter().flatten().map(|run| ("vmstat".to_owned(), run.elapsed_seconds));
        charts.chain(regret).chain(seconds)
    }

    fn unique(&self, what: &str, names: impl Iterator<Item = String>) -> Result<(), Error> {
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            if seen.contains(&name) {
                return Err(Error::Duplicate {
                    comparison: self.title.clone(),
                    item: format!("{what} `{name}`"),
                });
            }
            seen.insert(name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
