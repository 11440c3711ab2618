//! The run over time, in at most 400 samples.

use homenode_topology::Nanos;
use serde::Serialize;

use crate::host::Host;

/// One stretch of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Its end.
    pub at: Nanos,
    /// Share of memory traffic that stayed on the CPU's own node; 1 when there was none.
    pub local_ratio: f64,
    /// Load of each node's controllers, 0 to 1.
    pub load: Vec<f64>,
    /// Hinting faults.
    pub hint_faults: u64,
    /// Base pages that moved.
    pub pages_moved: u64,
    /// Threads that the scheduler moved to another node.
    pub crossings: u64,
}

/// Collects samples; doubles their length when there are too many.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    period: u64,
    due: u64,
    last: Totals,
    samples: Vec<Sample>,
}

#[derive(Clone, Debug, Default)]
struct Totals {
    at: u64,
    local: f64,
    all: f64,
    served: Vec<f64>,
    hint_faults: u64,
    pages_moved: u64,
    crossings: u64,
}

const MOST: usize = 400;
const FIRST_PERIOD: u64 = 250_000_000;

impl Default for Timeline {
    fn default() -> Self {
        Self {
            period: FIRST_PERIOD,
            due: FIRST_PERIOD,
            last: Totals::default(),
            samples: Vec::new(),
        }
    }
}

impl Timeline {
    /// Takes a sample if one is due.
    pub(crate) fn note(&mut self, host: &Host) {
        if host.now < self.due {
            return;
        }
        self.sample(host);
        self.due = host.now + self.period;
        if self.samples.len() >= MOST {
            self.halve();
        }
    }

    /// Takes the last sample and returns all.
    pub(crate) fn close(mut self, host: &Host) -> Vec<Sample> {
        if host.now > self.last.at {
            self.sample(host);
        }
        self.samples
    }

    fn sample(&mut self, host: &Host) {
        let (local, all) = host.traffic.local_and_all();
        let now = Totals {
            at: host.now,
            local,
            all,
            served: host.traffic.totals().to_vec(),
            hint_faults: host.counters.numa_hint_faults,
            pages_moved: host.counters.pages_moved,
            crossings: host.sched.crossings(),
        };
        let last = core::mem::replace(&mut self.last, now);
        let now = &self.last;
        let time = (now.at - last.at) as f64;
        let traffic = now.all - last.all;
        let load = host.contention.controllers().iter().enumerate().map(|(node, rate)| {
            let before = last.served.get(node).copied().unwrap_or(0.0);
            (now.served[node] - before) / (rate * time)
        });
        self.samples.push(Sample {
            at: Nanos(now.at),
            local_ratio: if traffic > 0.0 { (now.local - last.local) / traffic } else { 1.0 },
            load: load.collect(),
            hint_faults: now.hint_faults - last.hint_faults,
            pages_moved: now.pages_moved - last.pages_moved,
            crossings: now.crossings - last.crossings,
        });
    }

    /// Joins samples two by two.
    fn halve(&mut self) {
        self.period *= 2;
        let pairs = core::mem::take(&mut self.samples);
        self.samples = pairs
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => Sample {
                    at: b.at,
                    local_ratio: (a.local_ratio + b.local_ratio) / 2.0,
                    load: a.load.iter().zip(&b.load).map(|(x, y)| (x + y) / 2.0).collect(),
                    hint_faults: a.hint_faults + b.hint_faults,
                    pages_moved: a.pages_moved + b.pages_moved,
                    crossings: a.crossings + b.crossings,
                },
                other => other[0].clone(),
            })
            .collect();
    }
}
