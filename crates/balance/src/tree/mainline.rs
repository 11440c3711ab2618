//! No balancing: what Linux did before 3.8, and the baseline of the 2012 comparisons.
//!
//! Rules: a page comes from the node of the CPU that first touches it, or the next node with room; the
//! scheduler balances load and knows nothing of memory; nothing ever migrates. Source: other-trees 3.1.
//! Known weakness: a program whose main thread initialises its memory keeps all of it on one node, so
//! that one memory controller serves everybody; where it is not that bad, the initial placement decides
//! the whole run, and results spread widely.

use crate::{HostRules, Launch, Policy};

/// A tree that leaves everything to the host, and differs from its like in how programs are started.
#[derive(Clone, Debug)]
pub struct Mainline {
    name: &'static str,
    rules: HostRules,
}

pub(super) fn build() -> Mainline {
    Mainline::launching("mainline", Launch::AsWritten)
}

impl Mainline {
    pub(super) fn launching(name: &'static str, launch: Launch) -> Self {
        Self { name, rules: HostRules { launch, ..HostRules::default() } }
    }
}

impl Policy for Mainline {
    fn name(&self) -> &str {
        self.name
    }

    fn rules(&self) -> &HostRules {
        &self.rules
    }
}
