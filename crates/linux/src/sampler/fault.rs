//! The fault sampler: marks all pages of a process clean, then sees the first write to each as a page fault of
//! the thread that writes. Page-exact, writes only, and every fault costs the target 1-2 us, so it is switched
//! on for a part of the time.

use homenode_topology::{HUGE_PAGE, Nanos};

use super::{Access, Op, Rings, Sample, Sampler, Sees, Source, Weight};
use crate::perf::{EventKind, Layout};
use crate::{Collected, Error, Identity, Kernel, Result};

/// Pages of a ring; 64 lost nothing in passes over 64 MiB.
const RING_PAGES: usize = 64;
/// Writing this to `clear_refs` makes pages soft-clean.
const SOFT_DIRTY: &[u8] = b"4";

/// How much the fault sampler may cost its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultOptions {
    /// Share of the target's time, parts per 10,000.
    pub budget_bp: u64,
    /// Time that one fault costs the target: 1.9 us natively with the event, measured.
    pub fault_cost: Nanos,
    /// Shortest time between two passes.
    pub least_period: Nanos,
    /// Longest time between two passes.
    pub most_period: Nanos,
}

impl Default for FaultOptions {
    /// 1 % of the target's time, a pass every 500 ms to 60 s.
    fn default() -> Self {
        Self {
            budget_bp: 100,
            fault_cost: Nanos(1_900),
            least_period: Nanos::millis(500),
            most_period: Nanos::secs(60),
        }
    }
}

/// Observes writes of one process.
pub struct FaultSampler<'k, K> {
    kernel: &'k K,
    process: Identity,
    options: FaultOptions,
    rings: Rings,
    next_pass: Nanos,
    last_pass: Nanos,
    faults: u64,
    clear_cost: Nanos,
}

impl<'k, K: Kernel> FaultSampler<'k, K> {
    /// Starts to observe; the first pass begins with the first collection.
    ///
    /// # Errors
    /// The process is gone, or perf events are not allowed.
    pub fn attach(kernel: &'k K, process: Identity, options: FaultOptions) -> Result<Self> {
        let layout = Layout { page_size: true, registers: 0 };
        let mut rings = Rings::new(process, EventKind::PageFaults, layout, RING_PAGES);
        rings.follow(kernel)?;
        let now = kernel.now();
        Ok(Self {
            kernel,
            process,
            options,
            rings,
            next_pass: now,
            last_pass: now,
            faults: 0,
            clear_cost: Nanos::ZERO,
        })
    }

    /// Time until the next pass.
    #[must_use]
    pub fn until_next_pass(&self) -> Nanos {
        self.next_pass.saturating_sub(self.kernel.now())
    }

    /// Makes all pages clean. The next pass is due when what this one cost fits into the budget.
    fn pass(&mut self, now: Nanos) -> Result<()> {
        let path = format!("proc/{}/clear_refs", self.process.pid);
        self.process.verify(self.kernel)?;
        self.kernel.write(&path, SOFT_DIRTY).map_err(|errno| Error::File {
            action: "write",
            path,
            errno,
        })?;
        self.clear_cost = self.kernel.now().saturating_sub(now);
        (self.last_pass, self.faults) = (now, 0);
        self.plan();
        Ok(())
    }

    fn plan(&mut self) {
        let threads = self.rings.len().max(1) as u64;
        let faults = self.faults.saturating_mul(self.options.fault_cost.0);
        let cost = faults.saturating_add(self.clear_cost.0.saturating_mul(threads));
        let period = (cost / threads).saturating_mul(10_000) / self.options.budget_bp.max(1);
        let period = period.clamp(self.options.least_period.0, self.options.most_period.0);
        self.next_pass = Nanos(self.last_pass.0.saturating_add(period));
    }
}

impl<K: Kernel> Sampler for FaultSampler<'_, K> {
    fn source(&self) -> Source {
        Source::Fault
    }

    fn sees(&self) -> Sees {
        Sees { addresses: true, reads: false, writes: true }
    }

    fn process(&self) -> Identity {
        self.process
    }

    fn collect(&mut self, samples: &mut Vec<Sample>) -> Result<Collected> {
        let before = samples.len();
        let mut collected = self.rings.drain(|raw| {
            samples.push(Sample {
                tid: raw.tid,
                cpu: Some(raw.cpu),
                access: Some(Access {
                    address: raw.address,
                    huge: raw.page_size.map(|size| size >= HUGE_PAGE),
                }),
                node: None,
                op: Op::Write,
                weight: Weight::Faults(1),
                at: raw.at,
            });
        });
        collected.samples = (samples.len() - before) as u64;
        self.faults += collected.samples + collected.lost;
        collected.unobserved_threads = self.rings.follow(self.kernel)?;
        self.plan();
        let now = self.kernel.now();
        if now >= self.next_pass || self.clear_cost == Nanos::ZERO {
            self.pass(now)?;
        }
        Ok(collected)
    }
}
