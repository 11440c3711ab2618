//! The peaks table of SPECjbb2005 and its score.

use crate::comparison::Row;
use crate::{Error, Samples};

/// Where the two peak rows point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakLabels {
    /// At the points they name.
    Right,
    /// As printed in 2013: the expected peak is the throughput of the point before, the actual peak is labelled one too high.
    Shifted,
}

/// Values of the peaks table of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpecjbbPeaks {
    /// Warehouses at which the peak is expected: CPUs / JVMs.
    pub expected_warehouse: u64,
    /// Throughput there; 0 if that point was not run.
    pub expected_peak: f64,
    /// Warehouses with the largest throughput; the first of equals.
    pub actual_warehouse: u64,
    /// The largest throughput.
    pub actual_peak: f64,
    /// The score: sum of the throughput at N to 2N warehouses / (N + 1), N being the expected peak; points not run count 0.
    pub score: f64,
    /// Score / JVMs.
    pub score_per_jvm: f64,
}

/// Peaks of a curve of (warehouses per JVM, total throughput). `None` without a point, CPU or JVM.
pub fn specjbb_peaks(
    points: &[(u64, f64)],
    cpus: u64,
    jvms: u64,
    labels: PeakLabels,
) -> Option<SpecjbbPeaks> {
    let expected = cpus.checked_div(jvms).filter(|expected| *expected > 0)?;
    let at = |warehouse: u64| {
        points.iter().find(|point| point.0 == warehouse).map_or(0.0, |point| point.1)
    };
    let best =
        points.iter().copied().reduce(|best, point| if point.1 > best.1 { point } else { best })?;
    let shift = u64::from(labels == PeakLabels::Shifted);
    let sum: f64 = points
        .iter()
        .filter(|point| (expected..=2 * expected).contains(&point.0))
        .map(|point| point.1)
        .sum();
    let score = sum / (expected as f64 + 1.0);
    Some(SpecjbbPeaks {
        expected_warehouse: expected,
        expected_peak: at(expected - shift),
        actual_warehouse: best.0 + shift,
        actual_peak: best.1,
        score,
        score_per_jvm: score / jvms as f64,
    })
}

impl SpecjbbPeaks {
    /// The six rows of the peaks table, in printed order.
    fn labelled(self) -> [(&'static str, f64); 6] {
        [
            ("Expctd Warehouse", self.expected_warehouse as f64),
            ("Expctd Peak Bops", self.expected_peak),
            ("Actual Warehouse", self.actual_warehouse as f64),
            ("Actual Peak Bops", self.actual_peak),
            ("SpecJBB Bops", self.score),
            ("SpecJBB Bops/JVM", self.score_per_jvm),
        ]
    }

    /// The peaks table of several columns, each with the peaks of its runs, as rows of a comparison.
    ///
    /// # Errors
    /// [`Error::Samples`] if a throughput was not finite.
    pub fn rows(columns: &[Vec<Self>]) -> Result<Vec<Row>, Error> {
        let labels = [
            "Expctd Warehouse",
            "Expctd Peak Bops",
            "Actual Warehouse",
            "Actual Peak Bops",
            "SpecJBB Bops",
            "SpecJBB Bops/JVM",
        ];
        let mut rows = Vec::new();
        for (at, metric) in labels.into_iter().enumerate() {
            let mut cells = Vec::new();
            for runs in columns {
                let values: Vec<f64> =
                    runs.iter().filter_map(|run| run.labelled().get(at).map(|row| row.1)).collect();
                cells.push(if values.is_empty() { None } else { Some(Samples::new(values)?) });
            }
            rows.push(Row {
                benchmark: "specjbb".to_owned(),
                metric: metric.to_owned(),
                key: String::new(),
                cells,
            });
        }
        Ok(rows)
    }
}
