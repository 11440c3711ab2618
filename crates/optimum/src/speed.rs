//! How fast a machine is while nothing waits: the constants of both linear programs.
//!
//! These are the figures of machine-model 2.1 without queues. No request can be served faster, so what
//! is computed from them bounds every run from below.

use homenode_topology::{Bytes, Machine, NodeId, Performance};
use homenode_workload::{Access, Part};

use crate::Error;

/// Bytes in a cache line.
pub(crate) const LINE: f64 = 64.0;

/// How much faster a stream is in the last-level cache than in idle local memory (the same figure as
/// in the simulator).
const CACHE_SPEED: f64 = 4.0;

/// Speeds of an idle machine. Nodes are numbered by their position in the machine's list.
#[derive(Clone, Debug)]
pub(crate) struct Speed {
    pub(crate) nodes: Vec<NodeId>,
    /// Memory by node.
    pub(crate) memory: Vec<Bytes>,
    /// Logical CPUs by node.
    pub(crate) cpus: Vec<usize>,
    /// What the CPUs of a node reach together, in threads that have a core to themselves.
    pub(crate) cores: Vec<f64>,
    /// Rate of each node's controllers, bytes a nanosecond; zero where there is no memory.
    pub(crate) controller: Vec<f64>,
    /// Nodes with CPUs.
    pub(crate) runners: Vec<usize>,
    /// Nodes with memory.
    pub(crate) holders: Vec<usize>,
    link: Vec<f64>,
    latency: Vec<f64>,
    /// Payload a thread has under way, bytes.
    outstanding: f64,
    largest_cache: Bytes,
    cache_rate: f64,
}

impl Speed {
    pub(crate) fn new(machine: &Machine) -> Result<Self, Error> {
        let refuse = |problem| Error::Machine { machine: machine.name.clone(), problem };
        let performance =
            machine.performance.as_ref().ok_or_else(|| refuse("has no performance figures"))?;
        let count = machine.nodes.len();
        let nodes: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
        let memory: Vec<Bytes> = machine.nodes.iter().map(|node| node.memory).collect();
        let holders: Vec<usize> = (0..count).filter(|&node| memory[node] > Bytes::ZERO).collect();
        let first = *holders.first().ok_or_else(|| refuse("has no memory"))?;
        let mut cpus = vec![0; count];
        let mut on_core = std::collections::BTreeMap::new();
        for cpu in &machine.cpus {
            // A CPU that firmware gives no node counts to the first node with memory.
            let node = cpu.node.and_then(|id| nodes.iter().position(|&other| other == id));
            let node = node.unwrap_or(first);
            cpus[node] += 1;
            *on_core.entry((node, cpu.core)).or_insert(0) += 1;
        }
        let mut cores = vec![0.0; count];
        for ((node, _), threads) in on_core {
            cores[node] += if threads > 1 { performance.smt.full_core.max(1.0) } else { 1.0 };
        }
        let runners: Vec<usize> = (0..count).filter(|&node| cpus[node] > 0).collect();
        let controller: Vec<f64> =
            (0..count)
                .map(|node| {
                    if memory[node] > Bytes::ZERO { rate_of(performance, nodes[node]) } else { 0.0 }
                })
                .collect();
        let outstanding = per_ns(performance.core_stream.0) * performance.local_latency_ns;
        if runners.is_empty() {
            return Err(refuse("has no online CPU"));
        }
        if outstanding <= 0.0 || holders.iter().any(|&node| controller[node] <= 0.0) {
            return Err(refuse("has a stream or controller rate of zero"));
        }
        let mut speed = Self {
            nodes,
            memory,
            cpus,
            cores,
            controller,
            runners,
            holders,
            link: vec![f64::INFINITY; count * count],
            latency: vec![0.0; count * count],
            outstanding,
            largest_cache: Bytes::ZERO,
            cache_rate: CACHE_SPEED * per_ns(performance.core_stream.0),
        };
        speed.largest_cache =
            speed.runners.iter().map(|&node| machine.nodes[node].llc).max().unwrap_or_default();
        speed.connect(machine, performance);
        Ok(speed)
    }

    fn connect(&mut self, machine: &Machine, performance: &Performance) {
        let local = performance.local_latency_ns;
        let step = (performance.remote_latency_ns - local) / 10.0;
        for i in 0..self.nodes.len() {
            for n in 0..self.nodes.len() {
                let (from, to) = (self.nodes[i], self.nodes[n]);
                let distance = f64::from(machine.distances.get(from, to));
                let class = i * self.nodes.len() + n;
                self.latency[class] = (local + step * (distance - 10.0)).max(1.0);
                if i != n {
                    let stated =
                        performance.links.except.iter().find(|(a, b, _)| (*a, *b) == (from, to));
                    let rate = stated.map_or(performance.links.each, |(_, _, rate)| *rate);
                    self.link[class] = per_ns(rate.0);
                }
            }
        }
    }

    /// Rate of all controllers together, bytes a nanosecond.
    pub(crate) fn all_controllers(&self) -> f64 {
        self.controller.iter().sum()
    }

    /// Rate of the directed link from CPUs of node `i` to memory of node `n`, bytes a nanosecond;
    /// infinite inside a node.
    pub(crate) fn link(&self, i: usize, n: usize) -> f64 {
        self.link[i * self.nodes.len() + n]
    }

    /// Latency of one request from a CPU of node `i` to memory of node `n`, ns.
    pub(crate) fn latency(&self, i: usize, n: usize) -> f64 {
        self.latency[i * self.nodes.len() + n]
    }

    /// Time a thread with a core to itself needs at least for one byte of a stream, ns.
    pub(crate) fn stream_time(&self, i: usize, n: usize) -> f64 {
        (self.latency(i, n) / self.outstanding).max(1.0 / self.link(i, n))
    }

    /// The least of a figure over all pairs of a node with CPUs and one with memory.
    pub(crate) fn least(&self, figure: impl Fn(usize, usize) -> f64) -> f64 {
        let pairs = self.runners.iter().flat_map(|&i| self.holders.iter().map(move |&n| (i, n)));
        pairs.map(|(i, n)| figure(i, n)).fold(f64::INFINITY, f64::min)
    }

    /// Passes of a sweep that memory must serve; the others may come from the cache: clears bypass it,
    /// other sweeps hit from the second pass on if the largest cache holds them.
    pub(crate) fn memory_passes(&self, part: Part, passes: u32, access: Access) -> u32 {
        let cached = !matches!(access, Access::Clear) && part.length <= self.largest_cache;
        if cached { passes.min(1) } else { passes }
    }

    /// Time of one byte from the cache at full speed, ns.
    pub(crate) fn cache_time(&self) -> f64 {
        1.0 / self.cache_rate
    }

    /// The smallest share of random accesses to a part that memory must serve.
    pub(crate) fn miss_ratio(&self, part: Part) -> f64 {
        (1.0 - self.largest_cache.0 as f64 / part.length.0.max(4096) as f64).max(0.0)
    }

    /// The node with memory that is nearest to a node: the node itself if it has some.
    pub(crate) fn home(&self, node: usize) -> usize {
        let distance = |&n: &usize| (self.latency(node, n) * 1e3) as u64;
        if self.memory[node] > Bytes::ZERO {
            return node;
        }
        self.holders.iter().copied().min_by_key(distance).unwrap_or(node)
    }
}

fn rate_of(performance: &Performance, node: NodeId) -> f64 {
    per_ns(performance.controller_of.get(&node).unwrap_or(&performance.controller).0)
}

fn per_ns(bytes_a_second: u64) -> f64 {
    bytes_a_second as f64 / 1e9
}
