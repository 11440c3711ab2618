//! Bytes served by controllers and links, with credits that keep each within its capacity.
//!
//! Within a quantum threads wander between nodes, so the planned rates can overshoot. A node or link
//! may serve at most one quantum's worth beyond its plan; the overdraft is taken from the next quantum.
//! Over any window, bytes served stay within capacity x (window + one quantum).

/// Byte accounts of controllers and directed links.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    nodes: usize,
    /// What each account may serve in this quantum without overdraft; negative after a large one.
    planned: Vec<f64>,
    /// Where each account stops.
    limit: Vec<f64>,
    served: Vec<f64>,
    /// Bytes ever served, by node.
    total: Vec<f64>,
    /// Bytes ever served from the CPU's own node, and in all.
    local: f64,
    all: f64,
}

impl Traffic {
    pub(crate) fn new(nodes: usize) -> Self {
        let accounts = nodes + nodes * nodes;
        Self {
            nodes,
            planned: vec![0.0; accounts],
            limit: vec![0.0; accounts],
            served: vec![0.0; accounts],
            total: vec![0.0; nodes],
            local: 0.0,
            all: 0.0,
        }
    }

    /// Opens a quantum of `length` ns with these rates, bytes a nanosecond.
    pub(crate) fn open(&mut self, controllers: &[f64], links: &[f64], length: f64) {
        for (account, rate) in controllers.iter().chain(links).enumerate() {
            let overdraft = (self.served[account] - self.planned[account]).max(0.0);
            let fresh = rate * length;
            self.planned[account] = fresh - if overdraft.is_finite() { overdraft } else { 0.0 };
            self.limit[account] = self.planned[account].max(0.0) + fresh;
            self.served[account] = 0.0;
        }
    }

    /// Share of a controller's capacity that the plan has left after overdrafts, 0 to 1.
    pub(crate) fn left(&self, node: usize, rate: f64, length: f64) -> f64 {
        (self.planned[node] / (rate * length)).clamp(0.0, 1.0)
    }

    /// How many bytes a CPU of node `from` may still move to or from node `to` in this quantum.
    pub(crate) fn room(&self, from: usize, to: usize) -> f64 {
        let link = self.nodes + from * self.nodes + to;
        (self.limit[to] - self.served[to]).min(self.limit[link] - self.served[link]).max(0.0)
    }

    /// Books bytes.
    pub(crate) fn book(&mut self, from: usize, to: usize, bytes: f64) {
        self.served[to] += bytes;
        self.served[self.nodes + from * self.nodes + to] += bytes;
        self.total[to] += bytes;
        self.all += bytes;
        if from == to {
            self.local += bytes;
        }
    }

    /// Bytes ever served, by node.
    pub(crate) fn totals(&self) -> &[f64] {
        &self.total
    }

    /// Bytes ever served from the CPU's own node, and in all.
    pub(crate) fn local_and_all(&self) -> (f64, f64) {
        (self.local, self.all)
    }
}
