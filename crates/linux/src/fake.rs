//! A kernel in memory, for tests of everything above the system calls: processes with threads, mappings and
//! pages on nodes, the files that tell of them, and errors on demand.

mod calls;
mod files;
mod injection;
mod process;

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;

use homenode_topology::{CoreId, Cpu, Distances, Machine, Node, SocketId};

use crate::{Bytes, CpuId, CpuMask, Nanos, NodeId, NodeMask, Pid, Tid};

pub use injection::{Chaos, Injection};
pub use process::{FakeProcess, FakeThread, FakeVma};

use calls::OpenRing;

/// A node of the fake machine.
#[derive(Clone, Debug)]
pub struct FakeNode {
    /// Its CPUs.
    pub cpus: CpuMask,
    /// Memory present.
    pub total: Bytes,
    /// Memory free.
    pub free: Bytes,
}

/// Something that was done to a process, for tests to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A page changed its node.
    Page {
        /// Process.
        pid: Pid,
        /// Start time of the process at that moment.
        start: u64,
        /// Address as given.
        address: u64,
        /// Node before.
        from: NodeId,
        /// Node after.
        to: NodeId,
    },
    /// A thread's mask was set.
    Mask {
        /// Thread.
        tid: Tid,
        /// Start time of the thread at that moment.
        start: u64,
    },
    /// A process was stopped or continued.
    Signal {
        /// Process.
        pid: Pid,
        /// Start time of the process at that moment.
        start: u64,
        /// Whether it was stopped.
        stop: bool,
    },
}

/// Everything the fake kernel knows. Tests change it at will.
#[derive(Debug)]
pub struct State {
    /// Nodes.
    pub nodes: BTreeMap<NodeId, FakeNode>,
    /// Processes.
    pub processes: BTreeMap<Pid, FakeProcess>,
    /// Files besides those that tell of processes and nodes, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The clock.
    pub now: Nanos,
    /// Time that a call takes, for each page moved.
    pub page_cost: Nanos,
    /// Errors to come.
    pub injection: Injection,
    /// What was done so far.
    pub acts: Vec<Act>,
    /// Whether writes to clean pages fault after `clear_refs`.
    pub soft_dirty: bool,
    rings: Vec<OpenRing>,
}

/// The kernel. All methods take it by shared reference, as the real one.
#[derive(Debug)]
pub struct FakeKernel(RefCell<State>);

impl FakeKernel {
    /// A machine of `nodes` nodes with `cpus` CPUs and `memory` each; nothing runs on it.
    #[must_use]
    pub fn new(nodes: u16, cpus: u32, memory: Bytes) -> Self {
        let node = |id: u16| {
            let first = u32::from(id) * cpus;
            let cpus = (first..first + cpus).map(CpuId).collect();
            (NodeId(id), FakeNode { cpus, total: memory, free: memory })
        };
        let text = |path: &str, content: &str| (path.to_string(), content.as_bytes().to_vec());
        Self(RefCell::new(State {
            nodes: (0..nodes).map(node).collect(),
            processes: BTreeMap::new(),
            files: BTreeMap::from([
                text("proc/version", "Linux version 6.12.0-fake (x)"),
                text("proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n"),
                text("proc/sys/kernel/numa_balancing", "0\n"),
                text("proc/sys/kernel/perf_event_paranoid", "2\n"),
                text("proc/sys/vm/max_map_count", "65530\n"),
            ]),
            now: Nanos::secs(1),
            page_cost: Nanos::micros(1),
            injection: Injection::default(),
            acts: Vec::new(),
            soft_dirty: true,
            rings: Vec::new(),
        }))
    }

    /// The state, to read or change it.
    ///
    /// # Panics
    /// If it is borrowed already.
    pub fn state(&self) -> RefMut<'_, State> {
        self.0.borrow_mut()
    }
}

impl State {
    /// All nodes.
    #[must_use]
    pub fn node_mask(&self) -> NodeMask {
        self.nodes.keys().copied().collect()
    }

    /// All CPUs.
    #[must_use]
    pub fn cpu_mask(&self) -> CpuMask {
        self.nodes.values().flat_map(|node| node.cpus.iter()).collect()
    }

    /// The machine as `homenode-topology` describes it: one core a CPU, one socket a node.
    #[must_use]
    pub fn machine(&self) -> Machine {
        let cpu = |id: CpuId| {
            let node = self.node_of(id);
            let llc = node.and_then(|node| self.nodes.get(&node)).map(|node| node.cpus.clone());
            Cpu {
                id,
                node,
                core: CoreId(id.0),
                socket: SocketId(node.map_or(0, |node| node.0)),
                llc: llc.unwrap_or_default(),
            }
        };
        let node = |(&id, node): (&NodeId, &FakeNode)| Node {
            id,
            cpus: node.cpus.clone(),
            memory: node.total,
            llc: Bytes::ZERO,
        };
        Machine {
            name: "fake".into(),
            nodes: self.nodes.iter().map(node).collect(),
            cpus: self.cpu_mask().iter().map(cpu).collect(),
            offline: CpuMask::new(),
            distances: Distances::new(),
            performance: None,
        }
    }

    /// The node of a CPU.
    #[must_use]
    pub fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.nodes.iter().find(|(_, node)| node.cpus.contains(cpu)).map(|(&id, _)| id)
    }

    /// The process that a thread belongs to.
    #[must_use]
    pub fn process_of(&self, tid: Tid) -> Option<Pid> {
        self.processes
            .iter()
            .find(|(_, process)| process.threads.contains_key(&tid))
            .map(|(&pid, _)| pid)
    }

    /// A fresh process with threads numbered from its own number on, all on CPU 0 and free to run anywhere.
    pub fn spawn(&mut self, pid: Pid, threads: i32, start: u64) -> &mut FakeProcess {
        let (cpus, mems) = (self.cpu_mask(), self.node_mask());
        let process = FakeProcess::new(pid, threads, start, cpus, mems);
        self.processes.entry(pid).insert_entry(process).into_mut()
    }
}
