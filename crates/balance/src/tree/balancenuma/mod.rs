//! balancenuma V5 (Mel Gorman, November 2012): memory follows tasks; tasks are left alone.
//!
//! Rules (other-trees 4, with the corner cases of its merged descendant, Linux 3.11):
//! * [`scan`]: in its own CPU time a task arms 256 MB of its address space, at most once a period for all
//!   threads together;
//! * [`fault`]: a page touched twice running from the same remote node moves there at once, in the
//!   faulting task's time, within a rate limit for each destination;
//! * faults that move nothing make the task scan more rarely.
//!
//! Source: the V3 to V10 postings as restated in other-trees 4.1 to 4.4.
//! Known weakness: it is greedy and cannot interleave, so that memory shared by all nodes (numa01) stays
//! on one; without huge pages nearly every fault migrates and scanning never slows down; who runs where
//! is luck, so results swing (other-trees 4.6).

mod fault;
mod features;
mod scan;

use homenode_topology::{Machine, Nanos};

pub use features::Features;

use crate::mechanism::{
    Limit, RateLimit, ScanClock, ScanPeriod, ScanReset, ScanTurn, StartGate, Table,
};
use crate::{
    Action, HostRules, MmId, Observation, Outbox, Outcome, PageTag, Policy, Scan, TaskId, View,
};

/// Base pages a scan changes: 256 MiB.
const SCAN_PAGES: u64 = 65_536;
/// How often an address space's scanner goes back to the shortest period.
const RESET_INTERVAL: Nanos = Nanos::secs(60);

/// One stage of balancenuma V5.
#[derive(Clone, Debug)]
pub struct Balancenuma {
    name: &'static str,
    features: Features,
    rules: HostRules,
    period: ScanPeriod,
    clocks: Table<ScanClock>,
    spaces: Table<AddressSpace>,
    moved: RateLimit,
}

/// What is kept for each address space.
#[derive(Clone, Debug)]
struct AddressSpace {
    gate: StartGate,
    reset: ScanReset,
    turn: ScanTurn,
}

impl Balancenuma {
    /// The kernel with these patches.
    #[must_use]
    pub fn new(name: &'static str, features: Features, machine: &Machine) -> Self {
        Self {
            name,
            features,
            rules: features.rules(),
            period: features.period(),
            clocks: Table::new(),
            spaces: Table::new(),
            moved: RateLimit::new(Limit::KERNEL, machine),
        }
    }
}

impl Policy for Balancenuma {
    fn name(&self) -> &str {
        self.name
    }

    fn rules(&self) -> &HostRules {
        &self.rules
    }

    fn task_started(&mut self, view: &dyn View, task: TaskId, mm: MmId, _out: &mut Outbox) {
        if !self.features.sampling {
            return;
        }
        self.clocks.insert(task.index(), ScanClock::new(&self.period));
        if !self.spaces.contains(mm.index()) {
            let now = view.now();
            let space = AddressSpace {
                gate: StartGate::Init,
                reset: ScanReset::new(now, RESET_INTERVAL),
                turn: ScanTurn::new(now),
            };
            self.spaces.insert(mm.index(), space);
        }
    }

    fn task_exited(&mut self, _view: &dyn View, task: TaskId) {
        self.clocks.remove(task.index());
    }

    fn tick(&mut self, view: &dyn View, task: TaskId, out: &mut Outbox) {
        self.scan(view, task, out);
    }

    fn scanned(&mut self, _view: &dyn View, _task: TaskId, scan: &Scan) {
        if let Some(space) = self.spaces.get_mut(scan.mm.index()) {
            space.turn.walked(scan.next);
        }
    }

    fn observe(
        &mut self,
        view: &dyn View,
        seen: &Observation,
        tag: &mut PageTag,
        out: &mut Outbox,
    ) {
        if self.features.sampling {
            self.fault(view, seen, tag, out);
        }
    }

    fn outcome(
        &mut self,
        _view: &dyn View,
        action: &Action,
        outcome: Outcome,
        _seen: Option<&Observation>,
    ) {
        if let Action::MoveRange { task, .. } = *action {
            self.move_ended(task, outcome);
        }
    }
}

#[cfg(test)]
mod tests;
