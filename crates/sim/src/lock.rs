//! Locks that one address space has once: how long a thread waits for them.
//!
//! Within a fluid quantum there is no exact order of acquisitions, so waiting follows from utilisation:
//! with a share `u` of the last quanta held, an arriving thread waits `h u / (1 - u)` for a hold time
//! `h`, at most the holds of all other contenders (effects E8 and E10 of machine-model 1.1).

/// A lock's use over the recent past.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lock {
    held: f64,
    utilisation: f64,
}

/// Weight of the newest quantum in the running utilisation.
const FRESH: f64 = 0.2;

impl Lock {
    /// Takes the lock for `hold` ns among `contenders` threads; returns how long the thread waits.
    pub(crate) fn acquire(&mut self, hold: f64, contenders: usize) -> f64 {
        self.held += hold;
        let queue = self.utilisation / (1.0 - self.utilisation);
        hold * queue.min(contenders.saturating_sub(1) as f64)
    }

    /// Closes a quantum of `length` ns.
    pub(crate) fn close(&mut self, length: f64) {
        let used = (self.held / length).min(0.999);
        self.utilisation += FRESH * (used - self.utilisation);
        self.held = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn an_idle_lock_costs_no_wait_and_a_busy_one_does() {
        let mut lock = Lock::default();
        assert_eq!(lock.acquire(100.0, 10), 0.0);
        for _ in 0..100 {
            for _ in 0..50 {
                lock.acquire(100.0, 10);
            }
            lock.close(10_000.0);
        }
        let half = lock.acquire(100.0, 10);
        assert!((half - 100.0).abs() < 1.0, "half busy: one hold, got {half}");
        for _ in 0..100 {
            for _ in 0..1000 {
                lock.acquire(100.0, 10);
            }
            lock.close(10_000.0);
        }
        assert_eq!(lock.acquire(100.0, 10), 900.0, "at most the nine others");
    }
}
