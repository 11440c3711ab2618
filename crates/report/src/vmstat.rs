//! The vmstat table: differences of `/proc/vmstat` over a test, and the rows computed from them (spec benchmarks 13.6).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod rows;

#[cfg(test)]
mod tests;

pub use rows::VmstatRow;

/// Counter differences of one run. A counter the kernel (or the model) does not have is absent and prints 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VmstatRun {
    /// Seconds of the whole test, for the velocity rows.
    pub elapsed_seconds: f64,
    /// Difference of each counter, by its name in `/proc/vmstat`.
    pub counters: BTreeMap<String, u64>,
}

impl VmstatRun {
    /// The counter of that name, 0 if absent.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// Sum of the counters whose name starts so: older kernels count reclaim by zone. `_throttle` counts events, not pages.
    fn sum(&self, prefix: &str) -> u64 {
        let named = self
            .counters
            .range(prefix.to_owned()..)
            .take_while(|(name, _)| name.starts_with(prefix));
        named
            .filter(|(name, _)| !name.ends_with("_throttle"))
            .fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Mean of several runs, each counter rounded to a whole number, so that computed rows follow from the printed ones.
    /// `None` without a run.
    pub fn mean(runs: &[Self]) -> Option<Self> {
        let count = u64::try_from(runs.len()).ok().filter(|count| *count > 0)?;
        let mut sums: BTreeMap<String, u128> = BTreeMap::new();
        for (name, value) in runs.iter().flat_map(|run| &run.counters) {
            *sums.entry(name.clone()).or_default() += u128::from(*value);
        }
        let rounded = |sum: u128| {
            u64::try_from((sum + u128::from(count / 2)) / u128::from(count)).unwrap_or(u64::MAX)
        };
        Some(Self {
            elapsed_seconds: runs.iter().map(|run| run.elapsed_seconds).sum::<f64>() / count as f64,
            counters: sums.into_iter().map(|(name, sum)| (name, rounded(sum))).collect(),
        })
    }

    /// Pages per second, 0 if no time passed.
    fn velocity(&self, pages: u64) -> f64 {
        if self.elapsed_seconds > 0.0 { pages as f64 / self.elapsed_seconds } else { 0.0 }
    }
}

/// How a row prints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VmstatValue {
    /// A whole number.
    Count(u64),
    /// Whole per cent with a percent sign.
    Percent(u64),
    /// Pages a second with three decimals.
    Velocity(f64),
}

impl VmstatValue {
    /// As a plain number.
    pub fn number(self) -> f64 {
        match self {
            Self::Count(value) | Self::Percent(value) => value as f64,
            Self::Velocity(value) => value,
        }
    }

    /// As printed.
    pub fn print(self) -> String {
        match self {
            Self::Count(value) => value.to_string(),
            Self::Percent(value) => format!("{value}%"),
            Self::Velocity(value) => format!("{value:.3}"),
        }
    }
}
