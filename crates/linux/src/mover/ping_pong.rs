//! Keeps memory from going to and fro.

use std::collections::BTreeMap;

use homenode_topology::{HUGE_PAGE, Nanos, NodeId};

use crate::Identity;
use crate::limits::Refusal;

/// When a 2 MiB region may be sent to another node again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingPongRule {
    /// Rest after the first move; doubles with each further one.
    pub cool_down: Nanos,
    /// A region that rested so long counts as never moved.
    pub forget: Nanos,
}

impl Default for PingPongRule {
    /// 5 s, forgotten after 5 minutes.
    fn default() -> Self {
        Self { cool_down: Nanos::secs(5), forget: Nanos::secs(300) }
    }
}

/// Moves of each region.
#[derive(Clone, Debug)]
pub struct PingPong {
    rule: PingPongRule,
    regions: BTreeMap<(Identity, u64), History>,
}

#[derive(Clone, Copy, Debug)]
struct History {
    to: NodeId,
    moves: u32,
    last: Nanos,
}

impl PingPong {
    /// No move yet.
    #[must_use]
    pub fn new(rule: PingPongRule) -> Self {
        Self { rule, regions: BTreeMap::new() }
    }

    fn region(address: u64) -> u64 {
        address - address % HUGE_PAGE.0
    }

    fn rest(&self, moves: u32) -> Nanos {
        let doubled = 1u64.checked_shl(moves.saturating_sub(1)).unwrap_or(u64::MAX);
        Nanos(self.rule.cool_down.0.saturating_mul(doubled).min(self.rule.forget.0))
    }

    /// Whether the region of an address may go to a node now. More pages of a region may follow to the node it
    /// was sent to at any time.
    ///
    /// # Errors
    /// It rests.
    pub fn check(
        &self,
        process: Identity,
        address: u64,
        to: NodeId,
        now: Nanos,
    ) -> Result<(), Refusal> {
        let region = Self::region(address);
        let Some(history) = self.regions.get(&(process, region)) else { return Ok(()) };
        let since = now.saturating_sub(history.last);
        let remaining = self.rest(history.moves).saturating_sub(since);
        if history.to == to || remaining == Nanos::ZERO {
            return Ok(());
        }
        Err(Refusal::CoolingDown { region, moves: history.moves, remaining })
    }

    /// Notes that pages of a region went to a node.
    pub fn moved(&mut self, process: Identity, address: u64, to: NodeId, now: Nanos) {
        let forget = self.rule.forget;
        let history = self.regions.entry((process, Self::region(address))).or_insert(History {
            to,
            moves: 0,
            last: now,
        });
        if now.saturating_sub(history.last) >= forget {
            history.moves = 0;
        }
        if history.moves == 0 || history.to != to {
            history.moves = history.moves.saturating_add(1);
        }
        (history.to, history.last) = (to, now);
    }

    /// Drops what is forgotten anyway.
    pub fn prune(&mut self, now: Nanos) {
        let forget = self.rule.forget;
        self.regions.retain(|_, history| now.saturating_sub(history.last) < forget);
    }
}
