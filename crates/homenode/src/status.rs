//! What a process uses, node by node, and whether its memory lies where it runs.
//!
//! Built from files alone, so that a captured tree shows what the machine showed. Nothing here says who uses which
//! page: the local share is one *by placement*, as if each thread used all memory of its process alike.

mod balancer;
mod judgement;
mod place;
mod process;

pub use balancer::{Balancer, ThreadBalancer};
pub use judgement::{Judgement, Verdict};
pub use place::Place;
pub use process::{Depth, NodeUse, Process, Thread};

use homenode_topology::{NodeId, NodeMask};

/// Node names in one word: `N0`, `N2-3`.
#[must_use]
pub fn names(nodes: impl IntoIterator<Item = NodeId>) -> String {
    format!("N{}", NodeMask::from_iter(nodes))
}

#[cfg(test)]
mod tests;
