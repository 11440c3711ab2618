//! A cap on the pages moved to each node in a window of time.
//!
//! Intent: memory that migrates faster than this saturates the controllers it is meant to relieve; and
//! while a node takes in pages at the limit, arming more of them only buys faults that cannot move
//! anything. Source: balancenuma V5 patches 31-33 with the corner cases of Linux 3.11 (other-trees 4.2
//! and 4.4 "limits"):
//!
//! * a move is refused when the count is *over* the limit, and the count is checked before the pages are
//!   added: the last huge page may carry it up to 512 pages past the limit;
//! * a new window begins with the first attempt made after the old one ended;
//! * arming is refused from the limit *on*, unless the window ended more than [`Limit::memory`] ago: an
//!   old count says nothing about the present.

use alloc::vec;
use alloc::vec::Vec;
use homenode_topology::{Machine, Nanos, NodeId};

/// The figures of a [`RateLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Base pages a window.
    pub pages: u64,
    /// Length of a window.
    pub window: Nanos,
    /// How long after its end a full window still keeps scans from arming.
    pub memory: Nanos,
}

impl Limit {
    /// 128 MiB in 100 ms, remembered for 1 s: balancenuma, autonuma and V9 alike.
    pub const KERNEL: Self =
        Self { pages: 32_768, window: Nanos::millis(100), memory: Nanos::secs(1) };
}

/// One window for each node.
#[derive(Clone, Debug)]
pub struct RateLimit {
    limit: Limit,
    windows: Vec<Option<Window>>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    end: Nanos,
    pages: u64,
}

impl RateLimit {
    /// Empty windows for the nodes of a machine, whatever gaps their ids have.
    #[must_use]
    pub fn new(limit: Limit, machine: &Machine) -> Self {
        let highest = machine.nodes.iter().map(|node| node.id.index()).max();
        Self { limit, windows: vec![None; highest.map_or(0, |id| id + 1)] }
    }

    /// The figures it goes by.
    #[must_use]
    pub const fn limit(&self) -> Limit {
        self.limit
    }

    /// Charges an attempt to move `pages` base pages to `node`.
    ///
    /// # Errors
    /// The pages counted in this window, when they are over the limit; nothing is charged then. A node
    /// the machine does not have is never limited.
    pub fn charge(&mut self, node: NodeId, pages: u32, now: Nanos) -> Result<(), u64> {
        let Some(current) = self.windows.get_mut(node.index()) else { return Ok(()) };
        let begun = Window { end: now + self.limit.window, pages: 0 };
        let window = current.get_or_insert(begun);
        if now > window.end {
            *window = begun;
        }
        if window.pages > self.limit.pages {
            return Err(window.pages);
        }
        window.pages += u64::from(pages);
        Ok(())
    }

    /// Charges attempts to move single base pages to `node`, as many as fit; returns how many. The same
    /// as that many calls of [`Self::charge`] with one page.
    ///
    /// # Errors
    /// As [`Self::charge`], when not even one fits.
    pub fn charge_singly(&mut self, node: NodeId, pages: u32, now: Nanos) -> Result<u32, u64> {
        if pages == 0 {
            return Ok(0);
        }
        self.charge(node, 1, now)?;
        let Some(Some(window)) = self.windows.get_mut(node.index()) else { return Ok(pages) };
        let left = (self.limit.pages + 1).saturating_sub(window.pages);
        let more = u64::from(pages - 1).min(left) as u32;
        window.pages += u64::from(more);
        Ok(more + 1)
    }

    /// Whether a scan on `node` may arm pages.
    ///
    /// # Errors
    /// The pages counted in the node's last window, when they keep it from arming.
    pub fn arming(&self, node: NodeId, now: Nanos) -> Result<(), u64> {
        match self.windows.get(node.index()) {
            Some(Some(window))
                if window.pages >= self.limit.pages && now <= window.end + self.limit.memory =>
            {
                Err(window.pages)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_view::machine;
    use proptest::prelude::*;

    const NODE: NodeId = NodeId(8);
    const FULL: u64 = 32_768;

    fn limit() -> RateLimit {
        RateLimit::new(Limit::KERNEL, &machine(&[0, 8]))
    }

    fn at(ms: u64) -> Nanos {
        Nanos::millis(ms)
    }

    /// Other-trees 4.4 "limits": migration is refused at count > limit, checked before adding.
    #[test]
    fn the_last_huge_page_may_pass_the_limit() {
        let mut limit = limit();
        for _ in 0..FULL / 512 {
            assert_eq!(limit.charge(NODE, 512, at(1)), Ok(()));
        }
        assert_eq!(limit.charge(NODE, 512, at(1)), Ok(()), "at the limit, not over it");
        assert_eq!(limit.charge(NODE, 1, at(1)), Err(FULL + 512));
    }

    /// Other-trees 4.4 "limits": arming is refused from the limit on.
    #[test]
    fn arming_stops_one_page_before_migration_does() {
        let mut limit = limit();
        for _ in 0..FULL - 1 {
            limit.charge(NODE, 1, at(1)).unwrap();
        }
        assert_eq!(limit.arming(NODE, at(1)), Ok(()));
        limit.charge(NODE, 1, at(1)).unwrap();
        assert_eq!(limit.arming(NODE, at(1)), Err(FULL));
        assert_eq!(limit.charge(NODE, 1, at(1)), Ok(()));
    }

    /// Other-trees 4.4 "limits": the window is restarted by the first attempt after it ended.
    #[test]
    fn a_window_begins_with_an_attempt() {
        let mut limit = limit();
        fill(&mut limit, at(1));
        assert!(limit.charge(NODE, 1, at(101)).is_err(), "the window ends at 101 ms, inclusive");
        assert_eq!(limit.charge(NODE, 1, at(500)), Ok(()));
        fill(&mut limit, at(600));
        assert!(limit.charge(NODE, 1, at(600)).is_err(), "it began at 500 ms, not at 401 ms");
        assert_eq!(limit.charge(NODE, 1, at(601)), Ok(()));
    }

    /// Other-trees 4.2 "arming limit": unless the window ended more than 1000 ms ago.
    #[test]
    fn a_full_window_is_forgotten_after_a_second() {
        let mut limit = limit();
        fill(&mut limit, at(1));
        assert!(limit.arming(NODE, at(1101)).is_err());
        assert_eq!(limit.arming(NODE, at(1102)), Ok(()));
    }

    /// Other-trees 4.2 "migrate limit": the window belongs to the destination.
    #[test]
    fn each_node_has_its_own_window() {
        let mut limit = limit();
        fill(&mut limit, at(1));
        assert_eq!(limit.charge(NodeId(0), 512, at(1)), Ok(()));
        assert_eq!(limit.arming(NodeId(0), at(1)), Ok(()));
    }

    #[test]
    fn an_unknown_node_is_not_limited() {
        let mut limit = limit();
        assert_eq!(limit.charge(NodeId(99), 512, at(1)), Ok(()));
        assert_eq!(limit.arming(NodeId(99), at(1)), Ok(()));
    }

    #[test]
    fn single_pages_are_charged_as_one_by_one() {
        for before in [0, FULL - 3, FULL, FULL + 1] {
            let (mut batch, mut single) = (limit(), limit());
            for _ in 0..before {
                batch.charge(NODE, 1, at(1)).unwrap();
                single.charge(NODE, 1, at(1)).unwrap();
            }
            let one_by_one = (0..9).filter(|_| single.charge(NODE, 1, at(1)).is_ok()).count();
            assert_eq!(batch.charge_singly(NODE, 9, at(1)).unwrap_or(0) as usize, one_by_one);
            assert_eq!(batch.charge(NODE, 1, at(1)), single.charge(NODE, 1, at(1)));
        }
    }

    fn fill(limit: &mut RateLimit, now: Nanos) {
        while limit.charge(NODE, 512, now).is_ok() {}
    }

    proptest! {
        /// Balancing-v9 invariant 6: pages charged to a node in one window <= 32768 + 512.
        #[test]
        fn a_window_never_takes_more_than_the_limit_and_a_huge_page(
            attempts in prop::collection::vec((0u64..2_000, prop::bool::ANY, prop::bool::ANY), 1..4_000)
        ) {
            let mut limit = limit();
            let mut now = Nanos::ZERO;
            let mut accepted: Vec<(Nanos, NodeId, u64)> = Vec::new();
            for (micros, far, huge) in attempts {
                now += Nanos::micros(micros / 8);
                let node = if far { NODE } else { NodeId(0) };
                let pages = if huge { 512 } else { 1 };
                if limit.charge(node, pages, now).is_ok() {
                    accepted.push((now, node, u64::from(pages)));
                }
            }
            // Windows as an observer reconstructs them: each begins at the first attempt more than
            // 100 ms after the one before began.
            for node in [NodeId(0), NODE] {
                let mut end = None;
                let mut sum = 0;
                for &(when, _, pages) in accepted.iter().filter(|&&(_, to, _)| to == node) {
                    if end.is_none_or(|end| when > end) {
                        end = Some(when + Nanos::millis(100));
                        sum = 0;
                    }
                    sum += pages;
                    prop_assert!(sum <= FULL + 512, "{sum} pages to {node}");
                }
            }
        }
    }
}
