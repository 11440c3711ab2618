//! A machine: its nodes, CPUs and distances, with the performance figures where they are known.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::{Bytes, CoreId, CpuId, CpuMask, Distances, NodeId, NodeMask, Performance, SocketId};

/// One logical CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Kernel number.
    pub id: CpuId,
    /// The node it belongs to; firmware may leave this out.
    pub node: Option<NodeId>,
    /// Physical core; SMT siblings share it.
    pub core: CoreId,
    /// Package.
    pub socket: SocketId,
    /// CPUs that share the last-level cache with it, itself included.
    pub llc: CpuMask,
}

/// One node: any of its CPUs and memory may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Kernel number.
    pub id: NodeId,
    /// Online CPUs of the node.
    pub cpus: CpuMask,
    /// Memory present.
    pub memory: Bytes,
    /// Size of the last-level cache that serves the node's CPUs (of one of them, the largest, if there are
    /// several), zero if unknown.
    pub llc: Bytes,
}

/// A machine as software sees it. Nodes and CPUs are sorted by id; only online CPUs are listed.
///
/// As JSON (serde), with ids as bare numbers, sizes in bytes, sets in the kernel's list syntax, and
/// distances as rows by the node of the CPU:
///
/// ```json
/// {
///   "name": "nodes=1",
///   "nodes": [{"id": 0, "cpus": "0", "memory": 17179869184, "llc": 16777216}],
///   "cpus": [{"id": 0, "node": 0, "core": 0, "socket": 0, "llc": "0"}],
///   "offline": "",
///   "distances": {"rows": {"0": {"0": 10}}},
///   "performance": null
/// }
/// ```
///
/// `node` is null for a CPU of no node. `performance`, where it is known, is an object of the fields of
/// [`Performance`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the preset, or where the description came from.
    pub name: String,
    /// Nodes in ascending order of id.
    pub nodes: Vec<Node>,
    /// Online CPUs in ascending order of id.
    pub cpus: Vec<Cpu>,
    /// CPUs that exist but are offline.
    pub offline: CpuMask,
    /// Directed node distances.
    pub distances: Distances,
    /// Speeds and latencies, needed to simulate the machine.
    pub performance: Option<Performance>,
}

impl Machine {
    /// The node with this id.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.binary_search_by_key(&id, |node| node.id).ok().map(|i| &self.nodes[i])
    }

    /// The online CPU with this id.
    #[must_use]
    pub fn cpu(&self, id: CpuId) -> Option<&Cpu> {
        self.cpus.binary_search_by_key(&id, |cpu| cpu.id).ok().map(|i| &self.cpus[i])
    }

    /// Nodes that have memory.
    #[must_use]
    pub fn memory_nodes(&self) -> NodeMask {
        self.nodes.iter().filter(|node| node.memory > Bytes::ZERO).map(|node| node.id).collect()
    }

    /// Nodes that have online CPUs.
    #[must_use]
    pub fn cpu_nodes(&self) -> NodeMask {
        self.nodes.iter().filter(|node| !node.cpus.is_empty()).map(|node| node.id).collect()
    }

    /// All online CPUs.
    #[must_use]
    pub fn online(&self) -> CpuMask {
        self.cpus.iter().map(|cpu| cpu.id).collect()
    }

    /// Memory of all nodes together.
    #[must_use]
    pub fn memory(&self) -> Bytes {
        self.nodes.iter().map(|node| node.memory).sum()
    }
}

#[cfg(test)]
mod tests;
