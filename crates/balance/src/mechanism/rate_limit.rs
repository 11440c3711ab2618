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
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Window {
    end: Nanos,
    pages: u64,
}

impl RateLimit {
    /// Empty windows for the nodes of a machine, whatever gaps their ids have.
    #[must_use]
    pub fn new(limit: Limit, machine: &Machine) -> Self {
        let highest = machine.nodes.iter().map(|node| node.id.index()).max();
        Self { limit, windows: vec![Window::default(); highest.map_or(0, |id| id + 1)] }
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
        let Some(window) = self.windows.get_mut(node.index()) else { return Ok(()) };
        if now > window.end {
            *window = Window { end: now + self.limit.window, pages: 0 };
        }
        if window.pages > self.limit.pages {
            return Err(window.pages);
        }
        window.pages += u64::from(pages);
        Ok(())
    }

    /// Whether a scan on `node` may arm pages.
    ///
    /// # Errors
    /// The pages counted in the node's last window, when they keep it from arming.
    pub fn arming(&self, node: NodeId, now: Nanos) -> Result<(), u64> {
        match self.windows.get(node.index()) {
            Some(window)
                if window.pages >= self.limit.pages && now <= window.end + self.limit.memory =>
            {
                Err(window.pages)
            }
            _ => Ok(()),
        }
    }
}
