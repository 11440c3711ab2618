//! One observed memory access: the only thing a policy ever learns about memory use.

use homenode_topology::{CpuId, Nanos, NodeId, PAGES_PER_HUGE, PageIndex};
use serde::{Deserialize, Serialize};

/// A thread, numbered densely by the host in order of appearance; never reused in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u32);

/// An address space, numbered like [`TaskId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MmId(pub u32);

impl TaskId {
    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl MmId {
    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Consecutive base pages of one address space: a page, a huge page (512) or a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRange {
    /// Whose pages.
    pub mm: MmId,
    /// The first of them.
    pub first: PageIndex,
    /// How many base pages.
    pub pages: u32,
}

impl PageRange {
    /// The first of these pages, at most `pages` of them.
    #[must_use]
    pub const fn shortened_to(mut self, pages: u32) -> Self {
        if pages < self.pages {
            self.pages = pages;
        }
        self
    }
}

/// What the access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// It read.
    Read,
    /// It wrote.
    Write,
    /// The source cannot tell.
    Unknown,
}

/// How the access came to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A hinting fault on an armed page table entry, base or huge.
    HintingFault,
    /// Armed base pages found while one fault on the whole page-middle-directory entry was handled; they
    /// may not have been touched by anybody (other-trees 4.4). The range covers pages with the same
    /// node and tag, which the policy treats as that many observations of one page each.
    PmdBatch,
    /// A sample of a running thread.
    Sample,
}

/// How much one observation counts for, with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Hinting faults.
    Faults(u32),
    /// Nanoseconds a thread was stalled.
    StallNanos(u64),
}

/// Policy-owned bits the host keeps with each page (each region on a live machine): last node, or last
/// CPU and pid. Zero is "nothing recorded yet". Hosts keep the lowest [`PageTag::BITS`] bits only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageTag(pub u32);

impl PageTag {
    /// Bits of a tag that survive between observations: 12 for a CPU and 8 for a pid, as in the
    /// kernel's page flags (machine-model 3).
    pub const BITS: u32 = 20;
}

/// One observed access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Who accessed.
    pub task: TaskId,
    /// On which CPU.
    pub cpu: CpuId,
    /// What was accessed.
    pub range: PageRange,
    /// The node that holds it.
    pub node: NodeId,
    /// Read or write.
    pub op: Op,
    /// How it was seen.
    pub source: Source,
    /// What it counts for.
    pub weight: Weight,
    /// When.
    pub at: Nanos,
}

impl Observation {
    /// Whether the range is one huge page or a region at least as large, and not a batch of base pages.
    #[must_use]
    pub fn is_huge(&self) -> bool {
        self.source != Source::PmdBatch && u64::from(self.range.pages) >= PAGES_PER_HUGE
    }
}
