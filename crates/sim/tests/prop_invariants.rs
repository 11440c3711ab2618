//! What must hold in every run (machine-model 5.3), on random machines with random workloads under
//! every policy. Pages, time, tasks and bandwidth are also checked inside the simulator, which panics.
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failed test")]

mod common;

use std::collections::BTreeMap;

use common::*;
use homenode_balance::{
    Action, Bias, HostRules, MmId, Observation, Outbox, Outcome, PageTag, Placement, Policy, Scan,
    TaskId, View, Weight, tree,
};
use homenode_sim::{Calibration, Error, RunResult, Setup, run};
use homenode_topology::arbitrary::machine as any_machine;
use homenode_topology::{Bytes, CpuId, Machine, Nanos, NodeId, NodeMask};
use homenode_workload::{Access, MemoryPolicy, Part, Process, Step, Thread, Workload};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A step before it is known what machine it is for.
#[derive(Clone, Debug)]
enum Draft {
    Sweep { region: Index, from: f64, to: f64, mib: u64, access: Access },
    Random { region: Index, lines: u64, compute: u64, access: Access },
    Compute(u64),
    Sleep(u64),
    Policy(u8, Vec<Index>),
    RunOn(Vec<Index>),
}

fn access() -> impl Strategy<Value = Access> {
    select(vec![Access::Clear, Access::Write, Access::Read, Access::Update])
}

fn draft() -> impl Strategy<Value = Draft> {
    prop_oneof![
        6 => (any::<Index>(), 0.0..0.6f64, 0.6..1.0f64, 64u64..3072, access()).prop_map(
            |(region, from, to, mib, access)| Draft::Sweep { region, from, to, mib, access }
        ),
        2 => (any::<Index>(), 1u64..3_000_000, 0u64..200, access()).prop_map(
            |(region, lines, compute, access)| Draft::Random { region, lines, compute, access }
        ),
        1 => (1u64..800).prop_map(Draft::Compute),
        1 => (1u64..800).prop_map(Draft::Sleep),
        1 => (0u8..6, vec(any::<Index>(), 1..3)).prop_map(|(kind, on)| Draft::Policy(kind, on)),
        1 => vec(any::<Index>(), 1..3).prop_map(Draft::RunOn),
    ]
}

/// A process: region sizes in KiB, what the first thread does, what each other thread does before and
/// after all of them meet at a barrier, and what the first thread does when they have ended.
type ProcessDraft = (Vec<u64>, Vec<Draft>, Vec<(Vec<Draft>, Vec<Draft>)>, Vec<Draft>);

fn process_draft() -> impl Strategy<Value = ProcessDraft> {
    let thread = (vec(draft(), 1..3), vec(draft(), 0..2));
    (vec(2048u64..40 * 1024, 1..3), vec(draft(), 0..2), vec(thread, 0..4), vec(draft(), 0..2))
}

/// Turns drafts into a workload that fits a machine.
struct Maker<'a> {
    machine: &'a Machine,
    sizes: Vec<Bytes>,
    /// Whether memory policies are kept.
    policies: bool,
}

impl Maker<'_> {
    fn pick(set: &NodeMask, on: &[Index]) -> NodeMask {
        let ids: Vec<NodeId> = set.iter().collect();
        on.iter().map(|index| ids[index.index(ids.len())]).collect()
    }

    fn policy(&self, kind: u8, on: &[Index]) -> MemoryPolicy {
        let set = Self::pick(&self.machine.memory_nodes(), on);
        let first = set.iter().next().unwrap();
        match kind {
            0 => MemoryPolicy::Bind(set),
            1 => MemoryPolicy::Interleave(set),
            2 => MemoryPolicy::Preferred(first),
            3 => MemoryPolicy::Local,
            4 => MemoryPolicy::MigrateOnFault(Box::new(MemoryPolicy::Bind(set))),
            _ => MemoryPolicy::MigrateOnFault(Box::new(MemoryPolicy::Interleave(set))),
        }
    }

    fn steps(&self, drafts: &[Draft]) -> Vec<Step> {
        drafts.iter().filter_map(|draft| self.step(draft)).collect()
    }

    fn step(&self, draft: &Draft) -> Option<Step> {
        Some(match draft {
            Draft::Sweep { region, from, to, mib, access } => {
                let region = region.index(self.sizes.len());
                let at = |part: f64| (self.sizes[region].0 as f64 * part) as u64;
                let start = Bytes(at(*from));
                let part = Part { start, length: Bytes(at(*to) - start.0) };
                let passes = (Bytes::mib(*mib).0 / part.length.0).max(1) as u32;
                Step::Sweep { region, part, passes, access: *access }
            }
            Draft::Random { region, lines, compute, access } => {
                let region = region.index(self.sizes.len());
                let part = Part::whole(self.sizes[region]);
                let (lines, compute) = (*lines, Nanos(*compute));
                Step::Random { region, part, lines, access: *access, compute }
            }
            Draft::Compute(ms) => compute(*ms),
            Draft::Sleep(ms) => Step::Sleep(Nanos(ms * MS)),
            Draft::Policy(kind, on) if self.policies => Step::SetPolicy(self.policy(*kind, on)),
            Draft::Policy(..) => return None,
            Draft::RunOn(on) => Step::RunOn(Self::pick(&self.machine.cpu_nodes(), on)),
        })
    }

    fn process(&self, (_, before, threads, after): &ProcessDraft) -> Process {
        let mut main = self.steps(before);
        let meet = Step::Barrier { id: 0, parties: threads.len() as u32 };
        for (first, then) in threads {
            let mut steps = self.steps(first);
            steps.push(meet.clone());
            steps.extend(self.steps(then));
            main.push(Step::Spawn(Box::new(Thread { steps })));
        }
        main.push(Step::Join);
        main.extend(self.steps(after));
        process(&self.sizes, main)
    }
}

fn build(machine: &Machine, drafts: &[ProcessDraft], policies: bool) -> Workload {
    let wanted: u64 = drafts.iter().flat_map(|draft| &draft.0).sum::<u64>() * 1024;
    let memory: u64 = machine.nodes.iter().map(|node| node.memory.0).sum();
    let shrink = (0.8 * memory as f64 / wanted as f64).min(1.0);
    let sized = |draft: &ProcessDraft| {
        let size = |kib: &u64| Bytes((((kib * 1024) as f64 * shrink) as u64).max(8192));
        let sizes = draft.0.iter().map(size).collect();
        Maker { machine, sizes, policies }.process(draft)
    };
    workload(drafts.iter().map(sized).collect())
}

fn case() -> impl Strategy<Value = (Machine, Workload)> {
    (any_machine(), vec(process_draft(), 1..=3)).prop_map(|(machine, drafts)| {
        let workload = build(&machine, &drafts, true);
        let fits = workload.check(&machine).is_ok();
        let workload = if fits { workload } else { build(&machine, &drafts, false) };
        (machine, workload)
    })
}

/// Passes everything on to a policy and looks at every move it asks for.
struct Spy {
    inner: Box<dyn Policy>,
    /// For each page, the node of the CPU that was last seen to use it.
    last: BTreeMap<(MmId, u64), NodeId>,
    /// For each task and page whose move it may ask for, whether the page was used from the same node
    /// twice running.
    twice: BTreeMap<(TaskId, u64), bool>,
}

impl Policy for Spy {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn rules(&self) -> &HostRules {
        self.inner.rules()
    }
    fn accepts(&self, weight: Weight) -> bool {
        self.inner.accepts(weight)
    }
    fn task_started(&mut self, view: &dyn View, task: TaskId, mm: MmId, out: &mut Outbox) {
        self.inner.task_started(view, task, mm, out);
    }
    fn task_exited(&mut self, view: &dyn View, task: TaskId) {
        self.inner.task_exited(view, task);
    }
    fn task_moved(&mut self, view: &dyn View, task: TaskId, from: CpuId, to: CpuId) {
        assert!(view.allowed(task).contains(to), "moved to a CPU it may not use");
        self.inner.task_moved(view, task, from, to);
    }
    fn tick(&mut self, view: &dyn View, task: TaskId, out: &mut Outbox) {
        assert!(view.allowed(task).contains(view.task(task).cpu));
        self.inner.tick(view, task, out);
    }
    fn observe(
        &mut self,
        view: &dyn View,
        seen: &Observation,
        tag: &mut PageTag,
        out: &mut Outbox,
    ) {
        let here = view.node_of(seen.cpu);
        // Pages under an explicit policy are not the filter's: such a use leaves no trace (other-trees 4.4).
        let filtered = view.placement(seen.task, &seen.range) == Placement::FollowsUse;
        let pages = seen.range.first.0..seen.range.first.0 + u64::from(seen.range.pages);
        for page in pages.filter(|_| filtered) {
            let before = self.last.insert((seen.range.mm, page), here);
            self.twice.insert((seen.task, page), before == Some(here));
        }
        self.inner.observe(view, seen, tag, out);
    }
    fn scanned(&mut self, view: &dyn View, task: TaskId, scan: &Scan) {
        self.inner.scanned(view, task, scan);
    }
    fn outcome(
        &mut self,
        view: &dyn View,
        action: &Action,
        outcome: Outcome,
        seen: Option<&Observation>,
    ) {
        if let (Action::MoveRange { range, to, task }, Outcome::Done { pages: 1.. }) =
            (action, outcome)
        {
            let seen = seen.unwrap();
            if view.placement(*task, range) == Placement::FollowsUse {
                assert_eq!(*to, view.node_of(seen.cpu), "moved to where it is not used");
                for page in range.first.0..range.first.0 + u64::from(range.pages) {
                    assert!(self.twice[&(*task, page)], "page {page} moved after one hit");
                }
            }
        }
        self.inner.outcome(view, action, outcome, seen);
    }
    fn bias(&self, view: &dyn View, task: TaskId, from: NodeId, to: NodeId) -> Bias {
        self.inner.bias(view, task, from, to)
    }
}

/// What can be told from the result alone.
fn check(machine: &Machine, workload: &Workload, result: &RunResult) -> Result<(), TestCaseError> {
    let cpus = machine.cpus.len() as u64;
    let time = result.user.0 + result.system.0 + result.idle.0 + result.housekeeping.0;
    let elapsed = result.elapsed.0;
    prop_assert_eq!(time % cpus, 0, "whole quanta on every CPU");
    prop_assert!((elapsed..elapsed + QUANTUM).contains(&(time / cpus)), "{time} of {elapsed}");
    prop_assert_eq!(result.threads, workload.threads());
    let resident: u64 = result.processes.iter().flat_map(|process| &process.resident).sum();
    prop_assert!(resident * 4096 <= workload.memory().0 + 4096 * 8);
    for (slot, node) in machine.nodes.iter().enumerate() {
        let here: u64 = result.processes.iter().map(|process| process.resident[slot]).sum();
        prop_assert!(here * 4096 <= node.memory.0);
        let performance = machine.performance.as_ref().unwrap();
        let rate = performance.controller_of.get(&node.id).unwrap_or(&performance.controller);
        let most = rate.0 as f64 / 1e9 * (elapsed + 2 * QUANTUM) as f64;
        prop_assert!(result.served[slot] <= most * 1.000_001, "node {}", node.id);
    }
    let counters = &result.counters;
    prop_assert!(counters.numa_hint_faults_local <= counters.numa_hint_faults);
    prop_assert!(counters.numa_hint_faults <= counters.numa_pte_updates);
    prop_assert!(counters.pages_moved <= 512 * counters.numa_hint_faults);
    prop_assert!(counters.thp_fault_alloc <= counters.pgfault);
    let (faults, pages) = result.timeline.iter().fold((0, 0), |(faults, pages), sample| {
        (faults + sample.hint_faults, pages + sample.pages_moved)
    });
    prop_assert_eq!((faults, pages), (counters.numa_hint_faults, counters.pages_moved));
    prop_assert_eq!(
        result.timeline.iter().map(|sample| sample.crossings).sum::<u64>(),
        result.crossings
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_keeps_the_books((machine, workload) in case(), thp in any::<bool>(), seed in any::<u64>()) {
        workload.check(&machine).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let calibration = Calibration::shipped().unwrap();
        for info in tree::all() {
            let policy =
                Spy { inner: tree(info.name, &machine), last: BTreeMap::new(), twice: BTreeMap::new() };
            let setup = Setup { seed, thp, ..setup(&machine, &workload, &calibration) };
            match run(&setup, Box::new(policy), None) {
                Ok(result) => check(&machine, &workload, &result)?,
                // Losers of a first-touch race can hold the last pages of a small machine for a moment.
                Err(Error::OutOfMemory { .. }) => {}
                Err(error) => prop_assert!(false, "{info:?}: {error}"),
            }
        }
    }
}

/// Random cases; each is run under all policies.
const CASES: u32 = 160;
