//! Housekeeping: kernel threads bound to CPUs, and monitors and shells that start anywhere.

use crate::calibration::NoiseFit;
use crate::stream::{Kind, Stream};

/// One housekeeping process.
#[derive(Clone, Debug)]
pub(crate) struct Housekeeper {
    /// The CPU it is bound to; `None` runs anywhere.
    pub(crate) bound: Option<usize>,
    /// When it wants to run next; `None` while it runs.
    pub(crate) wakes: Option<u64>,
    /// CPU time it still wants in this burst, ns.
    pub(crate) wants: u64,
    /// The CPU whose queue holds it while it runs.
    pub(crate) cpu: usize,
    mean_sleep: f64,
    mean_burst: f64,
    stream: Stream,
}

/// All of them.
pub(crate) fn housekeepers(fit: &NoiseFit, cpus: usize, seed: u64) -> Vec<Housekeeper> {
    let make = |bound, kind, id: usize, sleep: u64, burst: u64| {
        let mut keeper = Housekeeper {
            bound,
            wakes: None,
            wants: 0,
            cpu: 0,
            mean_sleep: sleep as f64,
            mean_burst: burst as f64,
            stream: Stream::new(seed, kind, id as u64),
        };
        keeper.sleep(0);
        keeper
    };
    let kthreads = (0..cpus).map(|cpu| {
        make(Some(cpu), Kind::Kthread, cpu, fit.kthread_period_ns, fit.kthread_burst_ns)
    });
    let daemons = (0..fit.daemons as usize)
        .map(|id| make(None, Kind::Daemon, id, fit.daemon_sleep_ns, fit.daemon_burst_ns));
    kthreads.chain(daemons).collect()
}

impl Housekeeper {
    /// Ends a burst and draws the next one. Sleeps and bursts are exponentially distributed.
    pub(crate) fn sleep(&mut self, now: u64) {
        self.wakes = Some(now + self.stream.exponential(self.mean_sleep) as u64);
        self.wants = 1 + self.stream.exponential(self.mean_burst) as u64;
    }
}
