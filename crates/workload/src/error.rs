//! Why a workload could not be built.

use std::path::PathBuf;

use homenode_topology::{Bytes, NodeMask};

/// Why a workload could not be found, built or read, or cannot run on a machine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No preset or group has this name.
    #[error("no workload is called `{name}`; did you mean `{nearest}`?")]
    UnknownPreset {
        /// As given.
        name: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// A parameter is out of range.
    #[error("{workload}: parameter `{parameter}` is {value}, expected {expected}")]
    Parameter {
        /// Name of the preset.
        workload: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// As given.
        value: String,
        /// The range.
        expected: String,
    },
    /// The workload cannot run on the machine.
    #[error("{workload}: {place}: {problem}")]
    Invalid {
        /// Name of the workload.
        workload: String,
        /// The process, thread and step, or the machine.
        place: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A workload file could not be opened or is no text.
    #[error("cannot read workload file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A workload file does not say what it must.
    #[error("{}:{line}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong and what was expected.
        message: String,
    },
}

/// What keeps a workload from running.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The machine has no CPU.
    #[error("has no online CPU")]
    NoCpus,
    /// The machine has no memory.
    #[error("has no node with memory")]
    NoMemory,
    /// Nothing to run.
    #[error("has no process, expected at least one")]
    NoProcesses,
    /// More memory than there is.
    #[error("needs {needed} on nodes {nodes}, which have {available}")]
    TooLarge {
        /// What certainly has to be on these nodes.
        needed: Bytes,
        /// Their memory.
        available: Bytes,
        /// All nodes with memory, or those that memory is bound to.
        nodes: NodeMask,
    },
    /// A region of no size.
    #[error("is empty, expected at least one byte")]
    EmptyRegion,
    /// A step names a region that its process does not have.
    #[error("names region {region}, counted from 0, of a process with {regions}")]
    UnknownRegion {
        /// Index as given.
        region: usize,
        /// Number of regions.
        regions: usize,
    },
    /// A part reaches beyond its region.
    #[error("reaches to byte {end} of region `{region}`, which has {size}")]
    OutsideRegion {
        /// Name of the region.
        region: String,
        /// Its size in bytes.
        size: u64,
        /// End of the part.
        end: u64,
    },
    /// A step that would access no memory.
    #[error("accesses nothing, expected at least one pass or line and a part of at least a byte")]
    NoAccess,
    /// Nodes that the machine does not have.
    #[error("names nodes {nodes}, which do not exist; the machine has {machine}")]
    UnknownNodes {
        /// Those that do not exist.
        nodes: NodeMask,
        /// Those that do.
        machine: NodeMask,
    },
    /// Affinity that leaves no CPU.
    #[error("runs on nodes `{nodes}`, none of which has a CPU; nodes {with} have some")]
    NodesWithoutCpus {
        /// As given.
        nodes: NodeMask,
        /// Nodes with CPUs.
        with: NodeMask,
    },
    /// A memory policy that leaves no memory.
    #[error("takes memory from nodes `{nodes}`, none of which has any; nodes {with} have some")]
    NodesWithoutMemory {
        /// As given.
        nodes: NodeMask,
        /// Nodes with memory.
        with: NodeMask,
    },
    /// A barrier where nobody meets.
    #[error("is a barrier of 0 parties, expected at least 1")]
    NoParties,
    /// A barrier that threads understand differently.
    #[error("is waited at with {first} parties and with {then}, expected one number")]
    PartiesDiffer {
        /// At the first wait.
        first: u32,
        /// At another.
        then: u32,
    },
    /// A barrier that blocks for ever.
    #[error("can never be met: {waiting} of {parties} parties wait there and no other comes")]
    NeverMet {
        /// Threads that wait when nothing moves any more.
        waiting: usize,
        /// How many would have to.
        parties: u32,
    },
}
