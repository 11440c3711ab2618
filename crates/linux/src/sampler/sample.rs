//! What samplers yield, and the trait they share.

use homenode_topology::{CpuId, Nanos, NodeId};
use serde::{Deserialize, Serialize};

use crate::{Identity, Result, Tid};

/// Where samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Timer interrupts and decoded instructions: stall time.
    Clock,
    /// Write faults after `clear_refs`.
    Fault,
    /// The kernel balancer's averages.
    Averages,
}

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// It read.
    Read,
    /// It wrote.
    Write,
    /// The source cannot tell.
    Unknown,
}

/// How much a sample stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A number of faults.
    Faults(u64),
    /// Time that the thread waited for memory.
    Stall(Nanos),
}

/// An address that was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The address.
    pub address: u64,
    /// Whether it lies in a huge page, where known.
    pub huge: Option<bool>,
}

/// One observation of a thread's use of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The thread.
    pub tid: Tid,
    /// Where it ran, where known.
    pub cpu: Option<CpuId>,
    /// What it accessed; `None` where the source only knows the node.
    pub access: Option<Access>,
    /// Where that memory is, where known. [`crate::sampler::locate`] fills it in.
    pub node: Option<NodeId>,
    /// What it did.
    pub op: Op,
    /// How much it stands for.
    pub weight: Weight,
    /// When, `CLOCK_MONOTONIC`.
    pub at: Nanos,
}

/// What a source can see: the engine weighs its samples by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sees {
    /// Single addresses.
    pub addresses: bool,
    /// Reads.
    pub reads: bool,
    /// Writes.
    pub writes: bool,
}

/// What one collection brought, besides its samples. Nothing is dropped without being counted here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Samples handed out.
    pub samples: u64,
    /// Records that the kernel had no room for.
    pub lost: u64,
    /// Times that the kernel paused an event because it came too often.
    pub throttled: u64,
    /// Samples that no access could be made of.
    pub unresolved: u64,
    /// Threads that could not be observed.
    pub unobserved_threads: u64,
    /// Bytes that were no records.
    pub damaged: u64,
}

impl Collected {
    /// Adds another collection.
    pub fn add(&mut self, other: Self) {
        self.samples += other.samples;
        self.lost += other.lost;
        self.throttled += other.throttled;
        self.unresolved += other.unresolved;
        self.unobserved_threads += other.unobserved_threads;
        self.damaged += other.damaged;
    }
}

/// A source of samples of one process. Not used before its self-test was passed.
pub trait Sampler {
    /// Which source it is.
    fn source(&self) -> Source;

    /// What it can see.
    fn sees(&self) -> Sees;

    /// The process it observes.
    fn process(&self) -> Identity;

    /// Appends what was seen since the last call, follows new threads, and starts what is due. Call it a few times a
    /// second; how much is observed is the sampler's own budget.
    ///
    /// # Errors
    /// The process is gone, or may no longer be observed. Threads that come and go are no error.
    fn collect(&mut self, samples: &mut Vec<Sample>) -> Result<Collected>;
}
