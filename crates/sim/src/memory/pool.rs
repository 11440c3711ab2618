//! Free pages of each node.

use homenode_topology::Machine;

/// Base pages free and in all, by node.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    free: Vec<u64>,
    capacity: Vec<u64>,
}

/// Share of a node that stays free before a page is moved there: 1/256, about the kernel's high
/// watermark on a node of 16 GiB.
const WATERMARK_SHARE: u64 = 256;

impl Pool {
    pub(crate) fn new(machine: &Machine) -> Self {
        let capacity: Vec<u64> = machine.nodes.iter().map(|node| node.memory.0 / 4096).collect();
        Self { free: capacity.clone(), capacity }
    }

    /// Free base pages.
    pub(crate) fn free(&self, node: usize) -> u64 {
        self.free[node]
    }

    /// Free base pages above the high watermark.
    pub(crate) fn above_watermark(&self, node: usize) -> u64 {
        self.free[node].saturating_sub(self.capacity[node] / WATERMARK_SHARE)
    }

    /// Takes base pages; false, and nothing taken, if the node has fewer.
    pub(crate) fn take(&mut self, node: usize, pages: u64) -> bool {
        let enough = self.free[node] >= pages;
        if enough {
            self.free[node] -= pages;
        }
        enough
    }

    /// Gives base pages back.
    pub(crate) fn give(&mut self, node: usize, pages: u64) {
        self.free[node] += pages;
    }

    /// Base pages in use.
    pub(crate) fn used(&self, node: usize) -> u64 {
        self.capacity[node] - self.free[node]
    }
}
