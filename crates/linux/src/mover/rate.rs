//! How much is moved in a second.

use homenode_topology::{Bandwidth, Bytes, Nanos};

/// Paces moves: each batch may start when the ones before it are paid for at the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    limit: Option<Bandwidth>,
    paid_until: Nanos,
}

impl Rate {
    /// Nothing to pay for yet.
    #[must_use]
    pub fn new(limit: Option<Bandwidth>, now: Nanos) -> Self {
        Self { limit, paid_until: now }
    }

    /// How long to wait before the next batch.
    #[must_use]
    pub fn wait(&self, now: Nanos) -> Nanos {
        self.paid_until.saturating_sub(now)
    }

    /// Counts a batch that starts now. Time without moves is not saved up.
    pub fn spend(&mut self, bytes: Bytes, now: Nanos) {
        let Some(limit) = self.limit else { return };
        let price = u128::from(bytes.0) * 1_000_000_000 / u128::from(limit.0.max(1));
        let price = u64::try_from(price).unwrap_or(u64::MAX);
        self.paid_until = Nanos(self.paid_until.max(now).0.saturating_add(price));
    }
}
