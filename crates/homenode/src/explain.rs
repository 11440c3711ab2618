//! Decisions of a policy as lines of text.

use std::fmt;

use homenode_balance::{Action, Failure, Outcome};
use homenode_sim::{Choice, Decision};

/// Prints a decision: when, for which thread, what, why, and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a Decision);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decision { at, task, what } = self.0;
        write!(f, "{:>12.6} s  thread {:<5} ", at.as_secs_f64(), task.0)?;
        match what {
            Choice::Acted { verdict, outcome } => {
                action(f, &verdict.action)?;
                write!(f, ": {}", verdict.reason)?;
                match outcome {
                    None | Some(Outcome::Done { pages: 0 }) => Ok(()),
                    Some(Outcome::Done { pages }) => write!(f, "; {pages} pages moved"),
                    Some(Outcome::Failed(failure)) => write!(f, "; failed: {}", cause(*failure)),
                }
            }
            Choice::Held(hold) => write!(f, "hold: {hold}"),
        }
    }
}

fn action(f: &mut fmt::Formatter<'_>, action: &Action) -> fmt::Result {
    match action {
        Action::Arm { mm, from, budget } => {
            write!(f, "scan process {} from page {}, {budget} pages", mm.0, from.0)
        }
        Action::MoveRange { range, to, .. } => {
            let (first, pages) = (range.first.0, range.pages);
            write!(f, "move process {} page {first}, {pages} pages, to {to}", range.mm.0)
        }
        Action::MoveTask { task, to } => write!(f, "move thread {} to {to}", task.0),
        Action::Swap { task, with } => write!(f, "swap threads {} and {}", task.0, with.0),
    }
}

fn cause(failure: Failure) -> &'static str {
    match failure {
        Failure::Busy => "somebody else holds it",
        Failure::NoMemory => "the target has no room",
        Failure::Gone => "it is gone",
        Failure::Forbidden => "it is not allowed",
        Failure::Unsupported => "this kind of page cannot move",
    }
}

#[cfg(test)]
mod tests {
    use homenode_balance::{Hold, MmId, PageRange, Reason, TaskId, Verdict};
    use homenode_topology::{Nanos, NodeId, PageIndex};

    use super::*;

    #[test]
    fn a_line_holds_time_thread_action_reason_and_outcome() {
        let range = PageRange { mm: MmId(1), first: PageIndex(512), pages: 512 };
        let action = Action::MoveRange { range, to: NodeId(2), task: TaskId(7) };
        let reason = Reason::Misplaced { from: NodeId(0), to: NodeId(2) };
        let verdict = Verdict { action, reason };
        let what = Choice::Acted { verdict, outcome: Some(Outcome::Failed(Failure::NoMemory)) };
        let decision = Decision { at: Nanos::millis(1500), task: TaskId(7), what };
        assert_eq!(
            Line(&decision).to_string(),
            "    1.500000 s  thread 7     move process 1 page 512, 512 pages, to N2: \
             lies on N0, used from N2; failed: the target has no room"
        );
        let what = Choice::Held(Hold::Local { node: NodeId(3) });
        let decision = Decision { at: Nanos::ZERO, task: TaskId(0), what };
        assert_eq!(Line(&decision).to_string(), "    0.000000 s  thread 0     hold: already on N3");
    }
}
