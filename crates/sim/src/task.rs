//! A thread of the workload: where it is in its program and what it waits for.

use std::sync::Arc;

use homenode_balance::{MmId, Observation, TaskId};
use homenode_topology::Nanos;
use homenode_workload::{MemoryPolicy, Step, Thread};

/// What a task does for the kernel before it goes on with its program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KernelWork {
    /// Clears a new huge page after a first touch.
    Clear {
        chunk: usize,
        node: usize,
        /// Bytes left.
        left: f64,
    },
    /// Copies a huge page to another node after a hinting fault.
    Copy {
        chunk: usize,
        from: usize,
        to: usize,
        /// Bytes left.
        left: f64,
        seen: Observation,
    },
}

/// How far a task is in its present step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Progress {
    /// Not begun.
    Fresh,
    /// In a sweep, at this byte of the address space.
    Sweep { pass: u32, at: u64 },
    /// In random accesses: lines left, and time already spent on the next.
    Random { lines: u64, spent: f64 },
    /// In a computation; nanoseconds at full core speed left.
    Compute { left: f64 },
    /// Ready for the next step once woken.
    Waited,
}

/// Whether a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Runnable,
    Sleeping {
        until: u64,
    },
    Joining,
    AtBarrier {
        id: u32,
    },
    /// Waits for the lock of a huge page that is being copied.
    AtPage {
        chunk: usize,
    },
    Ended {
        at: u64,
    },
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) mm: MmId,
    pub(crate) parent: Option<TaskId>,
    pub(crate) policy: MemoryPolicy,
    pub(crate) script: Arc<Thread>,
    pub(crate) step: usize,
    pub(crate) progress: Progress,
    pub(crate) state: State,
    /// Threads it created that have not ended.
    pub(crate) children: u32,
    pub(crate) work: Option<KernelWork>,
    /// System time owed before it goes on, ns.
    pub(crate) stall: f64,
    /// Node slot its next access goes to, as far as known.
    pub(crate) target: Option<usize>,
    /// In random accesses, the demand on each node slot in full-speed streams.
    pub(crate) scatter: Vec<(usize, f64)>,
    pub(crate) started: Nanos,
    /// CPU time used, ns.
    pub(crate) user: u64,
    pub(crate) system: u64,
}

impl Task {
    pub(crate) fn new(
        mm: MmId,
        parent: Option<TaskId>,
        policy: MemoryPolicy,
        script: Arc<Thread>,
        started: Nanos,
    ) -> Self {
        Self {
            mm,
            parent,
            policy,
            script,
            step: 0,
            progress: Progress::Fresh,
            state: State::Runnable,
            children: 0,
            work: None,
            stall: 0.0,
            target: None,
            scatter: Vec::new(),
            started,
            user: 0,
            system: 0,
        }
    }

    /// The step it is in; `None` when it is done.
    pub(crate) fn current(&self) -> Option<&Step> {
        self.script.steps.get(self.step)
    }

    /// Whether it has not ended.
    pub(crate) const fn is_alive(&self) -> bool {
        !matches!(self.state, State::Ended { .. })
    }

    /// Goes on to the next step.
    pub(crate) fn next_step(&mut self) {
        self.step += 1;
        self.progress = Progress::Fresh;
        self.scatter.clear();
    }
}
