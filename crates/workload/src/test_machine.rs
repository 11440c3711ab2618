//! Small machines for tests.

use homenode_topology::{
    Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, Machine, Node, NodeId, SocketId,
};
use proptest::prelude::*;

/// A machine of `(node, its CPUs, GiB of memory)`, no SMT.
pub(crate) fn machine(nodes: &[(u16, std::ops::Range<u32>, u64)]) -> Machine {
    let mut machine = Machine {
        name: "test".to_owned(),
        nodes: Vec::new(),
        cpus: Vec::new(),
        offline: CpuMask::new(),
        distances: Distances::new(),
        performance: None,
    };
    for (id, cpus, gib) in nodes {
        let mask: CpuMask = cpus.clone().map(CpuId).collect();
        machine.cpus.extend(cpus.clone().map(|cpu| Cpu {
            id: CpuId(cpu),
            node: Some(NodeId(*id)),
            core: CoreId(cpu),
            socket: SocketId(*id),
            llc: mask.clone(),
        }));
        machine.nodes.push(Node {
            id: NodeId(*id),
            cpus: mask,
            memory: Bytes::gib(*gib),
            llc: Bytes::ZERO,
        });
    }
    machine
}

/// Four nodes of twelve CPUs and 16 GiB, as the machine of most published tables.
pub(crate) fn r810() -> Machine {
    machine(&[(0, 0..12, 16), (1, 12..24, 16), (2, 24..36, 16), (3, 36..48, 16)])
}

/// Four nodes of eight CPUs and 16 GiB.
pub(crate) fn opteron() -> Machine {
    machine(&[(0, 0..8, 16), (1, 8..16, 16), (2, 16..24, 16), (3, 24..32, 16)])
}

/// Machines of up to nine nodes with gapped node and CPU numbers; any node may lack CPUs, all but the
/// first may lack memory.
pub(crate) fn any() -> impl Strategy<Value = Machine> {
    let node = (1_u16..4, 0_u32..9, 0_u32..3, prop_oneof![Just(0_u64), 8_u64..32]);
    (1_u32..9, prop::collection::vec(node, 0..9)).prop_map(|(cpus, rest)| {
        let mut nodes = vec![(0, 0..cpus, 8)];
        let (mut id, mut cpu) = (0, cpus);
        for (step, cpus, gap, gib) in rest {
            id += step;
            nodes.push((id, cpu + gap..cpu + gap + cpus, gib));
            cpu += gap + cpus;
        }
        machine(&nodes)
    })
}
