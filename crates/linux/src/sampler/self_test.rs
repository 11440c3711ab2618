//! Self-tests: a sampler is trusted only after it saw right what a child of this process does.

use homenode_topology::Nanos;

use super::{FaultOptions, FaultSampler, Op, Sampler, Source};
use crate::procfs::{Balancing, read_knobs, read_task_sched};
use crate::{Identity, Kernel, Result};

/// Pages that the child writes to.
const PAGES: usize = 64;
/// Rounds of looking, and the time between them.
const ROUNDS: u32 = 10;
const ROUND: Nanos = Nanos::millis(10);

/// Whether a sampler can be used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It saw what it should.
    Trusted {
        /// In numbers.
        evidence: String,
    },
    /// It is not used.
    NotTrusted {
        /// Why.
        reason: String,
        /// What would help, if anything: a command.
        remedy: Option<String>,
    },
}

impl Verdict {
    /// Whether the sampler can be used.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        matches!(self, Self::Trusted { .. })
    }
}

/// The verdict on one sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// Which sampler.
    pub source: Source,
    /// The verdict.
    pub verdict: Verdict,
}

impl SelfTest {
    /// Tests the fault sampler; takes about a tenth of a second.
    #[must_use]
    pub fn fault(kernel: &impl Kernel) -> Self {
        let verdict = fault(kernel).unwrap_or_else(|error| {
            let paranoid = read_knobs(kernel).perf_event_paranoid.filter(|&level| level > 2);
            Verdict::NotTrusted {
                reason: error.to_string(),
                remedy: paranoid.map(|_| "sysctl kernel.perf_event_paranoid=2".into()),
            }
        });
        Self { source: Source::Fault, verdict }
    }

    /// Tests whether the kernel tells its averages.
    #[must_use]
    pub fn averages(kernel: &impl Kernel) -> Self {
        let balancing = read_knobs(kernel).balancing;
        let verdict = match averages(kernel) {
            Ok(nodes) if nodes > 0 && balancing.is_some_and(Balancing::is_on) => {
                Verdict::Trusted { evidence: format!("averages of {nodes} nodes") }
            }
            Ok(nodes) if nodes > 0 => Verdict::NotTrusted {
                reason: "the kernel's balancer is off, so its averages do not change".into(),
                remedy: Some("sysctl kernel.numa_balancing=1".into()),
            },
            Ok(_) => Verdict::NotTrusted {
                reason:
                    "task/TID/sched has no numa_faults lines: the kernel lacks NUMA balancing or \
                         SCHED_DEBUG"
                        .into(),
                remedy: None,
            },
            Err(error) => Verdict::NotTrusted { reason: error.to_string(), remedy: None },
        };
        Self { source: Source::Averages, verdict }
    }
}

fn averages(kernel: &impl Kernel) -> Result<usize> {
    let child = spawn(kernel)?;
    let pid = child.pid();
    Ok(read_task_sched(kernel, pid, pid.leader())?.value.faults.len())
}

fn spawn(kernel: &impl Kernel) -> Result<Box<dyn crate::Writer>> {
    kernel.spawn_writer(PAGES).map_err(|errno| crate::Error::Call {
        call: "fork",
        target: "a child for a self-test".into(),
        errno,
    })
}

fn fault(kernel: &impl Kernel) -> Result<Verdict> {
    let child = spawn(kernel)?;
    // All pages must be there first, so that only writes to clean pages fault.
    kernel.sleep(ROUND);
    let process = Identity::of(kernel, child.pid())?;
    let options = FaultOptions {
        budget_bp: u64::MAX,
        least_period: ROUND,
        most_period: ROUND,
        ..FaultOptions::default()
    };
    let mut sampler = FaultSampler::attach(kernel, process, options)?;
    let mut samples = Vec::new();
    let mut lost = 0;
    for _ in 0..ROUNDS {
        lost += sampler.collect(&mut samples)?.lost;
        kernel.sleep(ROUND);
    }
    lost += sampler.collect(&mut samples)?.lost;
    let area = child.area();
    let tid = child.pid().leader();
    let inside = |address: u64| area.contains(&address);
    let hits: Vec<u64> =
        samples.iter().filter_map(|s| s.access).map(|a| a.address).filter(|&a| inside(a)).collect();
    let wrong = samples.iter().filter(|s| s.tid != tid || s.op != Op::Write).count();
    let mut pages: Vec<u64> = hits.iter().map(|address| address / 4096).collect();
    pages.sort_unstable();
    pages.dedup();
    let told = |reason: String| Verdict::NotTrusted { reason, remedy: None };
    Ok(if hits.is_empty() {
        told(
            "the kernel took `4` for clear_refs but no write faulted: it has no soft-dirty bits \
             (CONFIG_MEM_SOFT_DIRTY)"
                .into(),
        )
    } else if wrong > 0 || pages.len() < PAGES {
        told(format!("{} of {PAGES} pages seen, {wrong} samples by a wrong thread", pages.len()))
    } else {
        let (seen, hits) = (pages.len(), hits.len());
        Verdict::Trusted {
            evidence: format!("{seen} of {PAGES} pages, {hits} faults, {lost} lost"),
        }
    })
}
