//! How fast a machine is: the figures that the simulator's fluid model needs (machine-model 2.1, 2.2).

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::{Bandwidth, NodeId};

/// Speeds and latencies of a machine. All nodes are alike except where a link is given its own figure;
/// slower memory-only nodes are stated by `controller_of`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Performance {
    /// Payload one node's memory controllers accept from clearing (non-temporal stores), bytes a second.
    pub controller: Bandwidth,
    /// Exceptions to `controller`, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub controller_of: BTreeMap<NodeId, Bandwidth>,
    /// What one core reaches alone on its own node, bytes a second.
    pub core_stream: Bandwidth,
    /// Idle latency of local memory, nanoseconds.
    pub local_latency_ns: f64,
    /// Idle latency of remote memory at distance 20, nanoseconds; scaled linearly with the distance
    /// above 10 for other distances.
    pub remote_latency_ns: f64,
    /// What the links between nodes carry.
    pub links: LinkRates,
    /// Queueing delay at a half-loaded controller, nanoseconds (q0 of machine-model 2.1).
    pub queue_ns: f64,
    /// Simultaneous multithreading.
    pub smt: Smt,
    /// Clock in MHz, for compute phases.
    pub clock_mhz: u32,
    /// Where each figure comes from, one `field: source` line each.
    pub sources: Vec<String>,
}

impl Performance {
    /// Figures assumed for a machine of which none are known, so that it can be simulated all the same.
    ///
    /// They are round numbers in the range of two-socket servers of the 2010s, measured nowhere: results
    /// on them show directions, not sizes.
    #[must_use]
    pub fn generic() -> Self {
        Self {
            controller: Bandwidth(20 << 30),
            controller_of: BTreeMap::new(),
            core_stream: Bandwidth(8 << 30),
            local_latency_ns: 90.0,
            remote_latency_ns: 140.0,
            links: LinkRates { each: Bandwidth(15 << 30), except: Vec::new() },
            queue_ns: 10.0,
            smt: Smt { full_core: 1.1 },
            clock_mhz: 2500,
            sources: ["all: assumed, unless the description of the machine states it"]
                .map(String::from)
                .into(),
        }
    }
}

/// Payload each directed link carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkRates {
    /// From any node to any other unless stated below, bytes a second.
    pub each: Bandwidth,
    /// Exceptions, `(from, to, rate)`: `from` is the node of the CPU, `to` the node of the memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<(NodeId, NodeId, Bandwidth)>,
}

/// What hardware threads of a core reach together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smt {
    /// Throughput of a core with all its threads busy, relative to one busy thread (1.0 to 1.25 for
    /// streams, benchmarks 14.1).
    pub full_core: f64,
}
