//! A policy's decision as a host reports it.

use homenode_balance::{Hold, Outcome, TaskId, Verdict};
use homenode_topology::Nanos;
use serde::Serialize;

/// What a policy decided, when, for which task, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// Virtual time.
    pub at: Nanos,
    /// The task in whose fault or tick it was decided.
    pub task: TaskId,
    /// What it was.
    #[serde(flatten)]
    pub what: Choice,
}

/// An action, or none.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Something was asked for.
    Acted {
        /// What and why.
        verdict: Verdict,
        /// What came of it; nothing yet for a copy that has only begun.
        outcome: Option<Outcome>,
    },
    /// Everything was left as it is.
    Held(Hold),
}

impl Decision {
    pub(crate) fn acted(
        now: u64,
        task: TaskId,
        verdict: Verdict,
        outcome: Option<Outcome>,
    ) -> Self {
        Self { at: Nanos(now), task, what: Choice::Acted { verdict, outcome } }
    }

    pub(crate) fn held(now: u64, task: TaskId, hold: Hold) -> Self {
        Self { at: Nanos(now), task, what: Choice::Held(hold) }
    }
}
