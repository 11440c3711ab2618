//! A process of the fake kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::{CpuId, CpuMask, NodeId, NodeMask, Pid, Tid};

const PAGE: u64 = 4096;
const HUGE: u64 = 2 << 20;

/// A thread.
#[derive(Clone, Debug)]
pub struct FakeThread {
    /// Start time, ticks.
    pub start: u64,
    /// Its own affinity.
    pub mask: CpuMask,
    /// Where it runs.
    pub cpu: CpuId,
}

/// A mapping.
#[derive(Clone, Debug)]
pub struct FakeVma {
    /// Addresses.
    pub range: Range<u64>,
    /// Policy as `numa_maps` spells it.
    pub policy: String,
    /// Whether it is locked.
    pub locked: bool,
    /// Processes that map each page.
    pub mappers: u64,
    /// Whether it consists of transparent huge pages.
    pub huge: bool,
}

impl FakeVma {
    /// Anonymous memory of small pages, free to move.
    #[must_use]
    pub fn anonymous(range: Range<u64>) -> Self {
        Self { range, policy: "default".into(), locked: false, mappers: 1, huge: false }
    }
}

/// A process.
#[derive(Clone, Debug)]
pub struct FakeProcess {
    /// Start time, ticks.
    pub start: u64,
    /// Name.
    pub comm: String,
    /// Threads.
    pub threads: BTreeMap<Tid, FakeThread>,
    /// Mappings in ascending order.
    pub vmas: Vec<FakeVma>,
    /// Node of each page present, by the address of its start.
    pub pages: BTreeMap<u64, NodeId>,
    /// Pages that were not written to since the last `clear_refs`.
    pub clean: BTreeSet<u64>,
    /// CPUs of its cpuset.
    pub cpus: CpuMask,
    /// Nodes of its cpuset.
    pub mems: NodeMask,
    /// Whether it is stopped.
    pub stopped: bool,
    /// Bottom of its stack.
    pub stack: u64,
    /// Whether it belongs to another user, so that nothing is permitted.
    pub foreign: bool,
    /// How often `clear_refs` was written.
    pub clears: u64,
}

impl FakeProcess {
    pub(super) fn new(pid: Pid, threads: i32, start: u64, cpus: CpuMask, mems: NodeMask) -> Self {
        let thread = FakeThread { start, mask: cpus.clone(), cpu: CpuId(0) };
        Self {
            start,
            comm: "fake".into(),
            threads: (0..threads).map(|n| (Tid(pid.0 + n), thread.clone())).collect(),
            vmas: Vec::new(),
            pages: BTreeMap::new(),
            clean: BTreeSet::new(),
            cpus,
            mems,
            stopped: false,
            stack: 0x7ff0_0000_0000 + start * 0x1000,
            foreign: false,
            clears: 0,
        }
    }

    /// Adds a mapping and puts all its pages on a node.
    pub fn map(&mut self, vma: FakeVma, node: NodeId) {
        let step = if vma.huge { HUGE } else { PAGE };
        for page in vma.range.clone().step_by(step as usize) {
            self.pages.insert(page, node);
        }
        self.vmas.push(vma);
        self.vmas.sort_by_key(|vma| vma.range.start);
    }

    /// The mapping that holds an address.
    #[must_use]
    pub fn vma(&self, address: u64) -> Option<&FakeVma> {
        self.vmas.iter().find(|vma| vma.range.contains(&address))
    }

    /// Start of the page that holds an address.
    #[must_use]
    pub fn page_start(&self, address: u64) -> u64 {
        let step = if self.vma(address).is_some_and(|vma| vma.huge) { HUGE } else { PAGE };
        address - address % step
    }

    /// Puts every thread on CPUs that its mask and cpuset allow.
    pub fn reschedule(&mut self) {
        for thread in self.threads.values_mut() {
            let allowed = thread.mask.intersection(&self.cpus);
            if !allowed.contains(thread.cpu) {
                thread.cpu = allowed.first().or(self.cpus.first()).unwrap_or(thread.cpu);
            }
        }
    }
}
