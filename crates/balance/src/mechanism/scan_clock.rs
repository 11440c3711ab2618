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
        self.lengthen_by(figures, 1);
    }

    /// As many steps, for as many faults.
    pub fn lengthen_by(&mut self, figures: &ScanPeriod, faults: u32) {
        self.period = (self.period + figures.growth * u64::from(faults)).min(figures.max);
    }

    /// Back to the shortest period.
    pub const fn restart(&mut self, figures: &ScanPeriod) {
        self.period = figures.min;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIGURES: ScanPeriod = ScanPeriod {
        delay: Nanos::millis(1000),
        min: Nanos::millis(100),
        max: Nanos::millis(5000),
        growth: Nanos::millis(10),
    };

    /// Other-trees 4.2 "first scan": after 1000 ms of life, compared with "exceeds".
    #[test]
    fn the_first_period_is_the_scan_delay() {
        let mut clock = ScanClock::new(&FIGURES);
        assert!(!clock.expired(Nanos::millis(999), &FIGURES));
        assert!(!clock.expired(Nanos::millis(1000), &FIGURES), "must be exceeded");
        assert!(clock.expired(Nanos(1_000_000_001), &FIGURES));
    }

    /// Other-trees 4.4 "tick": the initial period becomes min at first expiry.
    #[test]
    fn the_first_expiry_sets_the_minimum() {
        let mut clock = ScanClock::new(&FIGURES);
        clock.expired(Nanos::millis(1001), &FIGURES);
        assert_eq!(clock.period(), FIGURES.min);
        clock.lengthen(&FIGURES);
        assert!(clock.expired(Nanos::millis(1200), &FIGURES));
        assert_eq!(clock.period(), Nanos::millis(110), "later expiries leave the period alone");
    }

    /// Other-trees 4.3 step 1 and balancing-v9 10.2 "stamp at arming: set to now": no catching up.
    #[test]
    fn the_stamp_becomes_the_run_time() {
        let mut clock = ScanClock::new(&FIGURES);
        assert!(clock.expired(Nanos::secs(9), &FIGURES));
        assert!(!clock.expired(Nanos::millis(9100), &FIGURES));
        assert!(clock.expired(Nanos::millis(9101), &FIGURES));
    }

    /// Other-trees 4.4 "PTE / THP fault, not migrated": 490 faults lead from 100 to 5000 ms.
    #[test]
    fn growth_stops_at_the_maximum() {
        let mut clock = ScanClock::new(&FIGURES);
        clock.restart(&FIGURES);
        for _ in 0..489 {
            clock.lengthen(&FIGURES);
        }
        assert_eq!(clock.period(), Nanos::millis(4990));
        clock.lengthen(&FIGURES);
        assert_eq!(clock.period(), FIGURES.max);
        clock.lengthen(&FIGURES);
        assert_eq!(clock.period(), FIGURES.max);
    }

    proptest! {
        /// The period never leaves its bounds.
        #[test]
        fn the_period_stays_within_its_bounds(steps in prop::collection::vec((0u8..3, 0u64..3_000), 0..2_000)) {
            let mut clock = ScanClock::new(&FIGURES);
            let mut runtime = Nanos::ZERO;
            for (step, ms) in steps {
                runtime += Nanos::millis(ms);
                match step {
                    0 => clock.lengthen(&FIGURES),
                    1 => clock.restart(&FIGURES),
                    _ => {
                        clock.expired(runtime, &FIGURES);
                    }
                }
                prop_assert!((FIGURES.min..=FIGURES.max).contains(&clock.period()));
            }
        }
    }
}
