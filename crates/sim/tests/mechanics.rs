//! What threads, memory policies, first touches and migrations do, on runs small enough to reckon.
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failed test")]

mod common;

use common::*;
use homenode_balance::{
    Action, HostRules, MigrateRules, MmId, Observation, Outbox, PageTag, Policy, Reason, Scan,
    TaskId, View,
};
use homenode_sim::RunResult;
use homenode_topology::{Bytes, Machine, Nanos, PageIndex};
use homenode_workload::{Access, MemoryPolicy, Part, Step, Workload};

const HUGE: Bytes = Bytes::mib(2);

fn two_nodes() -> Machine {
    machine("nodes=2 cores=4 memory=256MiB llc=0B controller=10GB/s link=8GB/s stream=4GB/s")
}

fn on_two_nodes(workload: &Workload, thp: bool) -> RunResult {
    static_run(&two_nodes(), workload, thp)
}

/// `wanted` ms, and at most `late` quanta more.
#[track_caller]
fn took(result: &RunResult, wanted: u64, late: u64) {
    let elapsed = result.elapsed.0;
    let range = wanted * MS..=wanted * MS + late * QUANTUM + MS;
    assert!(range.contains(&elapsed), "{elapsed} ns instead of {wanted} ms");
}

#[test]
fn a_sleeper_sleeps_as_long_as_it_says_and_uses_no_cpu() {
    let result = on_two_nodes(&program(&[], vec![Step::Sleep(Nanos(500 * MS)), compute(1)]), true);
    took(&result, 501, 1);
    assert!(result.user.0.abs_diff(MS) < 1000, "{:?}", result.user);
}

#[test]
fn threads_meet_at_a_barrier_when_the_last_one_comes() {
    let barrier = || Step::Barrier { id: 7, parties: 3 };
    let thread = |ms| spawn(vec![compute(ms), barrier(), compute(100), barrier()]);
    let steps = vec![thread(100), thread(200), thread(300), Step::Join];
    let result = on_two_nodes(&program(&[], steps), true);
    took(&result, 400, 3);
    assert!(result.user.0.abs_diff(900 * MS) < MS, "waiting uses no CPU time: {:?}", result.user);
}

#[test]
fn a_barrier_belongs_to_its_process() {
    let steps = || vec![Step::Barrier { id: 1, parties: 1 }, compute(100)];
    let result = on_two_nodes(&workload(vec![process(&[], steps()), process(&[], steps())]), true);
    took(&result, 100, 1);
}

#[test]
fn join_waits_for_all_children_and_for_them_alone() {
    let grandchild = spawn(vec![compute(900)]);
    let steps = vec![
        spawn(vec![compute(300)]),
        spawn(vec![grandchild, compute(100)]),
        Step::Join,
        compute(100),
        Step::Join,
    ];
    let result = on_two_nodes(&program(&[], steps), true);
    took(&result, 900, 2);
    assert_eq!(result.threads, 4);
    let alone = vec![spawn(vec![compute(300)]), Step::Join, compute(100)];
    took(&on_two_nodes(&program(&[], alone), true), 400, 2);
}

#[test]
fn hardware_threads_share_their_core() {
    let machine = machine("nodes=1 cores=1 threads=2 smt=1.2");
    let steps = vec![spawn(vec![compute(600)]), compute(600), Step::Join];
    took(&static_run(&machine, &program(&[], steps), true), 1000, 2);
}

#[test]
fn children_inherit_affinity_as_it_is_when_they_are_created() {
    let size = Bytes::mib(8);
    let steps = vec![
        Step::RunOn(nodes(&[1])),
        spawn(vec![clear(0, size, 1)]),
        Step::RunOn(nodes(&[0])),
        spawn(vec![clear(1, size, 1)]),
        Step::Join,
    ];
    for thp in [true, false] {
        let result = on_two_nodes(&program(&[size, size], steps.clone()), thp);
        assert_eq!(result.processes[0].resident, [2048, 2048], "thp {thp}");
        assert_eq!(result.local_ratio, 1.0);
    }
}

#[test]
fn children_inherit_the_memory_policy_as_it_is_when_they_are_created() {
    let size = Bytes::mib(6);
    let steps = vec![
        Step::RunOn(nodes(&[0])),
        Step::SetPolicy(MemoryPolicy::Bind(nodes(&[1]))),
        spawn(vec![clear(0, size, 1)]),
        Step::SetPolicy(MemoryPolicy::Default),
        Step::Join,
        clear(1, Bytes::mib(4), 1),
    ];
    for thp in [true, false] {
        let result = on_two_nodes(&program(&[size, Bytes::mib(4)], steps.clone()), thp);
        assert_eq!(result.processes[0].resident, [1024, 1536], "thp {thp}");
    }
}

#[test]
fn the_policy_of_a_mapping_goes_before_that_of_the_task() {
    let size = Bytes::mib(4);
    let mut workload =
        program(&[size], vec![Step::SetPolicy(MemoryPolicy::Bind(nodes(&[0]))), clear(0, size, 1)]);
    workload.processes[0].regions[0].policy = MemoryPolicy::Interleave(nodes(&[0, 1]));
    assert_eq!(on_two_nodes(&workload, true).processes[0].resident, [512, 512]);
}

#[test]
fn a_sweep_moves_exactly_the_bytes_it_says() {
    let size = Bytes::mib(20);
    let part = Part { start: Bytes(12_345), length: Bytes(7_654_321) };
    let touched = (12_345 + 7_654_321u64).div_ceil(4096) - 12_345 / 4096;
    for (access, weight) in
        [(Access::Clear, 1), (Access::Read, 1), (Access::Write, 2), (Access::Update, 2)]
    {
        let steps = vec![Step::Sweep { region: 0, part, passes: 13, access }];
        let result = on_two_nodes(&program(&[size], steps), false);
        let expected = (13 * part.length.0 * weight + touched * 4096) as f64;
        let served: f64 = result.served.iter().sum();
        assert!((served - expected).abs() < 1.0, "{access:?}: {served} instead of {expected}");
        assert_eq!(result.counters.pgfault, touched);
        assert_eq!(result.processes[0].resident.iter().sum::<u64>(), touched);
    }
}

#[test]
fn a_part_that_fits_the_cache_is_read_from_memory_once() {
    let machine = machine("nodes=1 cores=1 llc=4MiB memory=64MiB");
    let part = Part::whole(Bytes::mib(4));
    let traffic = |access| {
        let steps = vec![Step::Sweep { region: 0, part, passes: 10, access }];
        static_run(&machine, &program(&[part.length], steps), true).served[0] / 4_194_304.0
    };
    assert!((traffic(Access::Read) - 2.0).abs() < 1e-6, "kernel clear and first pass");
    assert!((traffic(Access::Clear) - 11.0).abs() < 1e-6, "clears bypass the cache");
}

#[test]
fn the_end_of_a_region_that_is_no_whole_huge_page_is_base_pages() {
    let size = Bytes(HUGE.0 * 3 + 5000);
    let result = on_two_nodes(&program(&[size], vec![clear(0, size, 2)]), true);
    assert_eq!((result.counters.thp_fault_alloc, result.counters.pgfault), (3, 5));
    assert_eq!(result.processes[0].resident.iter().sum::<u64>(), 3 * 512 + 2);
}

#[test]
fn losers_of_a_first_touch_race_give_their_pages_back() {
    let size = Bytes::mib(64);
    let machine = machine("nodes=2 cores=4 memory=256MiB controller=2GB/s stream=400MB/s");
    let racer = |node| spawn(vec![Step::RunOn(nodes(&[node])), clear(0, size, 1)]);
    let mut steps: Vec<Step> = (0..8).map(|thread| racer(thread % 2)).collect();
    steps.push(Step::Join);
    let result = static_run(&machine, &program(&[size], steps), true);
    let counters = result.counters;
    assert!(counters.thp_fault_alloc > 32, "somebody lost: {}", counters.thp_fault_alloc);
    assert_eq!(counters.pgfault, counters.thp_fault_alloc);
    assert_eq!(result.processes[0].resident.iter().sum::<u64>(), 32 * 512);
}

#[test]
fn memory_goes_to_the_next_node_when_the_own_is_full() {
    let size = Bytes::mib(300);
    let steps = vec![Step::RunOn(nodes(&[1])), clear(0, size, 1)];
    let result = on_two_nodes(&program(&[size], steps), true);
    assert_eq!(result.processes[0].resident, [44 * 256, 256 * 256]);
}

/// Arms everything at every tick and moves each page that is used from elsewhere.
struct Eager {
    rules: HostRules,
    mm: MmId,
}

impl Eager {
    fn boxed() -> Box<dyn Policy> {
        let rules = HostRules { migrate: MigrateRules { huge: true }, ..HostRules::default() };
        Box::new(Self { rules, mm: MmId(0) })
    }
}

impl Policy for Eager {
    fn name(&self) -> &str {
        "eager"
    }

    fn rules(&self) -> &HostRules {
        &self.rules
    }

    fn tick(&mut self, _view: &dyn View, _task: TaskId, out: &mut Outbox) {
        let action = Action::Arm { mm: self.mm, from: PageIndex(0), budget: u64::MAX };
        out.act(action, Reason::ScanDue { period: Nanos(0) });
    }

    fn scanned(&mut self, _view: &dyn View, _task: TaskId, scan: &Scan) {
        assert_eq!((scan.mm, scan.next), (self.mm, None));
    }

    fn observe(&mut self, view: &dyn View, seen: &Observation, _: &mut PageTag, out: &mut Outbox) {
        let here = view.node_of(seen.cpu);
        if here != seen.node {
            let action = Action::MoveRange { range: seen.range, to: here, task: seen.task };
            out.act(action, Reason::ScanDue { period: Nanos(0) });
        }
    }
}

/// A copy lasts several quanta here; one that fits into a quantum is done at once in the model.
fn slow_memory() -> Machine {
    machine("nodes=2 cores=4 memory=256MiB llc=0B controller=200MiB/s stream=100MiB/s")
}

/// One huge page on node 0, then a thread on each of these nodes that uses it for a while.
fn shared_page(machine: &Machine, users: &[u16]) -> RunResult {
    let mut steps = vec![Step::RunOn(nodes(&[0])), clear(0, HUGE, 1)];
    let user = |&node: &u16| spawn(vec![Step::RunOn(nodes(&[node])), clear(0, HUGE, 500)]);
    steps.extend(users.iter().map(user));
    steps.push(Step::Join);
    policy_run(machine, &program(&[HUGE], steps), true, Eager::boxed()).unwrap()
}

#[test]
fn a_page_follows_its_only_user() {
    let result = shared_page(&two_nodes(), &[1]);
    assert_eq!((result.counters.pages_moved, result.counters.pgmigrate_fail), (512, 0));
    assert_eq!(result.processes[0].resident, [0, 512]);
}

/// Were they not to wait, they would restore access and the copy would be in vain.
#[test]
fn threads_that_want_the_page_moved_too_wait_for_the_copy() {
    let result = shared_page(&slow_memory(), &[1, 1, 1]);
    assert_eq!((result.counters.pages_moved, result.counters.pgmigrate_fail), (512, 0));
    assert_eq!(result.processes[0].resident, [0, 512]);
}

#[test]
fn a_copy_is_in_vain_when_another_thread_restores_access_meanwhile() {
    let counters = shared_page(&slow_memory(), &[0, 1]).counters;
    assert!(counters.pgmigrate_fail >= 512, "{}", counters.pgmigrate_fail);
    assert_eq!(counters.pgmigrate_fail % 512, 0);
    assert_eq!(counters.pages_moved, counters.pgmigrate_success);
}

#[test]
fn pages_move_one_by_one_without_huge_pages() {
    let steps = vec![
        Step::RunOn(nodes(&[0])),
        clear(0, HUGE, 1),
        Step::RunOn(nodes(&[1])),
        clear(0, HUGE, 100),
    ];
    let workload = program(&[HUGE], steps);
    let result = policy_run(&two_nodes(), &workload, false, Eager::boxed()).unwrap();
    assert_eq!((result.counters.pages_moved, result.counters.pgmigrate_success), (512, 512));
    assert_eq!(result.processes[0].resident, [0, 512]);
    assert!(result.counters.numa_hint_faults >= 512);
}

#[test]
fn a_full_node_takes_no_page() {
    let machine = machine("nodes=2 cores=2 memory@0=64MiB memory@1=1MiB");
    let size = Bytes::mib(8);
    let steps = vec![clear(0, size, 1), Step::RunOn(nodes(&[1])), clear(0, size, 50)];
    let workload = program(&[size], steps);
    let result = policy_run(&machine, &workload, true, Eager::boxed()).unwrap();
    assert_eq!(result.counters.pages_moved, 0);
    assert!(result.counters.pgmigrate_fail > 0);
    assert_eq!(result.processes[0].resident, [2048, 0]);
}

#[test]
fn random_accesses_touch_what_they_should() {
    let size = Bytes::mib(8);
    let random = |lines| Step::Random {
        region: 0,
        part: Part::whole(size),
        lines,
        access: Access::Read,
        compute: Nanos(0),
    };
    for thp in [true, false] {
        let many = on_two_nodes(&program(&[size], vec![random(1_000_000)]), thp);
        assert_eq!(many.processes[0].resident.iter().sum::<u64>(), 2048, "thp {thp}");
        let first = (2048 * 4096) as f64;
        let served: f64 = many.served.iter().sum();
        assert!((served - first - 64e6).abs() < 1.0, "thp {thp}: {served}");
    }
    // 2048 accesses to 2048 pages leave 1/e of them untouched.
    let few = on_two_nodes(&program(&[size], vec![random(2048)]), false);
    let touched = few.processes[0].resident.iter().sum::<u64>() as f64 / 2048.0;
    assert!((touched - (1.0 - (-1.0f64).exp())).abs() < 0.05, "{touched}");
}

/// Sixteen threads that read both nodes at random cannot get more out of them than they have, and
/// controllers in debt do not stop for good.
#[test]
fn random_accesses_wait_for_busy_memory() {
    let machine = machine("nodes=2 cores=8 memory=256MiB llc=0B controller=1GB/s link=1GB/s");
    let size = Bytes::mib(32);
    let lines = 2_000_000;
    let access = Access::Read;
    let random =
        Step::Random { region: 0, part: Part::whole(size), lines, access, compute: Nanos(0) };
    let mut steps = vec![Step::SetPolicy(MemoryPolicy::Interleave(nodes(&[0, 1])))];
    steps.push(clear(0, size, 1));
    steps.extend((0..16).map(|_| spawn(vec![random.clone()])));
    steps.push(Step::Join);
    for thp in [true, false] {
        let result = static_run(&machine, &program(&[size], steps.clone()), thp);
        let least = 16.0 * lines as f64 * 64.0 / 2e9;
        let elapsed = result.elapsed.as_secs_f64();
        assert!(elapsed >= least && elapsed < 2.0 * least, "thp {thp}: {elapsed} s of {least} s");
    }
}

/// As many threads as the machine has touch base pages of a slow node first.
#[test]
fn first_touches_wait_for_busy_memory() {
    let machine = machine("nodes=2 cores=8 memory=1GiB controller=1GB/s link=1GB/s");
    let size = Bytes::mib(512);
    let part = |i| Part::slice(size, i, 16);
    let sweep = |i| Step::Sweep { region: 0, part: part(i), passes: 1, access: Access::Clear };
    let mut steps = vec![Step::SetPolicy(MemoryPolicy::Bind(nodes(&[0])))];
    steps.extend((0..16).map(|i| spawn(vec![sweep(i)])));
    steps.push(Step::Join);
    let result = static_run(&machine, &program(&[size], steps), false);
    let least = 2.0 * size.0 as f64 / 1e9;
    let elapsed = result.elapsed.as_secs_f64();
    assert!(elapsed > 0.98 * least && elapsed < 1.5 * least, "{elapsed} s of {least} s");
}
