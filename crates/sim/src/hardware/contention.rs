//! How fast each node's memory answers each node's CPUs under the present load.
//!
//! The fluid model of machine-model 2.1. A thread on node `i` that streams through memory of node `j`
//! has at most a fixed number of requests outstanding, so its rate is `K / L_ij` with
//!
//! ```text
//! L_ij = L0_ij + a_ij Q_j        Q_j: queueing delay at controller j
//! sum_i rate_ij = B_j Q_j / (Q_j + q0)
//! ```
//!
//! `a_ij` is 1 for remote requests and less for local ones, which a busy controller serves first. The
//! left side falls and the right side rises in `Q_j`, so each controller has one root; it is found by
//! Newton's method from the last quantum's value. A directed link caps the sum of its class. Load
//! beyond saturation gives exactly `B_j`, because the population of requests is finite.

use homenode_topology::{Machine, NodeId, Performance};

use super::Layout;

/// Rates of all (CPU node, memory node) classes.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    nodes: usize,
    /// Outstanding payload of a full-speed thread, bytes.
    outstanding: f64,
    idle_latency: Vec<f64>,
    share: Vec<f64>,
    /// Bytes a nanosecond.
    controller: Vec<f64>,
    /// Bytes a nanosecond; infinite inside a node.
    link: Vec<f64>,
    half_load_delay: f64,
    delay: Vec<f64>,
    rate: Vec<f64>,
}

/// Least queueing delay of a half-loaded controller, ns: the equation above has no root without one.
const SHORTEST_DELAY: f64 = 1e-3;

impl Contention {
    pub(crate) fn new(
        machine: &Machine,
        performance: &Performance,
        layout: &Layout,
        local_share: f64,
    ) -> Self {
        let nodes = layout.nodes.len();
        let local = performance.local_latency_ns;
        let outstanding = performance.core_stream.0 as f64 / 1e9 * local;
        let pairs = || (0..nodes * nodes).map(|class| (class / nodes, class % nodes));
        let step = (performance.remote_latency_ns - local) / 10.0;
        let idle_latency = pairs()
            .map(|(i, j)| {
                let distance = machine.distances.get(layout.nodes[i], layout.nodes[j]);
                (local + step * (f64::from(distance) - 10.0)).max(1.0)
            })
            .collect();
        let share = pairs().map(|(i, j)| if i == j { local_share } else { 1.0 }).collect();
        let link = pairs()
            .map(|(i, j)| {
                if i == j {
                    return f64::INFINITY;
                }
                link_rate(performance, layout.nodes[i], layout.nodes[j])
            })
            .collect();
        let controller = layout
            .nodes
            .iter()
            .map(|id| performance.controller_of.get(id).unwrap_or(&performance.controller))
            .map(|rate| rate.0 as f64 / 1e9)
            .collect();
        let mut contention = Self {
            nodes,
            outstanding,
            idle_latency,
            share,
            controller,
            link,
            half_load_delay: performance.queue_ns.max(SHORTEST_DELAY),
            delay: vec![0.0; nodes],
            rate: vec![0.0; nodes * nodes],
        };
        let idle = vec![0.0; nodes * nodes];
        let capacity = contention.controller.clone();
        contention.solve(&idle, &capacity);
        contention
    }

    /// Rates at which the controllers accept payload, bytes a nanosecond.
    pub(crate) fn controllers(&self) -> &[f64] {
        &self.controller
    }

    /// Rates of the directed links, bytes a nanosecond, by class; infinite inside a node.
    pub(crate) fn links(&self) -> &[f64] {
        &self.link
    }

    /// Payload rate of one full-speed stream from a CPU of node `from` to memory of node `to`, bytes a
    /// nanosecond.
    pub(crate) fn rate(&self, from: usize, to: usize) -> f64 {
        self.rate[from * self.nodes + to]
    }

    /// Latency of one request that waits for nothing else, ns.
    pub(crate) fn latency(&self, from: usize, to: usize) -> f64 {
        self.outstanding / self.rate(from, to)
    }

    /// Rate of a stream that hits the last-level cache: four times that of idle local memory.
    pub(crate) fn cache_rate(&self) -> f64 {
        4.0 * self.outstanding / self.idle_latency[0]
    }

    /// Payload rate of a copy between two nodes by a CPU of node `by`: each line waits for its read
    /// and for its write.
    pub(crate) fn copy_rate(&self, by: usize, from: usize, to: usize) -> f64 {
        let (read, write) = (self.rate(by, from), self.rate(by, to));
        read * write / (read + write)
    }

    /// Finds the rates for a demand, in full-speed streams by class, and the capacity left to each
    /// controller, bytes a nanosecond.
    pub(crate) fn solve(&mut self, demand: &[f64], capacity: &[f64]) {
        for (to, &capacity) in capacity.iter().enumerate() {
            self.delay[to] = self.queueing_delay(to, demand, capacity);
            for from in 0..self.nodes {
                let class = from * self.nodes + to;
                let free = self.outstanding
                    / (self.idle_latency[class] + self.share[class] * self.delay[to]);
                self.rate[class] = free.min(self.link[class] / demand[class].max(1.0));
            }
        }
    }

    fn queueing_delay(&self, to: usize, demand: &[f64], capacity: f64) -> f64 {
        let q0 = self.half_load_delay;
        let capacity = capacity.max(1e-9);
        let mut q = self.delay[to].max(0.0);
        // Links make the excess convex only piecewise, so the root is kept between these.
        let (mut below, mut above) = (0.0, f64::INFINITY);
        for _ in 0..60 {
            let mut excess = -capacity * q / (q + q0);
            let mut slope = -capacity * q0 / ((q + q0) * (q + q0));
            for from in 0..self.nodes {
                let class = from * self.nodes + to;
                if demand[class] <= 0.0 {
                    continue;
                }
                let latency = self.idle_latency[class] + self.share[class] * q;
                let flow = demand[class] * self.outstanding / latency;
                if flow < self.link[class] {
                    excess += flow;
                    slope -= flow * self.share[class] / latency;
                } else {
                    excess += self.link[class];
                }
            }
            if excess > 0.0 {
                below = q;
            } else {
                above = q;
            }
            let mut next = (q - excess / slope).max(0.0);
            if next < below || next > above {
                next = (below + above) / 2.0;
            }
            let settled = (next - q).abs() <= 1e-6 * (q + q0);
            q = next;
            if settled {
                break;
            }
        }
        q
    }
}

fn link_rate(performance: &Performance, from: NodeId, to: NodeId) -> f64 {
    let stated = performance.links.except.iter().find(|(i, j, _)| (*i, *j) == (from, to));
    let rate = stated.map_or(performance.links.each, |(_, _, rate)| *rate);
    rate.0 as f64 / 1e9
}

#[cfg(test)]
mod tests;
