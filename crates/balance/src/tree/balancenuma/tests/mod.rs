//! The rules of other-trees 4, each by example, through a host whose every figure the test sets.

mod fault;
mod properties;
mod scan;
mod stages;

use std::collections::BTreeMap;
use std::vec::Vec;

use homenode_topology::{CpuId, Nanos, NodeId, PageIndex};

use super::{Balancenuma, Features};
use crate::fake_view::FakeView;
use crate::{
    Action, Failure, Hold, MmId, Observation, Op, Outbox, Outcome, PageRange, PageTag, Policy,
    Scan, Source, TaskId, TaskView, Verdict, Weight,
};

const MM: MmId = MmId(0);
/// CPUs on nodes 0 and 8, the second with a gap before it.
const NEAR: CpuId = CpuId(0);
const FAR: CpuId = CpuId(2);
const NODE_NEAR: NodeId = NodeId(0);
const NODE_FAR: NodeId = NodeId(8);
const LIMIT: u64 = 32_768;

/// What a policy said in one call.
#[derive(Debug, PartialEq)]
struct Answer {
    verdicts: Vec<Verdict>,
    holds: Vec<Hold>,
}

impl Answer {
    /// The only action, if nothing was held.
    fn action(&self) -> Option<&Action> {
        match (self.verdicts.as_slice(), self.holds.as_slice()) {
            ([verdict], []) => Some(&verdict.action),
            _ => None,
        }
    }

    /// The only hold, if nothing was asked for.
    fn hold(&self) -> Option<Hold> {
        match (self.verdicts.as_slice(), self.holds.as_slice()) {
            ([], [hold]) => Some(*hold),
            _ => None,
        }
    }

    fn is_silent(&self) -> bool {
        self.verdicts.is_empty() && self.holds.is_empty()
    }
}

/// A machine with nodes 0, 8 and 9 under one policy.
struct Host {
    view: FakeView,
    policy: Balancenuma,
    tags: BTreeMap<PageIndex, PageTag>,
    out: Outbox,
}

impl Host {
    fn new(features: Features) -> Self {
        let view = FakeView::new(&[0, 8, 9]);
        let policy = Balancenuma::new("balancenuma:test", features, &view.machine);
        Self { view, policy, tags: BTreeMap::new(), out: Outbox::explaining() }
    }

    fn start(&mut self, mm: MmId, cpu: CpuId) -> TaskId {
        let task = TaskId(self.view.tasks.len() as u32);
        let (runtime, started) = (Nanos::ZERO, self.view.now);
        self.view.tasks.push(TaskView { mm: Some(mm), cpu, runtime, started });
        self.policy.task_started(&self.view, task, mm, &mut self.out);
        task
    }

    /// A task that runs on `cpu` and has scanned once, at the shortest period.
    fn start_old(&mut self, mm: MmId, cpu: CpuId) -> TaskId {
        let task = self.start(mm, cpu);
        self.run(task, 1001);
        task
    }

    /// The task runs for `ms`, and wall time passes as well; then the tick comes.
    fn run(&mut self, task: TaskId, ms: u64) -> Answer {
        self.view.now += Nanos::millis(ms);
        self.run_aside(task, ms)
    }

    /// The same in the shadow of other tasks: wall time stands still.
    fn run_aside(&mut self, task: TaskId, ms: u64) -> Answer {
        self.view.tasks[task.index()].runtime += Nanos::millis(ms);
        self.policy.tick(&self.view, task, &mut self.out);
        self.answer()
    }

    fn walked(&mut self, task: TaskId, mm: MmId, next: Option<u64>) {
        let scan = Scan { mm, next: next.map(PageIndex), scanned: 0, charged: 0 };
        self.policy.scanned(&self.view, task, &scan);
    }

    fn seen(
        &self,
        task: TaskId,
        first: u64,
        pages: u32,
        node: NodeId,
        source: Source,
    ) -> Observation {
        let state = self.view.tasks[task.index()];
        Observation {
            task,
            cpu: state.cpu,
            range: PageRange { mm: state.mm.unwrap_or(MM), first: PageIndex(first), pages },
            node,
            op: Op::Unknown,
            source,
            weight: Weight::Faults(1),
            at: self.view.now,
        }
    }

    fn observe(&mut self, seen: &Observation) -> Answer {
        let tag = self.tags.entry(seen.range.first).or_default();
        self.policy.observe(&self.view, seen, tag, &mut self.out);
        self.answer()
    }

    /// A fault on a base page on `node`.
    fn fault(&mut self, task: TaskId, first: u64, node: NodeId) -> Answer {
        let seen = self.seen(task, first, 1, node, Source::HintingFault);
        self.observe(&seen)
    }

    /// The same on a huge page.
    fn fault_huge(&mut self, task: TaskId, first: u64, node: NodeId) -> Answer {
        let seen = self.seen(task, first, 512, node, Source::HintingFault);
        self.observe(&seen)
    }

    /// A base page found on the way, in a batch.
    fn batch(&mut self, task: TaskId, first: u64, node: NodeId) -> Answer {
        let seen = self.seen(task, first, 1, node, Source::PmdBatch);
        self.observe(&seen)
    }

    fn ended(&mut self, answer: &Answer, outcome: Outcome) {
        let action = answer.action().expect("an action to end");
        self.policy.outcome(&self.view, action, outcome, None);
    }

    fn failed(&mut self, answer: &Answer) {
        self.ended(answer, Outcome::Failed(Failure::Busy));
    }

    /// Fills the far node's window: two touches of each huge page of a region.
    fn fill_far_window(&mut self, task: TaskId) {
        let cpu = core::mem::replace(&mut self.view.tasks[task.index()].cpu, FAR);
        for page in (1 << 40..).step_by(512).take(1 + LIMIT as usize / 512) {
            self.fault_huge(task, page, NODE_NEAR);
            assert!(self.fault_huge(task, page, NODE_NEAR).action().is_some());
        }
        self.view.tasks[task.index()].cpu = cpu;
    }

    fn period_ms(&self, task: TaskId) -> u64 {
        self.policy.clocks.get(task.index()).expect("a clock").period().0 / 1_000_000
    }

    fn answer(&mut self) -> Answer {
        let verdicts = core::iter::from_fn(|| self.out.take()).collect();
        Answer { verdicts, holds: self.out.take_holds() }
    }
}
