//! The report as CSV: one line per cell, per published counterpart and per regret.

use crate::Error;
use crate::comparison::{Comparison, Samples};
use crate::mmtests::row_change;
use crate::report::Report;
use crate::vmstat::VmstatRow;

#[cfg(test)]
mod tests;

/// One line of the file. Empty fields have no value in a line of that kind.
#[derive(Default)]
struct Line {
    /// Title of the comparison; in a published line the id of the table.
    source: String,
    machine: String,
    /// `result`, `duration`, `vmstat`, `published`, `regret_bound` or `regret_static`.
    kind: &'static str,
    benchmark: String,
    metric: String,
    key: String,
    column: String,
    runs: Option<usize>,
    mean: Option<f64>,
    stddev: Option<f64>,
    median: Option<f64>,
    p5: Option<f64>,
    p95: Option<f64>,
    change_pct: Option<f64>,
    published: Option<f64>,
    log_error: Option<f64>,
    role: &'static str,
}

const FIELDS: [&str; 17] = [
    "source",
    "machine",
    "kind",
    "benchmark",
    "metric",
    "key",
    "column",
    "runs",
    "mean",
    "stddev",
    "median",
    "p5",
    "p95",
    "change_pct",
    "published",
    "log_error",
    "role",
];

impl Line {
    fn with(mut self, samples: &Samples) -> Self {
        self.runs = Some(samples.values().len());
        self.mean = Some(samples.mean());
        self.stddev = Some(samples.deviation());
        self.median = Some(samples.median());
        self.p5 = Some(samples.percentile(5.0));
        self.p95 = Some(samples.percentile(95.0));
        self
    }

    fn fields(self) -> [String; 17] {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        [
            self.source,
            self.machine,
            self.kind.to_owned(),
            self.benchmark,
            self.metric,
            self.key,
            self.column,
            self.runs.map_or_else(String::new, |runs| runs.to_string()),
            number(self.mean),
            number(self.stddev),
            number(self.median),
            number(self.p5),
            number(self.p95),
            number(self.change_pct),
            number(self.published),
            number(self.log_error),
            self.role.to_owned(),
        ]
    }
}

impl Report {
    /// The report as CSV with a header line. Numbers are not rounded.
    ///
    /// # Errors
    /// [`Error::Document`] if a line cannot be written.
    pub fn csv(&self) -> Result<String, Error> {
        let broken = |problem: String| Error::Document { problem };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(FIELDS).map_err(|error| broken(error.to_string()))?;
        for line in self.comparisons.iter().flat_map(comparison_lines).chain(self.published_lines())
        {
            writer.write_record(line.fields()).map_err(|error| broken(error.to_string()))?;
        }
        let bytes = writer.into_inner().map_err(|error| broken(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| broken(error.to_string()))
    }

    fn published_lines(&self) -> impl Iterator<Item = Line> {
        self.published.iter().map(|cell| Line {
            source: cell.cell.table.clone(),
            kind: "published",
            metric: cell.cell.metric.clone(),
            key: cell.cell.key.clone(),
            column: cell.simulated_column.clone(),
            runs: Some(cell.simulated.runs),
            stddev: Some(cell.simulated.stddev),
            median: Some(cell.simulated.median),
            p5: Some(cell.simulated.p5),
            p95: Some(cell.simulated.p95),
            published: Some(cell.published),
            log_error: cell.log_error,
            role: cell.role.name(),
            ..Line::default()
        })
    }
}

fn comparison_lines(comparison: &Comparison) -> Vec<Line> {
    let mut lines = Vec::new();
    for (at, column) in comparison.columns.iter().enumerate() {
        let line = |kind: &'static str, metric: &str, key: &str| Line {
            source: comparison.title.clone(),
            machine: comparison.machine.clone(),
            kind,
            metric: metric.to_owned(),
            key: key.to_owned(),
            column: column.name.clone(),
            ..Line::default()
        };
        for row in &comparison.rows {
            if let Some(samples) = row.cells.get(at).and_then(Option::as_ref) {
                let change_pct = row_change(row, at, comparison.edition);
                lines.push(
                    Line {
                        benchmark: row.benchmark.clone(),
                        change_pct,
                        ..line("result", &row.metric, &row.key)
                    }
                    .with(samples),
                );
            }
        }
        if let Some(times) = comparison.durations.get(at).and_then(Option::as_ref) {
            for (metric, samples) in times.rows() {
                lines.push(line("duration", metric, "").with(samples));
            }
        }
        let runs = comparison.vmstat.get(at).map_or(&[][..], Vec::as_slice);
        for row in VmstatRow::all(comparison.edition).copied().chain(VmstatRow::corrected()) {
            if let Ok(samples) =
                Samples::new(runs.iter().map(|run| row.value(run).number()).collect())
            {
                lines.push(line("vmstat", row.name, "").with(&samples));
            }
        }
        for regret in &comparison.regret {
            if let Some(cell) = regret.cells.get(at) {
                for (kind, value) in
                    [("regret_bound", cell.regret_bound), ("regret_static", cell.regret_static)]
                {
                    lines.extend(value.map(|value| Line {
                        mean: Some(value),
                        ..line(kind, "Regret", &regret.workload)
                    }));
                }
            }
        }
    }
    lines
}
