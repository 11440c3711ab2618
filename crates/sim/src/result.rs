//! What a run gives.

use homenode_topology::{Nanos, NodeId};
use serde::Serialize;

use crate::counters::Counters;
use crate::timeline::Sample;

/// Everything measured in one run. Equal inputs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    /// Name of the workload.
    pub workload: String,
    /// Name of the policy.
    pub policy: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// Until the last thread ended.
    pub elapsed: Nanos,
    /// CPU time of the workload in its own code, waiting for memory included.
    pub user: Nanos,
    /// CPU time of the workload in the kernel.
    pub system: Nanos,
    /// CPU time nobody used.
    pub idle: Nanos,
    /// CPU time of housekeeping processes.
    pub housekeeping: Nanos,
    /// Threads that were created.
    pub threads: usize,
    /// How often the scheduler moved a thread to another node.
    pub crossings: u64,
    /// Share of memory traffic that stayed on the CPU's own node.
    pub local_ratio: f64,
    /// Bytes of traffic served, by node.
    pub served: Vec<f64>,
    /// Event counters.
    pub counters: Counters,
    /// Node ids, in the order of all lists by node.
    pub nodes: Vec<NodeId>,
    /// Per process.
    pub processes: Vec<ProcessResult>,
    /// The run over time.
    pub timeline: Vec<Sample>,
}

/// What became of a process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessResult {
    /// Name of the process.
    pub name: String,
    /// Base pages at the end, by node.
    pub resident: Vec<u64>,
}

impl RunResult {
    /// Utilisation in per cent of one CPU: `100 (user + system) / elapsed`.
    #[must_use]
    pub fn cpu_percent(&self) -> f64 {
        100.0 * (self.user.0 + self.system.0) as f64 / (self.elapsed.0 as f64).max(1.0)
    }

    /// Scheduler moves of a thread to another node, for each thread and second.
    #[must_use]
    pub fn bounce_rate(&self) -> f64 {
        self.crossings as f64 / self.threads.max(1) as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}
