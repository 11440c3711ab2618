//! How many pages go into one call, so that no call takes longer than the budget.

use homenode_topology::Nanos;

/// Fewest pages in a call.
const LEAST: usize = 1;
/// Most pages in a call; larger ones brought nothing in measurements.
const MOST: usize = 8192;
/// Pages in the first call, before anything is known of the target: 20 ms where a busy guest needs more than a
/// millisecond for each.
const FIRST: usize = 16;

/// Size of the next batch, learnt from the time of the calls before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    size: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { size: FIRST }
    }
}

impl Batch {
    /// Pages for the next call.
    #[must_use]
    pub fn size(self) -> usize {
        self.size
    }

    /// Learns from a call: shrinks at once to what would have fitted into the budget, grows at most twofold and
    /// only after a full batch that took less than half of it.
    pub fn learn(&mut self, pages: usize, took: Nanos, budget: Nanos) {
        if took > budget {
            let fitting = (pages as u64).saturating_mul(budget.0) / took.0.max(1);
            self.size = usize::try_from(fitting).unwrap_or(MOST).clamp(LEAST, self.size);
        } else if pages >= self.size && took.0 < budget.0 / 2 {
            self.size = (self.size * 2).min(MOST);
        }
    }
}
