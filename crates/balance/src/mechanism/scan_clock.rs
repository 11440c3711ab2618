//! When a task is ready to scan: a period of its own CPU time that adapts to what its faults say.
//!
//! Intent: busy tasks do the work of scanning; a short-lived task never does; a task whose pages already
//! lie well scans more and more rarely. Source: balancenuma V5, task work patches and patches 34 and 38
//! (other-trees 4.2 to 4.4).
//!
//! The period of a new task is the scan delay. It expires when the task's run time has passed its stamp
//! by *more* than the period; the stamp then becomes the run time (no catching up), and at the first
//! expiry the period becomes the minimum. Faults lengthen it by a fixed step up to the maximum.

use homenode_topology::Nanos;

/// The figures of a [`ScanClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanPeriod {
    /// Period of a new task: run time before it scans first.
    pub delay: Nanos,
    /// Shortest period.
    pub min: Nanos,
    /// Longest period.
    pub max: Nanos,
    /// What a fault that asks for it adds.
    pub growth: Nanos,
}

/// The scan clock of one task.
#[derive(Clone, Copy, Debug)]
pub struct ScanClock {
    period: Nanos,
    stamp: Option<Nanos>,
}

impl ScanClock {
    /// The clock of a task that starts now.
    #[must_use]
    pub const fn new(figures: &ScanPeriod) -> Self {
        Self { period: figures.delay, stamp: None }
    }

    /// The present period.
    #[must_use]
    pub const fn period(&self) -> Nanos {
        self.period
    }

    /// Looks at the clock when the task has run for `runtime` in its life; says whether the period ran
    /// out, and begins a new one if so.
    pub fn expired(&mut self, runtime: Nanos, figures: &ScanPeriod) -> bool {
        let since = runtime.saturating_sub(self.stamp.unwrap_or(Nanos::ZERO));
        if since <= self.period {
            return false;
        }
        if self.stamp.replace(runtime).is_none() {
            self.period = figures.min;
        }
        true
    }

    /// A fault gave no reason to scan at this rate.
    pub fn lengthen(&mut self, figures: &ScanPeriod) {
        self.period = (self.period + figures.growth).min(figures.max);
    }

    /// Back to the shortest period.
    pub const fn restart(&mut self, figures: &ScanPeriod) {
        self.period = figures.min;
    }
}
