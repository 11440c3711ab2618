//! A host of which a test sets every figure.

use alloc::string::String;
use alloc::vec::Vec;
use homenode_topology::{
    Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, Machine, Nanos, Node, NodeId, SocketId,
};

use crate::{PageRange, Placement, TaskId, TaskView, View};

/// CPUs of each node of [`machine`].
pub(crate) const CPUS_PER_NODE: u32 = 2;

/// A machine with these nodes, in ascending order: the first has CPUs 0 and 1, the next 2 and 3, …
pub(crate) fn machine(nodes: &[u16]) -> Machine {
    let first_cpu = |position: usize| position as u32 * CPUS_PER_NODE;
    let cpus_of = |position: usize| (first_cpu(position)..).take(CPUS_PER_NODE as usize).map(CpuId);
    Machine {
        name: String::from("fake"),
        nodes: (0..)
            .zip(nodes)
            .map(|(position, &id)| Node {
                id: NodeId(id),
                cpus: cpus_of(position).collect(),
                memory: Bytes::gib(16),
                llc: Bytes::mib(18),
            })
            .collect(),
        cpus: (0..)
            .zip(nodes)
            .flat_map(|(position, &id)| {
                cpus_of(position).map(move |cpu| Cpu {
                    id: cpu,
                    node: Some(NodeId(id)),
                    core: CoreId(cpu.0),
                    socket: SocketId(id),
                    llc: cpus_of(position).collect(),
                })
            })
            .collect(),
        offline: CpuMask::new(),
        distances: Distances::new(),
        performance: None,
    }
}

/// The state of such a host; tasks are numbered by their place in the list.
pub(crate) struct FakeView {
    pub(crate) machine: Machine,
    pub(crate) now: Nanos,
    pub(crate) tasks: Vec<TaskView>,
    pub(crate) allowed: CpuMask,
    /// Of every node.
    pub(crate) free: u64,
    /// Of every page.
    pub(crate) placement: Placement,
}

impl FakeView {
    /// An idle host with plenty of memory.
    pub(crate) fn new(nodes: &[u16]) -> Self {
        let machine = machine(nodes);
        Self {
            allowed: machine.online(),
            machine,
            now: Nanos::ZERO,
            tasks: Vec::new(),
            free: 1 << 22,
            placement: Placement::FollowsUse,
        }
    }
}

impl View for FakeView {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn node_of(&self, cpu: CpuId) -> NodeId {
        self.machine.cpu(cpu).and_then(|cpu| cpu.node).unwrap()
    }

    fn task(&self, task: TaskId) -> TaskView {
        self.tasks[task.index()]
    }

    fn allowed(&self, _task: TaskId) -> &CpuMask {
        &self.allowed
    }

    fn free_pages(&self, _node: NodeId) -> u64 {
        self.free
    }

    fn placement(&self, _task: TaskId, _range: &PageRange) -> Placement {
        self.placement
    }
}
