//! Classes of metrics that are scored together.

use serde::{Deserialize, Serialize};

use crate::seed::{Kind, SeedTable};
use crate::vmstat::VmstatRow;

/// A class of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricClass {
    /// Time a benchmark took.
    Elapsed,
    /// Utilisation in per cent of one CPU.
    Cpu,
    /// CPU time in the kernel.
    System,
    /// Work per second.
    Throughput,
    /// Event counts.
    Vmstat,
}

const SPREAD: &str = "extremes and spreads of few runs are not scored";

impl MetricClass {
    /// The name used in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elapsed => "elapsed",
            Self::Cpu => "cpu",
            Self::System => "system",
            Self::Throughput => "throughput",
            Self::Vmstat => "vmstat",
        }
    }

    /// The class of a row.
    ///
    /// # Errors
    /// The reason why no score counts the row.
    pub fn of(table: &SeedTable, metric: &str, key: &str) -> Result<Self, &'static str> {
        match table.kind {
            Kind::Vmstat if VmstatRow::named(metric).is_none_or(|row| row.counter().is_none()) => {
                return Err("computed from the counter rows");
            }
            Kind::Vmstat => return Ok(Self::Vmstat),
            Kind::Duration => return Err("durations repeat the results and hold unreported runs"),
            Kind::Compare | Kind::Peaks | Kind::Prose => {}
        }
        match (table.benchmark.as_str(), metric) {
            ("kernbench", _) if key != "mean" => Err(SPREAD),
            ("ebizzyrange", _) | (_, "Stddev" | "Stddev%" | "Range" | "Min" | "Max") => Err(SPREAD),
            (_, "Elapsed" | "Procs") | ("tlbflush", "Mean") => Ok(Self::Elapsed),
            (_, "CPU") => Ok(Self::Cpu),
            (_, "System") => Ok(Self::System),
            (_, "User") => Err("follows from CPU, Elapsed and System"),
            (_, "Expctd Warehouse" | "Actual Warehouse") => {
                Err("a warehouse number has no direction")
            }
            (_, "vCPUs" | "Memory GB") => Err("an input, not a result"),
            _ => Ok(Self::Throughput),
        }
    }
}
