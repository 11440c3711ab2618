//! Why something is not moved.

use std::fmt;

use homenode_topology::{Bytes, CpuMask, Nanos, NodeId, NodeMask};
use serde::Serialize;

use crate::{Errno, Pid, Tid};

/// A reason not to move a thread or memory, with the numbers behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Refusal {
    /// The task is part of the kernel.
    KernelThread {
        /// Its number.
        pid: Pid,
    },
    /// The task ended, or its number belongs to another one now.
    Gone {
        /// Its number.
        tid: Tid,
    },
    /// The process executes another program than when the act was decided.
    Exec {
        /// Its number.
        pid: Pid,
    },
    /// There is no such node.
    NoSuchNode {
        /// The node.
        node: NodeId,
    },
    /// The node has no CPU that is online.
    NodeWithoutCpus {
        /// The node.
        node: NodeId,
    },
    /// The node has no memory.
    NodeWithoutMemory {
        /// The node.
        node: NodeId,
    },
    /// The cpuset of the process leaves the node out.
    NodeOutsideCpuset {
        /// The node.
        node: NodeId,
        /// Nodes allowed.
        allowed: NodeMask,
    },
    /// The thread may run on a single CPU only.
    Pinned {
        /// The thread.
        tid: Tid,
        /// Its mask.
        mask: CpuMask,
    },
    /// The thread's affinity or cpuset has no CPU of the node.
    AffinityExcludesNode {
        /// The thread.
        tid: Tid,
        /// The node.
        node: NodeId,
        /// CPUs allowed.
        mask: CpuMask,
    },
    /// The program chose the nodes of this memory itself.
    BoundMemory {
        /// Start of the mapping.
        start: u64,
        /// Its policy, in the kernel's spelling.
        policy: String,
    },
    /// The memory is locked.
    Locked {
        /// Start of the locked range.
        start: u64,
        /// Its end.
        end: u64,
    },
    /// Other processes map the page, too.
    SharedPages {
        /// Address or start of the mapping.
        start: u64,
        /// The most processes that map one of its pages; 0 if the kernel only said that there are several.
        mappers: u64,
    },
    /// hugetlb pages come from pools that the administrator sized for each node.
    Hugetlb {
        /// Start of the mapping.
        start: u64,
    },
    /// Nothing is mapped there (any more), or the page was never touched.
    NotPresent {
        /// The address.
        address: u64,
    },
    /// The node would have less free memory than is to be kept.
    NodeFull {
        /// The node.
        node: NodeId,
        /// Free memory.
        free: Bytes,
        /// Kept free.
        keep: Bytes,
        /// What was to be moved there.
        wanted: Bytes,
    },
    /// The process is close to `vm.max_map_count`; observing or moving must not be what brings it there.
    TooManyMappings {
        /// Its mappings.
        count: u64,
        /// The limit.
        most: u64,
    },
    /// The region was moved before and rests.
    CoolingDown {
        /// Start of the 2 MiB region.
        region: u64,
        /// Moves so far.
        moves: u32,
        /// How much longer.
        remaining: Nanos,
    },
    /// What is needed to decide could not be read, so the answer is no.
    Unreadable {
        /// The file.
        path: String,
        /// What the kernel said.
        errno: Errno,
    },
    /// The kernel refused.
    Kernel {
        /// Address of the page, or number of the thread.
        target: u64,
        /// What it said.
        errno: Errno,
    },
    /// The act could not be written down beforehand, so it was not done.
    NotJournalled {
        /// Why.
        problem: String,
    },
}

impl Refusal {
    /// A short name, for counting.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::KernelThread { .. } => "kernel-thread",
            Self::Gone { .. } => "gone",
            Self::Exec { .. } => "exec",
            Self::NoSuchNode { .. } => "no-such-node",
            Self::NodeWithoutCpus { .. } => "node-without-cpus",
            Self::NodeWithoutMemory { .. } => "node-without-memory",
            Self::NodeOutsideCpuset { .. } => "node-outside-cpuset",
            Self::Pinned { .. } => "pinned",
            Self::AffinityExcludesNode { .. } => "affinity-excludes-node",
            Self::BoundMemory { .. } => "bound-memory",
            Self::Locked { .. } => "locked",
            Self::SharedPages { .. } => "shared-pages",
            Self::Hugetlb { .. } => "hugetlb",
            Self::NotPresent { .. } => "not-present",
            Self::NodeFull { .. } => "node-full",
            Self::TooManyMappings { .. } => "too-many-mappings",
            Self::CoolingDown { .. } => "cooling-down",
            Self::Unreadable { .. } => "unreadable",
            Self::Kernel { .. } => "kernel",
            Self::NotJournalled { .. } => "not-journalled",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KernelThread { pid } => write!(f, "{pid} is a kernel thread"),
            Self::Gone { tid } => write!(f, "task {tid} is gone"),
            Self::Exec { pid } => write!(f, "process {pid} started another program meanwhile"),
            Self::NoSuchNode { node } => write!(f, "there is no node {node}"),
            Self::NodeWithoutCpus { node } => write!(f, "node {node} has no CPUs"),
            Self::NodeWithoutMemory { node } => write!(f, "node {node} has no memory"),
            Self::NodeOutsideCpuset { node, allowed } => {
                write!(f, "node {node} is outside of the cpuset's nodes {allowed}")
            }
            Self::Pinned { tid, mask } => write!(f, "thread {tid} is pinned to CPU {mask}"),
            Self::AffinityExcludesNode { tid, node, mask } => {
                write!(f, "thread {tid} may run on CPUs {mask} only, none of them on {node}")
            }
            Self::BoundMemory { start, policy } => {
                write!(f, "the program placed the mapping at {start:#x} itself ({policy})")
            }
            Self::Locked { start, end } => write!(f, "memory {start:#x}-{end:#x} is locked"),
            Self::SharedPages { start, mappers: 0 } => {
                write!(f, "several processes map the page at {start:#x}")
            }
            Self::SharedPages { start, mappers } => {
                write!(f, "{mappers} processes map pages of the mapping at {start:#x}")
            }
            Self::Hugetlb { start } => write!(f, "the mapping at {start:#x} uses hugetlb pages"),
            Self::NotPresent { address } => write!(f, "there is no page at {address:#x}"),
            Self::NodeFull { node, free, keep, wanted } => {
                write!(f, "node {node} has {free} free, {keep} of it stay free, {wanted} wanted")
            }
            Self::TooManyMappings { count, most } => {
                write!(f, "the process has {count} mappings of at most {most} (vm.max_map_count)")
            }
            Self::CoolingDown { region, moves, remaining } => write!(
                f,
                "the region at {region:#x} was moved {moves} times and rests for {:.1} s more",
                remaining.as_secs_f64()
            ),
            Self::Unreadable { path, errno } => write!(f, "cannot read {path}: {errno}"),
            Self::Kernel { target, errno } => {
                write!(f, "the kernel refused to move {target:#x}: {errno}")
            }
            Self::NotJournalled { problem } => {
                write!(f, "not done because it could not be journalled: {problem}")
            }
        }
    }
}
