//! Dense numbering of nodes and CPUs.
//!
//! Kernel ids have gaps; the simulator's tables do not. A *slot* is the position of a node or CPU in
//! the machine's sorted lists.

use homenode_topology::{CpuId, CpuMask, Machine, NodeId, NodeMask};

/// Positions and neighbourhoods of nodes and CPUs.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Node ids by slot.
    pub(crate) nodes: Vec<NodeId>,
    /// CPU ids by slot.
    pub(crate) cpus: Vec<CpuId>,
    /// Node slot of each CPU. CPUs that firmware gives no node count to the first node with memory.
    pub(crate) node_of: Vec<usize>,
    /// CPUs of each node.
    pub(crate) cpus_of: Vec<Vec<usize>>,
    /// CPUs that share a core with each CPU, itself included.
    pub(crate) siblings: Vec<Vec<usize>>,
    /// For each node, the nodes with memory, nearest first (the zonelist); ties by slot.
    pub(crate) zonelist: Vec<Vec<usize>>,
    node_slots: Vec<Option<usize>>,
    cpu_slots: Vec<Option<usize>>,
}

impl Layout {
    pub(crate) fn new(machine: &Machine) -> Self {
        let nodes: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
        let cpus: Vec<CpuId> = machine.cpus.iter().map(|cpu| cpu.id).collect();
        let node_slots = inverse(nodes.iter().map(|id| id.index()));
        let cpu_slots = inverse(cpus.iter().map(|id| id.index()));
        let with_memory: Vec<usize> =
            (0..nodes.len()).filter(|&slot| machine.nodes[slot].memory.0 > 0).collect();
        let default = with_memory.first().copied().unwrap_or(0);
        let node_of: Vec<usize> = machine
            .cpus
            .iter()
            .map(|cpu| cpu.node.and_then(|id| *node_slots.get(id.index())?).unwrap_or(default))
            .collect();
        let cpus_of = (0..nodes.len())
            .map(|node| (0..cpus.len()).filter(|&cpu| node_of[cpu] == node).collect())
            .collect();
        let siblings = machine
            .cpus
            .iter()
            .map(|cpu| {
                let same = |&other: &usize| machine.cpus[other].core == cpu.core;
                (0..cpus.len()).filter(same).collect()
            })
            .collect();
        let zonelist = nodes
            .iter()
            .map(|&from| {
                let mut near = with_memory.clone();
                near.sort_by_key(|&to| (machine.distances.get(from, nodes[to]), to));
                near
            })
            .collect();
        Self { nodes, cpus, node_of, cpus_of, siblings, zonelist, node_slots, cpu_slots }
    }

    /// Slot of a node, if the machine has it.
    pub(crate) fn node_slot(&self, id: NodeId) -> Option<usize> {
        self.node_slots.get(id.index()).copied().flatten()
    }

    /// Slot of a CPU, if the machine has it online.
    pub(crate) fn cpu_slot(&self, id: CpuId) -> Option<usize> {
        self.cpu_slots.get(id.index()).copied().flatten()
    }

    /// CPUs of a set of nodes.
    pub(crate) fn cpus_on(&self, nodes: &NodeMask) -> CpuMask {
        let on = |&(cpu, _): &(usize, &CpuId)| nodes.contains(self.nodes[self.node_of[cpu]]);
        self.cpus.iter().enumerate().filter(on).map(|(_, &id)| id).collect()
    }
}

fn inverse(ids: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
    let mut slots = Vec::new();
    for (slot, id) in ids.enumerate() {
        if slots.len() <= id {
            slots.resize(id + 1, None);
        }
        slots[id] = Some(slot);
    }
    slots
}
