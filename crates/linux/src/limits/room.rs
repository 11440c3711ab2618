//! How much may still be moved to each node.

use std::collections::BTreeMap;

use super::Refusal;
use crate::procfs::read_node_memory;
use crate::{Bytes, Errno, Error, Kernel, NodeId};

/// Memory that stays free on each node, so that a move is never what starts reclaim there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermark {
    /// Share of the node's memory, per mille.
    pub per_mille: u64,
    /// At least so much.
    pub least: Bytes,
}

impl Default for Watermark {
    /// 2 % and at least 16 MiB; the kernel's own watermarks are below 1 % on nodes of some GiB.
    fn default() -> Self {
        Self { per_mille: 20, least: Bytes::mib(16) }
    }
}

/// Free memory of nodes, read when a node is first asked about and counted down from there.
#[derive(Clone, Debug, Default)]
pub struct Room {
    watermark: Watermark,
    nodes: BTreeMap<NodeId, NodeRoom>,
}

#[derive(Clone, Copy, Debug)]
struct NodeRoom {
    free: Bytes,
    keep: Bytes,
}

impl Room {
    /// Room above a watermark; what is free is read again for each new `Room`.
    #[must_use]
    pub fn above(watermark: Watermark) -> Self {
        Self { watermark, nodes: BTreeMap::new() }
    }

    /// Takes memory of a node.
    ///
    /// # Errors
    /// The node would fall below the watermark, or its memory cannot be read.
    pub fn take(
        &mut self,
        kernel: &impl Kernel,
        node: NodeId,
        wanted: Bytes,
    ) -> Result<(), Refusal> {
        let room = match self.nodes.get_mut(&node) {
            Some(room) => room,
            None => {
                let read = read_room(kernel, node, self.watermark)?;
                self.nodes.entry(node).or_insert(read)
            }
        };
        let left = room.free.0.checked_sub(wanted.0).map(Bytes);
        match left.filter(|&left| left >= room.keep) {
            Some(left) => {
                room.free = left;
                Ok(())
            }
            None => Err(Refusal::NodeFull { node, free: room.free, keep: room.keep, wanted }),
        }
    }

    /// Gives back what was taken for pages that did not move there.
    pub fn give_back(&mut self, node: NodeId, size: Bytes) {
        if let Some(room) = self.nodes.get_mut(&node) {
            room.free = Bytes(room.free.0.saturating_add(size.0));
        }
    }
}

fn read_room(
    kernel: &impl Kernel,
    node: NodeId,
    watermark: Watermark,
) -> Result<NodeRoom, Refusal> {
    let unreadable = |error: &Error| Refusal::Unreadable {
        path: format!("sys/devices/system/node/node{}/meminfo", node.0),
        errno: error.errno().unwrap_or(Errno::EIO),
    };
    let memory = read_node_memory(kernel, node).map_err(|error| unreadable(&error))?.value;
    let (Some(free), Some(total)) = (memory.free, memory.total) else {
        return Err(Refusal::Unreadable {
            path: format!("sys/devices/system/node/node{}/meminfo", node.0),
            errno: Errno::EIO,
        });
    };
    let share = Bytes(total.0 / 1000 * watermark.per_mille);
    Ok(NodeRoom { free, keep: share.max(watermark.least) })
}
