//! What can go wrong with an optimum.

/// Why an optimum could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine's speed is unknown or nothing can run on it.
    #[error(
        "machine `{machine}` {problem}, so no optimum can be computed for it; name a preset (`homenode \
         machines`) or state its rates in the one-line form"
    )]
    Machine {
        /// Name of the machine.
        machine: String,
        /// What is missing.
        problem: &'static str,
    },
    /// The solver gave up on a linear program.
    #[error("workload `{workload}`: the linear program of the {program} has no answer: {cause}")]
    Program {
        /// Name of the workload.
        workload: String,
        /// Which program.
        program: &'static str,
        /// What the solver said.
        cause: microlp::Error,
    },
    /// No candidate placement could be run.
    #[error(
        "workload `{workload}`: none of {tried} static placements fits the machine; the last: {last}"
    )]
    NoPlacement {
        /// Name of the workload.
        workload: String,
        /// Number of placements tried.
        tried: usize,
        /// Why the last one failed.
        last: String,
    },
    /// A simulated run failed for a reason that is not the placement's.
    #[error(transparent)]
    Simulation(#[from] homenode_sim::Error),
}
