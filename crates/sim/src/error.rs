//! What can go wrong with a simulation.

use homenode_topology::Nanos;

/// Why a run could not start or end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The calibration file does not parse.
    #[error("calibration.toml: {0}")]
    Calibration(String),
    /// The machine's speed is unknown.
    #[error(
        "machine `{0}` has no performance figures, so it cannot be simulated; name a preset \
         (`homenode machines`) or state rates in the one-line form"
    )]
    NoPerformance(String),
    /// The machine's shape is beyond the model.
    #[error(
        "machine `{name}` has {nodes} nodes and {cpus} CPUs; the model takes 1 to 256 nodes and at least one CPU"
    )]
    Machine {
        /// Name of the machine.
        name: String,
        /// Its nodes.
        nodes: usize,
        /// Its CPUs.
        cpus: usize,
    },
    /// No node that a memory policy allows has room.
    #[error("out of memory: thread {task} finds no free page under memory policy {policy}")]
    OutOfMemory {
        /// The thread.
        task: u32,
        /// Its policy.
        policy: String,
    },
    /// The workload did not end.
    #[error("workload `{workload}` did not end within {} simulated seconds", limit.0 / 1_000_000_000)]
    TimeLimit {
        /// Its name.
        workload: String,
        /// The limit.
        limit: Nanos,
    },
}
