//! Node distances, directed: from the node of a CPU to the node of the memory.

use alloc::collections::BTreeMap;
use serde::{Deserialize, Serialize};

use crate::NodeId;

/// Distance of a node to itself in the firmware's table.
pub const LOCAL_DISTANCE: u16 = 10;
/// Distance the kernel assumes between two nodes when the firmware has no table.
pub const REMOTE_DISTANCE: u16 = 20;

/// A directed distance for each ordered pair of nodes; 10 means local.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distances {
    rows: BTreeMap<NodeId, BTreeMap<NodeId, u16>>,
}

impl Distances {
    /// No distances; every pair has the kernel's default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// States the distance from CPUs on `from` to memory on `to`.
    pub fn set(&mut self, from: NodeId, to: NodeId, distance: u16) {
        self.rows.entry(from).or_default().insert(to, distance);
    }

    /// Distance from CPUs on `from` to memory on `to`: as stated, else 10 for the node itself and 20
    /// for any other.
    #[must_use]
    pub fn get(&self, from: NodeId, to: NodeId) -> u16 {
        let default = if from == to { LOCAL_DISTANCE } else { REMOTE_DISTANCE };
        self.rows.get(&from).and_then(|row| row.get(&to)).copied().unwrap_or(default)
    }

    /// Whether any pair differs from its reverse.
    #[must_use]
    pub fn is_asymmetric(&self) -> bool {
        self.rows
            .iter()
            .any(|(&from, row)| row.keys().any(|&to| self.get(from, to) != self.get(to, from)))
    }
}
