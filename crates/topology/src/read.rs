//! What every reader of a machine hands back: the machine, and what was odd about its description.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::{Cpu, CpuMask, Distances, Machine, NodeId, SocketId};

/// Kernels are built for at most this many CPUs; what goes beyond is taken for damage.
pub(crate) const MOST_CPUS: usize = 8_192;
/// Kernels are built for at most this many nodes.
pub(crate) const MOST_NODES: usize = 1_024;

/// A machine and the warnings that came up while its description was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The machine; its performance is unknown unless the description states it.
    pub machine: Machine,
    /// Oddities in the order they were found; each was worked around as it says.
    pub warnings: Vec<Warning>,
}

/// Something odd in a description, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The file below the root, or the line of the text.
    pub place: String,
    /// What is odd, and what is assumed instead.
    pub problem: String,
}

impl Warning {
    pub(crate) fn new(place: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self { place: place.to_string(), problem: problem.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// Warns of distances that differ by direction; they are kept as they are.
pub(crate) fn warn_of_asymmetry(
    nodes: &[NodeId],
    distances: &Distances,
    place: &str,
    warnings: &mut Vec<Warning>,
) {
    for (index, &one) in nodes.iter().enumerate() {
        for &other in &nodes[index + 1..] {
            let (out, back) = (distances.get(one, other), distances.get(other, one));
            if out != back {
                let problem = format!(
                    "the distance from {one} to {other} is {out} and back {back}: kept by direction"
                );
                warnings.push(Warning::new(place, problem));
            }
        }
    }
}

/// CPUs of one node and socket share a last-level cache where nothing else is known.
pub(crate) fn share_llc_by_node(cpus: &mut [Cpu]) {
    let mut domains: BTreeMap<(Option<NodeId>, SocketId), CpuMask> = BTreeMap::new();
    for cpu in cpus.iter() {
        domains.entry((cpu.node, cpu.socket)).or_default().insert(cpu.id);
    }
    for cpu in cpus.iter_mut().filter(|cpu| cpu.llc.is_empty()) {
        cpu.llc = domains.get(&(cpu.node, cpu.socket)).cloned().unwrap_or_default();
    }
}
