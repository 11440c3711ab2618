//! One process: its threads, its CPU time and its memory by node.

use std::collections::BTreeMap;

use homenode_linux::placement::by_node;
use homenode_linux::procfs::{
    TaskStat, read_numa_maps, read_smaps_rollup, read_stat, read_task_sched, read_task_stat,
    threads,
};
use homenode_linux::{Error, Files, Pid, Tid};
use homenode_topology::{Bytes, CpuId, NodeId};
use serde::Serialize;

use super::{Balancer, Judgement, Place, ThreadBalancer};

/// Milliseconds of a clock tick of `/proc`: `USER_HZ` is 100 on every architecture with NUMA.
const TICK_MS: u64 = 10;

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What takes one walk of the page tables.
    Overview,
    /// Also what takes a second one: transparent huge pages.
    Full,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// Its name.
    pub name: String,
    /// Threads that it has; those that could be read are in `threads`.
    pub thread_count: u32,
    /// CPU time of the threads since each was started, milliseconds.
    pub cpu_ms: u64,
    /// What it uses on each node.
    pub nodes: Vec<NodeUse>,
    /// Part of its own memory in transparent huge pages, all nodes together; the kernel does not tell on which.
    pub transparent_huge_bytes: Option<Bytes>,
    /// Parts in 10,000 of its accesses that would be local if each thread used all memory alike: by placement.
    pub local_by_placement_bp: Option<u32>,
    /// What the kernel's balancer did to it, where the kernel tells.
    pub balancer: Option<Balancer>,
    /// Whether memory and threads fit.
    pub judgement: Judgement,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// What could not be read, and what is missing for it.
    pub missing: Vec<String>,
}

/// What a process uses on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeUse {
    /// The node.
    pub node: NodeId,
    /// CPU time of the threads that ran there last, milliseconds: all their time, wherever they spent it.
    pub cpu_ms: u64,
    /// Memory of its own in pages of the base size, transparent huge pages included.
    pub own_bytes: Bytes,
    /// hugetlb pages.
    pub hugetlb_bytes: Bytes,
    /// File and shared memory that other processes map too.
    pub shared_bytes: Bytes,
    /// Part of all this in mappings whose nodes the program chose.
    pub bound_bytes: Bytes,
}

impl NodeUse {
    /// Memory that is its alone.
    #[must_use]
    pub fn private(&self) -> Bytes {
        Bytes(self.own_bytes.0.saturating_add(self.hugetlb_bytes.0))
    }

    fn none(node: NodeId) -> Self {
        let zero = Bytes::ZERO;
        Self {
            node,
            cpu_ms: 0,
            own_bytes: zero,
            hugetlb_bytes: zero,
            shared_bytes: zero,
            bound_bytes: zero,
        }
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Its number.
    pub tid: Tid,
    /// Its name.
    pub name: String,
    /// State letter of the kernel.
    pub state: char,
    /// CPU it last ran on.
    pub cpu: Option<CpuId>,
    /// Node of that CPU.
    pub node: Option<NodeId>,
    /// CPU time since it was started, milliseconds.
    pub cpu_ms: u64,
    /// What the kernel's balancer did to it.
    pub balancer: Option<ThreadBalancer>,
}

impl Process {
    /// Reads a process. What may not be read is named in `missing`.
    ///
    /// # Errors
    /// There is no such process, or its `stat` is damaged.
    pub fn read(files: &impl Files, place: &Place, pid: Pid, depth: Depth) -> Result<Self, Error> {
        let stat = read_stat(files, pid)?;
        let mut nodes: BTreeMap<NodeId, NodeUse> =
            place.nodes().iter().map(|&node| (node, NodeUse::none(node))).collect();
        let mut missing = Vec::new();
        let (threads, balancer) = read_threads(files, place, pid);
        for thread in &threads {
            if let Some(node) = thread.node {
                let used = nodes.entry(node).or_insert_with(|| NodeUse::none(node));
                used.cpu_ms = used.cpu_ms.saturating_add(thread.cpu_ms);
            }
        }
        let mut memory_known = true;
        if !stat.is_kernel_thread() {
            memory_known = add_memory(files, pid, &mut nodes, &mut missing);
        }
        let nodes: Vec<NodeUse> = nodes.into_values().collect();
        let transparent = (depth == Depth::Full && memory_known).then(|| {
            let rollup = read_smaps_rollup(files, pid).ok()?.value;
            rollup.anonymous_huge
        });
        let cpu_ms = threads.iter().map(|thread| thread.cpu_ms).sum();
        let count = u32::try_from(threads.len()).unwrap_or(u32::MAX);
        Ok(Self {
            pid,
            cpu_ms,
            judgement: Judgement::of(&nodes, place, &stat, memory_known),
            local_by_placement_bp: local(&nodes),
            nodes,
            transparent_huge_bytes: transparent.flatten(),
            balancer,
            thread_count: stat.threads.unwrap_or(count).max(count),
            name: stat.comm,
            threads,
            missing,
        })
    }

    /// Resident memory, all nodes together.
    #[must_use]
    pub fn resident(&self) -> Bytes {
        let sum = |sum: u64, node: &NodeUse| {
            sum.saturating_add(node.private().0).saturating_add(node.shared_bytes.0)
        };
        Bytes(self.nodes.iter().fold(0, sum))
    }
}

/// Threads that still live when they are looked at.
fn read_threads(files: &impl Files, place: &Place, pid: Pid) -> (Vec<Thread>, Option<Balancer>) {
    let mut balancer: Option<Balancer> = None;
    let mut found = Vec::new();
    for tid in threads(files, pid).unwrap_or_default() {
        let Ok(stat) = read_task_stat(files, pid, tid) else { continue };
        let sched = read_task_sched(files, pid, tid).map(|parsed| parsed.value).unwrap_or_default();
        let own = ThreadBalancer::of(&sched);
        if let Some(own) = &own {
            balancer.get_or_insert_default().add(sched.scan_sequence, own);
        }
        found.push(thread(tid, stat, place, own));
    }
    (found, balancer)
}

fn thread(tid: Tid, stat: TaskStat, place: &Place, balancer: Option<ThreadBalancer>) -> Thread {
    Thread {
        tid,
        cpu_ms: stat.cpu_ticks().unwrap_or(0).saturating_mul(TICK_MS),
        name: stat.comm,
        state: stat.state,
        cpu: stat.cpu,
        node: stat.cpu.and_then(|cpu| place.node(cpu)),
        balancer,
    }
}

/// Adds memory by node; whether it could be read.
fn add_memory(
    files: &impl Files,
    pid: Pid,
    nodes: &mut BTreeMap<NodeId, NodeUse>,
    missing: &mut Vec<String>,
) -> bool {
    let vmas = match read_numa_maps(files, pid) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let permission =
                matches!(error.errno(), Some(errno) if crate::exit::is_permission(errno));
            let help = if permission {
                ": run as the owner of the process, or with CAP_SYS_PTRACE"
            } else {
                ""
            };
            missing.push(format!("memory by node: {error}{help}"));
            return false;
        }
    };
    for (node, share) in by_node(&vmas) {
        let used = nodes.entry(node).or_insert_with(|| NodeUse::none(node));
        used.own_bytes = share.private;
        used.hugetlb_bytes = share.hugetlb;
        used.shared_bytes = share.shared;
        used.bound_bytes = share.bound;
    }
    true
}

/// The chance that a random access of a random moment of CPU time is local, in parts of 10,000.
fn local(nodes: &[NodeUse]) -> Option<u32> {
    let memory: u128 = nodes.iter().map(|node| u128::from(node.private().0)).sum();
    let cpu: u128 = nodes.iter().map(|node| u128::from(node.cpu_ms)).sum();
    let both = nodes.iter().try_fold(0u128, |sum, node| {
        sum.checked_add(u128::from(node.private().0) * u128::from(node.cpu_ms))
    })?;
    // Only absurd files overflow.
    let whole = memory.checked_mul(cpu).filter(|&whole| whole > 0)?;
    u32::try_from(both.checked_mul(10_000)? / whole).ok()
}
