//! What is left of a slice, and what of it was spent in the kernel.

/// Time account of one slice, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    length: f64,
    left: f64,
    system: f64,
}

/// Time below this is not worth another step: a tenth of a nanosecond.
const NOTHING: f64 = 0.1;

impl Meter {
    pub(crate) fn new(length: u64) -> Self {
        Self { length: length as f64, left: length as f64, system: 0.0 }
    }

    /// Time left.
    pub(crate) fn left(&self) -> f64 {
        self.left
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left <= NOTHING
    }

    /// Time spent since the slice began, whole ns.
    pub(crate) fn offset(&self) -> u64 {
        (self.length - self.left).max(0.0) as u64
    }

    /// Spends time in the program; at most what is left.
    pub(crate) fn spend(&mut self, time: f64) {
        self.left -= time.min(self.left);
    }

    /// Spends the rest waiting for memory.
    pub(crate) fn spend_all(&mut self) {
        self.left = 0.0;
    }

    /// Spends time in the kernel, at most what is left; returns how much it was.
    pub(crate) fn spend_system(&mut self, time: f64) -> f64 {
        let time = time.min(self.left);
        self.left -= time;
        self.system += time;
        time
    }

    /// User and system time of a slice that is over, whole ns; together they are the time spent.
    pub(crate) fn close(&self) -> (u64, u64) {
        let spent = if self.is_spent() { self.length as u64 } else { self.offset() };
        let system = (self.system as u64).min(spent);
        (spent - system, system)
    }
}
