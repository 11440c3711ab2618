//! Once in a while an address space's scanner starts over at the shortest period.
//!
//! Intent: a period that grew to its maximum would notice a new phase of the program only late. Source:
//! balancenuma V5 task work (other-trees 4.2 "period reset"): once per address space and interval, the
//! task that happens to come by goes back to the minimum; its siblings do not.

use homenode_topology::Nanos;

/// When the next reset of one address space is.
#[derive(Clone, Copy, Debug)]
pub struct ScanReset {
    next: Nanos,
    interval: Nanos,
}

impl ScanReset {
    /// The first reset comes one interval after `now`, when the address space appears.
    #[must_use]
    pub fn new(now: Nanos, interval: Nanos) -> Self {
        Self { next: now + interval, interval }
    }

    /// Whether the caller is the one to reset its period; the next reset is an interval away then.
    pub fn is_due(&mut self, now: Nanos) -> bool {
        let due = now > self.next;
        if due {
            self.next = now + self.interval;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::ScanReset;
    use homenode_topology::Nanos;

    /// Other-trees 4.2 "period reset": once per address space and interval.
    #[test]
    fn one_caller_per_interval_is_told_to_reset() {
        let mut reset = ScanReset::new(Nanos::secs(5), Nanos::secs(60));
        assert!(!reset.is_due(Nanos::secs(65)), "the interval must have passed");
        assert!(reset.is_due(Nanos::secs(66)));
        assert!(!reset.is_due(Nanos::secs(66)), "a sibling comes too late");
        assert!(!reset.is_due(Nanos::secs(126)));
        assert!(reset.is_due(Nanos::secs(127)));
    }
}
