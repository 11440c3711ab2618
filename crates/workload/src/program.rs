//! Workloads, processes and regions.

use homenode_topology::Bytes;
use serde::{Deserialize, Serialize};

use crate::{MemoryPolicy, Step, Thread};

/// Which build of a program is wanted (benchmarks 2.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Build {
    /// As its author wrote it.
    #[default]
    AsWritten,
    /// Bound to nodes.
    HardBind,
    /// Bound to the wrong nodes.
    InverseBind,
    /// All memory interleaved over all nodes.
    Interleave,
}

/// Anonymous memory of one process, shared by its threads. Aligned to 2 MiB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Name for messages and pictures.
    pub name: String,
    /// Size; rounded up to whole base pages.
    pub size: Bytes,
    /// The mapping's own policy; `Default` leaves it to the task that touches.
    #[serde(default)]
    pub policy: MemoryPolicy,
}

/// A process: its memory and what its first thread does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Name for messages and pictures.
    pub name: String,
    /// Memory.
    pub regions: Vec<Region>,
    /// The first thread.
    pub main: Thread,
}

/// A benchmark built for one machine. All processes start together, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// Name as the user writes it, for example `numa01`.
    pub name: String,
    /// Label of its row in MMTests tables, for example `NUMA01`.
    pub row: String,
    /// Processes.
    pub processes: Vec<Process>,
}

impl Workload {
    /// Memory of all regions together; the largest number there is where a sum would exceed it.
    #[must_use]
    pub fn memory(&self) -> Bytes {
        let regions = self.processes.iter().flat_map(|process| &process.regions);
        Bytes(regions.fold(0, |sum, region| sum.saturating_add(region.size.0)))
    }

    /// Bytes that all sweeps together pass over, each pass counted.
    #[must_use]
    pub fn swept(&self) -> u128 {
        self.processes.iter().map(|process| swept(&process.main)).sum()
    }

    /// Number of threads ever created, first threads of processes included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.processes.iter().map(|process| threads(&process.main)).sum()
    }
}

fn threads(thread: &Thread) -> usize {
    let spawned = thread.steps.iter().map(|step| match step {
        Step::Spawn(child) => threads(child),
        _ => 0,
    });
    1 + spawned.sum::<usize>()
}

fn swept(thread: &Thread) -> u128 {
    let steps = thread.steps.iter().map(|step| match step {
        Step::Sweep { part, passes, .. } => u128::from(part.length.0) * u128::from(*passes),
        Step::Spawn(child) => swept(child),
        _ => 0,
    });
    steps.sum()
}
