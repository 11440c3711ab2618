//! What is left of a slice, what of it was spent in the kernel, and how fast its CPU is.

/// Time account of one slice, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    length: f64,
    left: f64,
    system: f64,
    speed: f64,
}

/// Time below this is not worth another step: a tenth of a nanosecond.
const NOTHING: f64 = 0.1;

impl Meter {
    /// A slice on a CPU that has this share of a core's full speed.
    pub(crate) fn new(length: u64, speed: f64) -> Self {
        Self { length: length as f64, left: length as f64, system: 0.0, speed }
    }

    /// Speed of the CPU relative to a core of its own.
    pub(crate) fn speed(&self) -> f64 {
        self.speed
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

#[cfg(test)]
mod tests {
    use super::Meter;

    #[test]
    fn user_and_system_time_add_up_to_what_was_spent() {
        let mut meter = Meter::new(1000, 1.0);
        meter.spend(300.25);
        assert_eq!(meter.spend_system(100.5), 100.5);
        assert_eq!(meter.offset(), 400);
        assert_eq!(meter.close(), (300, 100));
    }

    #[test]
    fn no_more_is_spent_than_there_is() {
        let mut meter = Meter::new(1000, 1.0);
        meter.spend(400.0);
        assert_eq!(meter.spend_system(900.0), 600.0);
        assert_eq!((meter.spend_system(1.0), meter.left()), (0.0, 0.0));
        meter.spend(5.0);
        assert!(meter.is_spent());
        assert_eq!(meter.close(), (400, 600));
    }

    #[test]
    fn waiting_for_memory_is_user_time() {
        let mut meter = Meter::new(1000, 1.0);
        meter.spend_all();
        assert_eq!(meter.close(), (1000, 0));
    }

    /// Parts of a nanosecond must not add up to a nanosecond that the slice does not have.
    #[test]
    fn a_slice_of_many_fractions_is_used_whole() {
        let mut meter = Meter::new(100, 1.0);
        while !meter.is_spent() {
            meter.spend(0.35);
            meter.spend_system(0.35);
        }
        let (user, system) = meter.close();
        assert_eq!(user + system, 100);
        assert!((49..=50).contains(&system), "{system}");
    }
}
