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

#[cfg(test)]
mod tests {
    use homenode_topology::{Nanos, NodeId, PageIndex};

    use super::*;
    use crate::MmId;

    fn arm(from: u64) -> Action {
        Action::Arm { mm: MmId(1), from: PageIndex(from), budget: 512 }
    }

    const DUE: Reason = Reason::ScanDue { period: Nanos::millis(100) };

    #[test]
    fn verdicts_come_out_in_the_order_they_went_in() {
        let mut out = Outbox::new();
        out.act(arm(1), DUE);
        out.act(arm(2), DUE);
        assert_eq!(out.take().map(|verdict| verdict.action), Some(arm(1)));
        assert_eq!(out.take().map(|verdict| verdict.action), Some(arm(2)));
        assert!(out.is_empty() && out.take().is_none());
    }

    #[test]
    fn holds_are_kept_only_for_those_who_ask() {
        let hold = Hold::Local { node: NodeId(0) };
        let (mut deaf, mut curious) = (Outbox::new(), Outbox::explaining());
        deaf.hold(hold);
        curious.hold(hold);
        assert!(deaf.take_holds().is_empty());
        assert_eq!(curious.take_holds(), [hold]);
        assert!(curious.take_holds().is_empty());
    }

    /// The form in which verdicts are recorded.
    #[test]
    fn a_verdict_survives_its_recording() {
        let verdict = Verdict { action: arm(7), reason: DUE };
        let recorded = serde_json::to_string(&verdict).unwrap();
        assert_eq!(
            recorded,
            r#"{"action":{"arm":{"mm":1,"from":7,"budget":512}},"reason":"scan_due","period":100000000}"#
        );
        assert_eq!(serde_json::from_str::<Verdict>(&recorded).unwrap(), verdict);
    }
}
