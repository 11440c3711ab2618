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

/// What a controller in debt still serves: without it a fault in such a quantum would be charged as if
/// memory stood still for good.
const LEAST_LEFT: f64 = 0.05;

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

    /// Share of a controller's capacity that the plan has left after overdrafts, [`LEAST_LEFT`] to 1.
    pub(crate) fn left(&self, node: usize, rate: f64, length: f64) -> f64 {
        (self.planned[node] / (rate * length)).clamp(LEAST_LEFT, 1.0)
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
    }

    /// Closes a quantum: adds what was served to the totals.
    pub(crate) fn close(&mut self) {
        for node in 0..self.nodes {
            self.total[node] += self.served[node];
            self.all += self.served[node];
            self.local += self.served[self.nodes + node * self.nodes + node];
        }
    }

    /// Whether no account owes more than it serves in `longest` ns. Then the bytes served in any window
    /// are within rate x (window + `longest`).
    pub(crate) fn is_within(&self, controllers: &[f64], links: &[f64], longest: f64) -> bool {
        let debts = self.served.iter().zip(&self.planned).map(|(served, planned)| served - planned);
        let mut accounts = controllers.iter().chain(links).zip(debts);
        accounts
            .all(|(rate, debt)| rate.is_infinite() || debt <= rate * longest * (1.0 + 1e-9) + 1.0)
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

#[cfg(test)]
mod tests {
    use super::{LEAST_LEFT, Traffic};

    /// Two nodes with controllers of 10 and links of 2 bytes a nanosecond.
    const CONTROLLERS: [f64; 2] = [10.0, 10.0];
    const LINKS: [f64; 4] = [f64::INFINITY, 2.0, 2.0, f64::INFINITY];

    fn opened(length: f64) -> Traffic {
        let mut traffic = Traffic::new(2);
        traffic.open(&CONTROLLERS, &LINKS, length);
        traffic
    }

    #[test]
    fn a_quantum_may_serve_twice_its_share_and_pays_in_the_next() {
        let mut traffic = opened(100.0);
        assert_eq!(traffic.room(0, 0), 2000.0);
        traffic.book(0, 0, 2000.0);
        assert_eq!(traffic.room(0, 0), 0.0);
        traffic.open(&CONTROLLERS, &LINKS, 100.0);
        assert_eq!(traffic.left(0, 10.0, 100.0), LEAST_LEFT);
        assert_eq!(traffic.left(1, 10.0, 100.0), 1.0);
        assert_eq!(traffic.room(0, 0), 1000.0, "one more quantum's worth at most");
        traffic.open(&CONTROLLERS, &LINKS, 100.0);
        assert_eq!(traffic.room(0, 0), 2000.0, "an idle quantum settles the debt");
    }

    #[test]
    fn the_long_run_average_is_the_rate_whatever_is_asked_for() {
        let mut traffic = Traffic::new(2);
        for quantum in 1..=1000 {
            traffic.open(&CONTROLLERS, &LINKS, 100.0);
            traffic.book(1, 1, traffic.room(1, 1));
            traffic.book(0, 1, traffic.room(0, 1));
            traffic.close();
            assert!(traffic.totals()[1] > 10.0 * 100.0 * (f64::from(quantum) - 1.0));
            assert!(traffic.totals()[1] <= 10.0 * 100.0 * (f64::from(quantum) + 1.0));
        }
    }

    #[test]
    fn a_link_has_its_own_credit() {
        let mut traffic = opened(100.0);
        assert_eq!(traffic.room(0, 1), 400.0);
        traffic.book(0, 1, 400.0);
        assert_eq!((traffic.room(0, 1), traffic.room(1, 1)), (0.0, 1600.0));
        assert_eq!(traffic.room(1, 0), 400.0, "the other direction is another link");
    }

    #[test]
    fn a_debt_from_a_long_quantum_lasts_over_short_ones() {
        let mut traffic = opened(100.0);
        traffic.book(0, 0, 2000.0);
        for _ in 0..4 {
            traffic.open(&CONTROLLERS, &LINKS, 20.0);
            assert_eq!(traffic.left(0, 10.0, 20.0), LEAST_LEFT);
        }
        traffic.open(&CONTROLLERS, &LINKS, 40.0);
        assert_eq!(traffic.left(0, 10.0, 40.0), 0.5);
    }

    #[test]
    fn totals_tell_local_from_remote() {
        let mut traffic = opened(100.0);
        traffic.book(0, 0, 30.0);
        traffic.book(0, 1, 10.0);
        traffic.close();
        assert_eq!(traffic.totals(), [30.0, 10.0]);
        assert_eq!(traffic.local_and_all(), (30.0, 40.0));
    }
}
