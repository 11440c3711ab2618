//! Which task of an address space scans next, from where.
//!
//! Intent: however many threads have a clock that ran out, an address space is scanned once a period.
//! Source: balancenuma V5 task work (other-trees 4.2 "next scan of the mm", 4.3 step 2). In the kernel a
//! compare-exchange on the next-scan time picks the winner among racing threads; here calls come one
//! after the other, so the first to come when the turn is due has it.

use homenode_topology::{Nanos, PageIndex};

/// The turn of one address space.
#[derive(Clone, Copy, Debug)]
pub struct ScanTurn {
    next: Nanos,
    offset: PageIndex,
}

impl ScanTurn {
    /// The first turn is due at `next` and starts at the bottom.
    #[must_use]
    pub const fn new(next: Nanos) -> Self {
        Self { next, offset: PageIndex(0) }
    }

    /// When the turn is or was due.
    #[must_use]
    pub const fn next(&self) -> Nanos {
        self.next
    }

    /// Whether somebody may take the turn.
    #[must_use]
    pub fn is_due(&self, now: Nanos) -> bool {
        now >= self.next
    }

    /// Takes the turn: the next one is a period of the winner away, used or not. Returns where the walk
    /// starts.
    pub fn claim(&mut self, now: Nanos, period: Nanos) -> PageIndex {
        self.next = now + period;
        self.offset
    }

    /// A walk ended. The next one goes on from `next`, or starts over where the end was reached.
    pub fn walked(&mut self, next: Option<PageIndex>) {
        self.offset = next.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::ScanTurn;
    use homenode_topology::{Nanos, PageIndex};

    /// Other-trees 4.2 "next scan of the mm": one winner, the next turn now + period.
    #[test]
    fn the_turn_goes_to_one_task_a_period() {
        let mut turn = ScanTurn::new(Nanos::secs(1));
        assert!(!turn.is_due(Nanos::millis(999)));
        assert!(turn.is_due(Nanos::secs(1)));
        turn.claim(Nanos::secs(1), Nanos::millis(100));
        assert!(!turn.is_due(Nanos::secs(1)), "the second task comes too late");
        assert!(turn.is_due(Nanos::millis(1100)));
    }

    /// Other-trees 4.2 "chunk": the offset is kept and wraps.
    #[test]
    fn walks_go_on_where_the_last_one_ended() {
        let mut turn = ScanTurn::new(Nanos::ZERO);
        assert_eq!(turn.claim(Nanos::ZERO, Nanos::ZERO), PageIndex(0));
        turn.walked(Some(PageIndex(4096)));
        assert_eq!(turn.claim(Nanos::ZERO, Nanos::ZERO), PageIndex(4096));
        turn.walked(None);
        assert_eq!(turn.claim(Nanos::ZERO, Nanos::ZERO), PageIndex(0));
    }
}
