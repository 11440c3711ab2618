//! Where a policy puts its answers.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::{Action, Hold, Reason};

/// An action with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// What to do.
    pub action: Action,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// Collects verdicts during one call of a policy. The host empties it after the call and keeps the
/// allocation, so that a hinting fault allocates nothing.
#[derive(Debug, Default)]
pub struct Outbox {
    verdicts: Vec<Verdict>,
    holds: Option<Vec<Hold>>,
}

impl Outbox {
    /// An outbox that drops explanations of inaction.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An outbox that keeps them.
    #[must_use]
    pub fn explaining() -> Self {
        Self { verdicts: Vec::new(), holds: Some(Vec::new()) }
    }

    /// Asks for an action.
    pub fn act(&mut self, action: Action, reason: Reason) {
        self.verdicts.push(Verdict { action, reason });
    }

    /// Says why nothing is done.
    pub fn hold(&mut self, hold: Hold) {
        if let Some(holds) = &mut self.holds {
            holds.push(hold);
        }
    }

    /// The oldest verdict not taken yet.
    pub fn take(&mut self) -> Option<Verdict> {
        if self.verdicts.is_empty() { None } else { Some(self.verdicts.remove(0)) }
    }

    /// Whether there is no verdict.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Takes the explanations of inaction, oldest first.
    pub fn take_holds(&mut self) -> Vec<Hold> {
        self.holds.as_mut().map(core::mem::take).unwrap_or_default()
    }
}
