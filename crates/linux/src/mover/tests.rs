//! Movers on the fake kernel: what they do, what they refuse, and that undo takes all of it back.

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::Kernel;
use crate::fake::{Act, FakeKernel, FakeVma, Injection};
use crate::journal::{MemoryStore, UndoOptions, read_journal, undo};
use crate::limits::Refusal;
use crate::{Bytes, Errno, NodeId, Pid, Tid};

const PID: Pid = Pid(100);
const AREA: u64 = 0x100_0000;
const HUGE_AREA: u64 = 0x4000_0000;
/// Bound memory starts here, locked memory follows; nothing from here on may move.
const BOUND: u64 = 0x5000_0000;
const LOCKED: u64 = 0x6000_0000;
const FOREVER: Nanos = Nanos(u64::MAX);

fn kernel() -> FakeKernel {
    let kernel = FakeKernel::new(4, 2, Bytes::gib(1));
    {
        let mut state = kernel.state();
        for (pid, start) in [(PID, 50), (Pid(200), 60), (Pid(300), 70)] {
            let process = state.spawn(pid, 4, start);
            process.map(FakeVma::anonymous(AREA..AREA + 256 * 4096), NodeId(0));
            process.map(
                FakeVma { huge: true, ..FakeVma::anonymous(HUGE_AREA..HUGE_AREA + (8 << 20)) },
                NodeId(0),
            );
            process.map(
                FakeVma { policy: "bind:0".into(), ..FakeVma::anonymous(BOUND..BOUND + 16 * 4096) },
                NodeId(0),
            );
            process.map(
                FakeVma { locked: true, ..FakeVma::anonymous(LOCKED..LOCKED + 16 * 4096) },
                NodeId(0),
            );
        }
    }
    kernel
}

fn process(pid: Pid) -> Identity {
    Identity { pid, start: [50, 60, 70][(pid.0 / 100 - 1) as usize] }
}

fn task(pid: Pid, thread: i32) -> TaskId {
    let process = process(pid);
    TaskId { process, tid: Tid(pid.0 + thread), start: process.start }
}

fn mover(
    kernel: &FakeKernel,
    options: MoverOptions,
) -> (Mover<'_, FakeKernel, MemoryStore>, MemoryStore) {
    let store = MemoryStore::default();
    let journal = Journal::new(kernel, store.clone()).unwrap();
    let machine = kernel.state().machine();
    (Mover::new(kernel, machine, journal, options), store)
}

fn small(pages: std::ops::Range<u64>, to: u16) -> Vec<PageMove> {
    let page = |n| PageMove { address: AREA + n * 4096, huge: false, to: NodeId(to) };
    pages.map(page).collect()
}

fn mask(list: &str) -> CpuMask {
    list.parse().unwrap()
}

fn mask_of(kernel: &FakeKernel, task: TaskId) -> CpuMask {
    kernel.state().processes[&task.process.pid].threads[&task.tid].mask.clone()
}

#[test]
fn pages_go_where_they_are_sent_and_are_journalled_first() {
    let kernel = kernel();
    let (mut mover, store) = mover(&kernel, MoverOptions::default());
    let report = mover.move_pages(process(PID), &small(0..200, 2), FOREVER);
    assert_eq!((report.moved, report.bytes), (200, Bytes::kib(800)));
    assert_eq!((report.refused.len(), report.left.len()), (0, 0));
    assert!(kernel.state().processes[&PID].pages[&AREA] == NodeId(2));
    let reading = read_journal(&store.bytes());
    assert_eq!(reading.entries.len() as u64, report.calls);
    let again = mover.move_pages(process(PID), &small(0..200, 2), FOREVER);
    assert_eq!((again.moved, again.already, again.calls), (0, 200, 0));
}

#[test]
fn a_huge_page_takes_one_address() {
    let kernel = kernel();
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let pages: Vec<PageMove> = (0..1024)
        .map(|n| PageMove { address: HUGE_AREA + n * 4096, huge: true, to: NodeId(1) })
        .collect();
    let report = mover.move_pages(process(PID), &pages, FOREVER);
    assert_eq!((report.moved, report.bytes), (2, Bytes::mib(4)));
    // Small addresses in a huge page: the first moves all of it, the others come along.
    let tails: Vec<PageMove> =
        pages[..4].iter().map(|page| PageMove { huge: false, to: NodeId(0), ..*page }).collect();
    kernel.state().now += Nanos::secs(60);
    let report = mover.move_pages(process(PID), &tails, FOREVER);
    assert_eq!((report.moved, report.already), (1, 3));
}

#[test]
fn bound_memory_and_absent_pages_stay() {
    let kernel = kernel();
    let (mut mover, store) = mover(&kernel, MoverOptions::default());
    let page = |address| PageMove { address, huge: false, to: NodeId(1) };
    let pages = [BOUND, LOCKED, 0x1000].map(page);
    let report = mover.move_pages(process(PID), &pages, FOREVER);
    let codes: Vec<&str> = report.refused.iter().map(|(_, refusal)| refusal.code()).collect();
    assert_eq!(codes, ["not-present", "bound-memory", "locked"]);
    assert!(kernel.state().acts.is_empty());
    assert!(read_journal(&store.bytes()).entries.is_empty());
}

#[test]
fn a_call_never_takes_much_longer_than_the_budget() {
    let kernel = kernel();
    kernel.state().page_cost = Nanos::millis(1);
    let options = MoverOptions { stall: Nanos::millis(8), ..MoverOptions::default() };
    let (mut mover, _) = mover(&kernel, options);
    let report = mover.move_pages(process(PID), &small(0..64, 1), FOREVER);
    assert!(report.longest <= Nanos::millis(17), "the first call knows nothing");
    let report = mover.move_pages(process(PID), &small(64..256, 1), FOREVER);
    assert_eq!(report.moved, 192);
    assert!(report.longest <= Nanos::millis(9), "{:?}", report.longest);
}

#[test]
fn batches_shrink_at_once_and_grow_twofold() {
    let mut batch = Batch::default();
    let budget = Nanos::millis(20);
    batch.learn(16, Nanos::millis(1), budget);
    assert_eq!(batch.size(), 32);
    batch.learn(10, Nanos::millis(1), budget);
    assert_eq!(batch.size(), 32, "a small batch proves nothing");
    batch.learn(32, Nanos::secs(4), budget);
    assert_eq!(batch.size(), 1);
    for _ in 0..20 {
        batch.learn(batch.size(), Nanos(1), budget);
    }
    assert_eq!(batch.size(), 8192);
}

#[test]
fn the_rate_is_kept_and_the_time_limit_too() {
    let kernel = kernel();
    let max_rate = Some(Bandwidth(1 << 20));
    let (mut mover, _) = mover(&kernel, MoverOptions { max_rate, ..MoverOptions::default() });
    let start = kernel.state().now;
    let until = Nanos(start.0 + 500_000_000);
    let report = mover.move_pages(process(PID), &small(0..256, 1), until);
    assert!(report.moved >= 64 && report.moved < 256, "{}", report.moved);
    assert_eq!(report.moved + report.left.len() as u64, 256);
    let report = mover.move_pages(process(PID), &report.left, FOREVER);
    assert!(report.left.is_empty());
    let took = kernel.state().now.saturating_sub(start);
    // 1 MiB at 1 MiB/s; the last batch need not be waited for.
    assert!(took >= Nanos::millis(700) && took < Nanos::millis(1100), "{took:?}");
}

#[test]
fn memory_does_not_go_to_and_fro() {
    let kernel = kernel();
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let mut send = |to| mover.move_pages(process(PID), &small(0..8, to), FOREVER);
    assert_eq!(send(1).moved, 8);
    let report = send(0);
    assert!(matches!(report.refused[0].1, Refusal::CoolingDown { moves: 1, .. }));
    kernel.state().now += Nanos::secs(6);
    assert_eq!(send(0).moved, 8);
    kernel.state().now += Nanos::secs(6);
    assert_eq!(send(1).refused.len(), 8, "the rest doubles");
    kernel.state().now += Nanos::secs(6);
    assert_eq!(send(1).moved, 8);
}

#[test]
fn a_full_node_takes_no_more() {
    let kernel = kernel();
    kernel.state().nodes.get_mut(&NodeId(3)).unwrap().free =
        Bytes(Bytes::gib(1).0 / 1000 * 20 + 40_960);
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let report = mover.move_pages(process(PID), &small(0..30, 3), FOREVER);
    assert!(report.moved == 10 || report.moved == 9, "{}", report.moved);
    assert!(report.refused.iter().all(|(_, refusal)| refusal.code() == "node-full"));
}

#[test]
fn a_held_thread_gets_its_mask_back() {
    let kernel = kernel();
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let task = task(PID, 1);
    assert_eq!(mover.place_thread(task, NodeId(2), Placement::Hold), Ok(Placed::Moved));
    assert_eq!(mask_of(&kernel, task), mask("4-5"));
    assert_eq!(mover.place_thread(task, NodeId(2), Placement::Hold), Ok(Placed::Already));
    // A second move still knows the user's mask, not the first move's.
    assert_eq!(mover.place_thread(task, NodeId(3), Placement::Hold), Ok(Placed::Moved));
    assert_eq!(mover.user_mask(task), Some(&mask("0-7")));
    assert_eq!(mover.restore_masks(), []);
    assert_eq!(mask_of(&kernel, task), mask("0-7"));
}

#[test]
fn a_nudged_thread_is_on_the_node_and_free() {
    let kernel = kernel();
    let (mut mover, store) = mover(&kernel, MoverOptions::default());
    let task = task(PID, 1);
    assert_eq!(mover.place_thread(task, NodeId(2), Placement::Nudge), Ok(Placed::Moved));
    assert_eq!(mask_of(&kernel, task), mask("0-7"));
    assert_eq!(kernel.state().processes[&PID].threads[&task.tid].cpu.0, 4);
    let records = read_journal(&store.bytes()).entries.len();
    assert_eq!(mover.place_thread(task, NodeId(2), Placement::Nudge), Ok(Placed::Already));
    assert_eq!(read_journal(&store.bytes()).entries.len(), records);
}

#[test]
fn the_user_has_the_last_word_on_a_mask() {
    let kernel = kernel();
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let task = task(PID, 1);
    mover.place_thread(task, NodeId(2), Placement::Hold).unwrap();
    kernel.set_affinity(task.tid, &mask("0-3")).unwrap();
    assert_eq!(
        mover.place_thread(task, NodeId(2), Placement::Hold).unwrap_err().code(),
        "affinity-excludes-node"
    );
    assert_eq!(mover.restore_masks(), []);
    assert_eq!(mask_of(&kernel, task), mask("0-3"));
}

#[test]
fn a_frozen_target_runs_again_after_each_call() {
    let kernel = kernel();
    let options = MoverOptions { freeze: FreezeHow::Signal, ..MoverOptions::default() };
    let (mut mover, _) = mover(&kernel, options);
    mover.move_pages(process(PID), &small(0..100, 1), FOREVER);
    let state = kernel.state();
    let stops = state.acts.iter().filter(|act| matches!(act, Act::Signal { stop: true, .. }));
    assert_eq!(stops.count(), 3);
    assert!(!state.processes[&PID].stopped);
}

#[test]
fn a_process_that_its_user_stopped_stays_stopped() {
    let kernel = kernel();
    kernel.state().processes.get_mut(&PID).unwrap().stopped = true;
    let options = MoverOptions { freeze: FreezeHow::Signal, ..MoverOptions::default() };
    let (mut mover, _) = mover(&kernel, options);
    assert_eq!(mover.move_pages(process(PID), &small(0..10, 1), FOREVER).moved, 10);
    assert!(kernel.state().processes[&PID].stopped);
}

#[test]
fn without_a_journal_nothing_moves() {
    let kernel = kernel();
    let journal = Journal::new(&kernel, MemoryStore::with_limit(200)).unwrap();
    let machine = kernel.state().machine();
    let mut mover = Mover::new(&kernel, machine, journal, MoverOptions::default());
    let report = mover.move_pages(process(PID), &small(0..200, 1), FOREVER);
    assert_eq!(report.refused.len(), 200);
    assert!(report.refused.iter().all(|(_, refusal)| refusal.code() == "not-journalled"));
    let refusal = mover.place_thread(task(PID, 0), NodeId(1), Placement::Hold).unwrap_err();
    assert_eq!(refusal.code(), "not-journalled");
    assert!(kernel.state().acts.is_empty());
}

#[test]
fn strangers_are_not_touched() {
    let kernel = kernel();
    kernel.state().processes.get_mut(&PID).unwrap().foreign = true;
    let (mut mover, _) = mover(&kernel, MoverOptions::default());
    let report = mover.move_pages(process(PID), &small(0..4, 1), FOREVER);
    assert_eq!(
        report.refused[0].1,
        Refusal::Unreadable { path: "proc/100/maps".into(), errno: Errno::EACCES }
    );
    kernel.state().spawn(Pid(200), 4, 99);
    assert_eq!(
        mover.move_pages(process(Pid(200)), &small(0..4, 1), FOREVER).refused[0].1.code(),
        "gone"
    );
    assert_eq!(
        mover.place_thread(task(Pid(200), 0), NodeId(1), Placement::Hold),
        Err(Refusal::Gone { tid: Tid(200) })
    );
}

/// One step of a scenario.
#[derive(Clone, Debug)]
enum Step {
    Pages { pid: i32, first: u64, count: u64, huge: bool, to: u16 },
    Thread { pid: i32, thread: i32, to: u16, hold: bool },
    Wait,
    Settle,
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..4, 0u64..250, 1u64..80, any::<bool>(), 0u16..5)
            .prop_map(|(pid, first, count, huge, to)| Step::Pages { pid, first, count, huge, to }),
        3 => (1..4, 0..5, 0u16..5, any::<bool>())
            .prop_map(|(pid, thread, to, hold)| Step::Thread { pid, thread, to, hold }),
        1 => Just(Step::Wait),
        1 => Just(Step::Settle),
        1 => Just(Step::Restore),
    ]
}

fn play(kernel: &FakeKernel, mover: &mut Mover<'_, FakeKernel, MemoryStore>, steps: &[Step]) {
    for step in steps {
        match *step {
            Step::Pages { pid, first, count, huge, to } => {
                let base = if huge { HUGE_AREA } else { AREA };
                let page = |n| PageMove { address: base + n * 4096, huge, to: NodeId(to) };
                let mut pages: Vec<PageMove> = (first..first + count).map(page).collect();
                for address in [BOUND, LOCKED + 4096] {
                    pages.push(PageMove { address, huge: false, to: NodeId(to) });
                }
                let report = mover.move_pages(process(Pid(pid * 100)), &pages, FOREVER);
                assert!(report.left.is_empty());
            }
            Step::Thread { pid, thread, to, hold } => {
                let placement = if hold { Placement::Hold } else { Placement::Nudge };
                let _ = mover.place_thread(task(Pid(pid * 100), thread), NodeId(to), placement);
            }
            Step::Wait => kernel.state().now += Nanos::secs(7),
            Step::Settle => drop(mover.settle()),
            Step::Restore => drop(mover.restore_masks()),
        }
    }
}

/// Nothing was done to a task or page that was not meant.
fn no_wrong_act(kernel: &FakeKernel) {
    for act in &kernel.state().acts {
        match *act {
            Act::Page { pid, start, address, .. } => {
                assert_eq!(start, process(pid).start, "a page of a stranger was moved");
                assert!(address < BOUND, "bound or locked memory was moved: {act:?}");
            }
            Act::Mask { tid, start } => {
                assert_eq!(start, process(Pid(tid.0 / 100 * 100)).start, "a stranger's mask");
            }
            Act::Signal { pid, start, .. } => assert_eq!(start, process(pid).start),
        }
    }
}

/// Every task of old has its mask, runs, and its memory is where it was.
fn all_is_as_before(kernel: &FakeKernel) {
    for (&pid, found) in &kernel.state().processes {
        if found.start != process(pid).start {
            continue;
        }
        assert!(!found.stopped, "{pid} stays frozen");
        for (tid, thread) in &found.threads {
            assert_eq!(thread.mask, mask("0-7"), "mask of {tid} is lost");
        }
        if found.stack == 0x7ff0_0000_0000 + found.start * 0x1000 {
            assert!(found.pages.values().all(|node| *node == NodeId(0)), "pages of {pid}");
        }
    }
}

fn undo_all(kernel: &FakeKernel, bytes: &[u8]) {
    let reading = read_journal(bytes);
    assert_eq!(reading.damage, None);
    undo(kernel, "test", &reading, UndoOptions::default()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn undo_of_what_was_done_is_what_was(steps in prop::collection::vec(step(), 1..12), freeze: bool) {
        let kernel = kernel();
        let freeze = if freeze { FreezeHow::Signal } else { FreezeHow::Never };
        let (mut mover, store) = mover(&kernel, MoverOptions { freeze, ..MoverOptions::default() });
        play(&kernel, &mut mover, &steps);
        no_wrong_act(&kernel);
        undo_all(&kernel, &store.bytes());
        all_is_as_before(&kernel);
    }

    #[test]
    fn a_kill_at_any_call_loses_nothing(
        steps in prop::collection::vec(step(), 1..12), life in 0u64..400,
    ) {
        let kernel = kernel();
        let options = MoverOptions { freeze: FreezeHow::Signal, ..MoverOptions::default() };
        let (mut mover, store) = mover(&kernel, options);
        kernel.state().injection.life = Some(life);
        play(&kernel, &mut mover, &steps);
        kernel.state().injection.life = None;
        undo_all(&kernel, &store.bytes());
        all_is_as_before(&kernel);
    }

    #[test]
    fn a_kill_at_any_byte_of_the_journal_loses_nothing(
        steps in prop::collection::vec(step(), 1..12), at in 100usize..6_000,
    ) {
        let kernel = kernel();
        let store = MemoryStore::with_limit(at.max(200));
        let journal = Journal::new(&kernel, store.clone()).unwrap();
        let machine = kernel.state().machine();
        let options = MoverOptions { freeze: FreezeHow::Signal, ..MoverOptions::default() };
        let mut mover = Mover::new(&kernel, machine, journal, options);
        play(&kernel, &mut mover, &steps);
        undo_all(&kernel, &store.bytes());
        all_is_as_before(&kernel);
    }
}

#[test]
fn ten_thousand_injected_errors_do_no_harm() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let steps = prop::collection::vec(step(), 4..16);
    let mut injected = 0;
    let mut acts = 0;
    let mut seed = 0;
    while injected < 10_000 {
        seed += 1;
        let kernel = kernel();
        let freeze = if seed % 2 == 0 { FreezeHow::Signal } else { FreezeHow::Never };
        let (mut mover, store) = mover(&kernel, MoverOptions { freeze, ..MoverOptions::default() });
        kernel.state().injection = Injection::everything(seed, [5, 20, 100][seed as usize % 3]);
        let steps = steps.new_tree(&mut runner).unwrap().current();
        play(&kernel, &mut mover, &steps);
        // Undo meets errors as well, may give up, and is repeated once they are over.
        let _ = undo(&kernel, "test", &read_journal(&store.bytes()), UndoOptions::default());
        no_wrong_act(&kernel);
        injected += kernel.state().injection.count;
        acts += kernel.state().acts.len();
        kernel.state().injection = Injection::default();
        undo_all(&kernel, &store.bytes());
        no_wrong_act(&kernel);
        all_is_as_before(&kernel);
    }
    assert!(acts > 10_000, "only {acts} acts in {seed} scenarios: the test tests little");
}
