//! What a policy asks of its host, and what it is told came of it.

use homenode_topology::{CpuId, NodeId, PageIndex};
use serde::{Deserialize, Serialize};

use crate::{MmId, PageRange, TaskId};

/// A request to the host. Hosts carry actions out in the order they are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Make present pages inaccessible so that the next touch is seen: walk the address space from
    /// `from`, wrapping never, until `budget` base pages were changed or the end is reached
    /// ([`crate::WalkRules`] says how). Answered by [`crate::Policy::scanned`].
    Arm {
        /// Whose pages.
        mm: MmId,
        /// Where the walk starts.
        from: PageIndex,
        /// Base pages to change.
        budget: u64,
    },
    /// Move pages to a node. In a hinting fault it happens at once, in the faulting task's time.
    MoveRange {
        /// What to move.
        range: PageRange,
        /// Where to.
        to: NodeId,
        /// On whose behalf.
        task: TaskId,
    },
    /// Put a task on a CPU.
    MoveTask {
        /// Which task.
        task: TaskId,
        /// Where to.
        to: CpuId,
    },
    /// Exchange the CPUs of two tasks.
    Swap {
        /// One task.
        task: TaskId,
        /// The other.
        with: TaskId,
    },
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was done; for pages, how many base pages moved.
    Done {
        /// Base pages moved, 0 for tasks.
        pages: u32,
    },
    /// It was not done and nothing changed.
    Failed(Failure),
}

/// Why a host could not carry out an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Somebody else holds the page or the task (EBUSY).
    Busy,
    /// The target has no room (ENOMEM).
    NoMemory,
    /// The page, task or address space is gone (ESRCH, ENOENT).
    Gone,
    /// Affinity, a cpuset or missing rights forbid it (EPERM, EACCES, EINVAL).
    Forbidden,
    /// The host cannot move this kind of page, for example a huge page before native THP migration.
    Unsupported,
}

/// What a walk asked for by [`Action::Arm`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// Whose pages were walked.
    pub mm: MmId,
    /// Where the next walk should start; `None` when the end of the address space was reached.
    pub next: Option<PageIndex>,
    /// Base pages looked at.
    pub scanned: u64,
    /// Base pages charged to the budget.
    pub charged: u64,
}

impl Action {
    /// A short name for tables and logs: `arm`, `move_range`, `move_task` or `swap`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Arm { .. } => "arm",
            Self::MoveRange { .. } => "move_range",
            Self::MoveTask { .. } => "move_task",
            Self::Swap { .. } => "swap",
        }
    }
}
