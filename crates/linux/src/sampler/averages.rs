//! The kernel balancer's own averages of hinting faults, for each thread and node: no addresses, no cost, only
//! while the kernel balances.

use std::collections::BTreeMap;

use super::{Op, Sample, Sampler, Sees, Source, Weight};
use crate::procfs::{read_task_sched, threads};
use crate::{Collected, Identity, Kernel, Result, Tid};

/// Reads the averages of one process.
pub struct AveragesSampler<'k, K> {
    kernel: &'k K,
    process: Identity,
    seen: BTreeMap<Tid, u64>,
}

impl<'k, K: Kernel> AveragesSampler<'k, K> {
    /// Starts to observe.
    ///
    /// # Errors
    /// The process is gone.
    pub fn attach(kernel: &'k K, process: Identity) -> Result<Self> {
        process.verify(kernel)?;
        Ok(Self { kernel, process, seen: BTreeMap::new() })
    }
}

impl<K: Kernel> Sampler for AveragesSampler<'_, K> {
    fn source(&self) -> Source {
        Source::Averages
    }

    fn sees(&self) -> Sees {
        Sees { addresses: false, reads: true, writes: true }
    }

    fn process(&self) -> Identity {
        self.process
    }

    /// One sample for each thread and node, whenever the kernel scanned the process again; averages that did not
    /// change since are not repeated.
    fn collect(&mut self, samples: &mut Vec<Sample>) -> Result<Collected> {
        self.process.verify(self.kernel)?;
        let tids = threads(self.kernel, self.process.pid)?;
        self.seen.retain(|tid, _| tids.binary_search(tid).is_ok());
        let mut collected = Collected::default();
        let at = self.kernel.now();
        for tid in tids {
            let sched = match read_task_sched(self.kernel, self.process.pid, tid) {
                Ok(parsed) => parsed.value,
                Err(error) if error.is_gone() => continue,
                Err(_) => {
                    collected.unobserved_threads += 1;
                    continue;
                }
            };
            let scan = sched.scan_sequence.unwrap_or(0);
            if scan == 0 || self.seen.insert(tid, scan) == Some(scan) {
                continue;
            }
            for faults in sched.faults {
                let count = faults.task_private.saturating_add(faults.task_shared);
                if count > 0 {
                    collected.samples += 1;
                    samples.push(Sample {
                        tid,
                        cpu: None,
                        access: None,
                        node: Some(faults.node),
                        op: Op::Unknown,
                        weight: Weight::Faults(count),
                        at,
                    });
                }
            }
        }
        Ok(collected)
    }
}
