//! Where CPUs are.

use std::collections::BTreeMap;

use homenode_topology::{CpuId, Machine, NodeId};

/// The nodes of a machine and the node of each CPU.
#[derive(Clone, Debug)]
pub struct Place {
    nodes: Vec<NodeId>,
    of_cpu: BTreeMap<CpuId, NodeId>,
}

impl Place {
    /// Of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let of_cpu =
            machine.nodes.iter().flat_map(|node| node.cpus.iter().map(|cpu| (cpu, node.id)));
        Self { nodes: machine.nodes.iter().map(|node| node.id).collect(), of_cpu: of_cpu.collect() }
    }

    /// All nodes, in ascending order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The node of a CPU, where it has one.
    #[must_use]
    pub fn node(&self, cpu: CpuId) -> Option<NodeId> {
        self.of_cpu.get(&cpu).copied()
    }
}
