//! Moves threads and pages: each act checked against the limits, written to the journal, verified to concern
//! the same task, then done, within budgets.

mod batch;
mod pages;
mod ping_pong;
mod rate;
mod threads;

use std::collections::BTreeMap;

use homenode_topology::{Bandwidth, Machine, Nanos};

use crate::journal::{FreezeHow, Journal, Store};
use crate::limits::Watermark;
use crate::{CpuMask, Identity, Kernel, TaskId};

pub use batch::Batch;
pub use pages::{PageMove, PageReport};
pub use ping_pong::{PingPong, PingPongRule};
pub use rate::Rate;
pub use threads::{MaskDebt, Placed, Placement};

/// Budgets and manners of a mover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoverOptions {
    /// The longest that one call may hold up its target; the batch size follows from it.
    pub stall: Nanos,
    /// The most that is moved in a second, of all processes together; no limit if `None`.
    pub max_rate: Option<Bandwidth>,
    /// Memory that stays free on each node.
    pub watermark: Watermark,
    /// When a region may be moved again.
    pub ping_pong: PingPongRule,
    /// Whether a target is kept from running during each call.
    pub freeze: FreezeHow,
}

impl Default for MoverOptions {
    /// 20 ms a call, no limit of the rate, nothing frozen.
    fn default() -> Self {
        Self {
            stall: Nanos::millis(20),
            max_rate: None,
            watermark: Watermark::default(),
            ping_pong: PingPongRule::default(),
            freeze: FreezeHow::Never,
        }
    }
}

/// A mover with its journal. Masks that it holds are given back by [`Mover::restore_masks`]; after a kill, by
/// [`crate::journal::undo`].
#[derive(Debug)]
pub struct Mover<'k, K, S> {
    kernel: &'k K,
    machine: Machine,
    journal: Journal<S>,
    options: MoverOptions,
    batches: BTreeMap<Identity, Batch>,
    rate: Rate,
    ping_pong: PingPong,
    masks: BTreeMap<TaskId, threads::Held>,
    frozen: BTreeMap<Identity, FreezeHow>,
}

impl<'k, K: Kernel, S: Store> Mover<'k, K, S> {
    /// A mover on a machine.
    #[must_use]
    pub fn new(
        kernel: &'k K,
        machine: Machine,
        journal: Journal<S>,
        options: MoverOptions,
    ) -> Self {
        let rate = Rate::new(options.max_rate, kernel.now());
        let ping_pong = PingPong::new(options.ping_pong);
        Self {
            kernel,
            machine,
            journal,
            options,
            batches: BTreeMap::new(),
            rate,
            ping_pong,
            masks: BTreeMap::new(),
            frozen: BTreeMap::new(),
        }
    }

    /// The mask that a thread's user gave, where this mover holds another one.
    #[must_use]
    pub fn user_mask(&self, task: TaskId) -> Option<&CpuMask> {
        self.masks.get(&task).map(|held| &held.user)
    }
}

#[cfg(test)]
mod tests;
