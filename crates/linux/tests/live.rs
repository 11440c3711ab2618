//! Movers, journal and undo on the kernel that the tests run on. What needs a second node says that it is skipped
//! where there is none.
// Clippy knows test functions by their attribute only; here every function serves a test.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

use homenode_linux::journal::{FreezeHow, Journal, UndoOptions, read_journal, undo};
use homenode_linux::mover::{Mover, MoverOptions, PageMove, Placed, Placement};
use homenode_linux::sampler::{FaultOptions, FaultSampler, Sampler, SelfTest, locate};
use homenode_linux::{CpuMask, Identity, Kernel, Nanos, NodeId, Pid, RealKernel, TaskId, Writer};
use homenode_topology::Machine;

const PAGES: usize = 512;
const FOREVER: Nanos = Nanos(u64::MAX);

/// Names of the variables that make `a_mover_that_is_killed` act.
const TARGET: &str = "HOMENODE_TEST_TARGET";
const AREA: &str = "HOMENODE_TEST_AREA";
const FOLDER: &str = "HOMENODE_TEST_FOLDER";

fn machine() -> Machine {
    homenode_topology::sysfs::read(Path::new("/")).unwrap().machine
}

/// A child with all its pages present, or `None` with a message on a machine of one node.
fn on_two_nodes(kernel: &RealKernel) -> Option<(Machine, Box<dyn Writer>)> {
    let machine = machine();
    let both = machine.memory_nodes().intersection(&machine.cpu_nodes());
    if both.len() < 2 {
        eprintln!("skipped: needs two nodes with memory and CPUs, this machine has {}", both.len());
        return None;
    }
    let child = kernel.spawn_writer(PAGES).unwrap();
    for _ in 0..100 {
        kernel.sleep(Nanos::millis(20));
        if nodes_of(kernel, child.as_ref()).iter().all(Option::is_some) {
            return Some((machine, child));
        }
    }
    panic!("the child does not touch its pages");
}

fn addresses(area: std::ops::Range<u64>) -> Vec<u64> {
    area.step_by(4096).collect()
}

fn nodes_of(kernel: &RealKernel, child: &dyn Writer) -> Vec<Option<NodeId>> {
    let nodes = kernel.page_nodes(child.pid(), &addresses(child.area())).unwrap();
    nodes.into_iter().map(Result::ok).collect()
}

/// Each page to a node that it is not on.
fn elsewhere(machine: &Machine, kernel: &RealKernel, pid: Pid, area: &[u64]) -> Vec<PageMove> {
    let nodes = kernel.page_nodes(pid, area).unwrap();
    let other = |from: NodeId| machine.memory_nodes().iter().find(|&node| node != from).unwrap();
    area.iter()
        .zip(nodes)
        .map(|(&address, node)| PageMove { address, huge: false, to: other(node.unwrap()) })
        .collect()
}

fn other_node(machine: &Machine, kernel: &RealKernel, task: TaskId) -> NodeId {
    let stat = homenode_linux::procfs::read_task_stat(kernel, task.process.pid, task.tid).unwrap();
    let here = machine.cpu(stat.cpu.unwrap()).and_then(|cpu| cpu.node);
    machine.cpu_nodes().iter().find(|&node| Some(node) != here).unwrap()
}

fn moves_and_undoes(freeze: FreezeHow) {
    let kernel = RealKernel::new();
    let Some((machine, child)) = on_two_nodes(&kernel) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (journal, path) = Journal::create(&kernel, folder.path()).unwrap();
    let process = Identity::of(&kernel, child.pid()).unwrap();
    let before = nodes_of(&kernel, child.as_ref());
    let moves = elsewhere(&machine, &kernel, child.pid(), &addresses(child.area()));
    let options = MoverOptions { freeze, ..MoverOptions::default() };
    let mut mover = Mover::new(&kernel, machine, journal, options);
    let report = mover.move_pages(process, &moves, FOREVER);
    eprintln!(
        "moved {} of {} pages in {} calls, {:.1} ms, longest {:.1} ms",
        report.moved,
        moves.len(),
        report.calls,
        report.spent.as_secs_f64() * 1e3,
        report.longest.as_secs_f64() * 1e3
    );
    assert!(report.moved as usize >= PAGES * 95 / 100, "{:?}", report.refused.first());
    let after = nodes_of(&kernel, child.as_ref());
    let arrived = after.iter().zip(&moves).filter(|(node, page)| **node == Some(page.to)).count();
    assert_eq!(arrived as u64, report.moved);
    drop(mover);
    let mut reading = read_journal(&std::fs::read(path).unwrap());
    let refused = undo(&kernel, "live", &reading, UndoOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("still writing"));
    // As if this process, which wrote it, were gone.
    reading.header.as_mut().unwrap().tool.start = 0;
    let undone = undo(&kernel, "live", &reading, UndoOptions::default()).unwrap();
    assert!(undone.pages >= report.moved * 95 / 100, "{undone:?}");
    let back = nodes_of(&kernel, child.as_ref());
    let same = back.iter().zip(&before).filter(|(now, then)| now == then).count();
    assert!(same >= PAGES * 95 / 100, "{same} of {PAGES} are where they were");
}

#[test]
fn pages_of_a_busy_child_move_and_come_back() {
    moves_and_undoes(FreezeHow::Never);
}

#[test]
fn pages_of_a_frozen_child_move_and_it_runs_on() {
    moves_and_undoes(FreezeHow::Signal);
}

#[test]
fn a_thread_is_held_on_its_node_and_freed() {
    let kernel = RealKernel::new();
    let machine = machine();
    let child = kernel.spawn_writer(4).unwrap();
    let process = Identity::of(&kernel, child.pid()).unwrap();
    let task = TaskId::of(&kernel, process, child.pid().leader()).unwrap();
    let before = kernel.affinity(task.tid).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::create(&kernel, folder.path()).unwrap();
    let one_node = machine.cpu_nodes().len() < 2;
    let node = if one_node {
        machine.cpu_nodes().first().unwrap()
    } else {
        other_node(&machine, &kernel, task)
    };
    let cpus: CpuMask = machine.node(node).unwrap().cpus.intersection(&before);
    let mut mover = Mover::new(&kernel, machine, journal, MoverOptions::default());
    let placed = mover.place_thread(task, node, Placement::Hold);
    if before.len() < 2 {
        assert_eq!(placed.unwrap_err().code(), "pinned");
        return;
    }
    assert_eq!(placed, Ok(if one_node { Placed::Already } else { Placed::Moved }));
    assert_eq!(kernel.affinity(task.tid).unwrap(), cpus);
    assert_eq!(mover.restore_masks(), []);
    assert_eq!(kernel.affinity(task.tid).unwrap(), before);
    if !one_node {
        assert!(mover.place_thread(task, node, Placement::Nudge).is_ok());
        assert_eq!(kernel.affinity(task.tid).unwrap(), before);
    }
}

#[test]
fn writes_of_a_child_are_sampled_and_located() {
    let kernel = RealKernel::new();
    let test = SelfTest::fault(&kernel);
    eprintln!("{test:?}");
    if !test.verdict.is_trusted() {
        eprintln!("skipped: the fault sampler is not trusted on this kernel");
        return;
    }
    let child = kernel.spawn_writer(PAGES).unwrap();
    kernel.sleep(Nanos::millis(300));
    let process = Identity::of(&kernel, child.pid()).unwrap();
    let mut sampler = FaultSampler::attach(&kernel, process, FaultOptions::default()).unwrap();
    let mut samples = Vec::new();
    sampler.collect(&mut samples).unwrap();
    kernel.sleep(Nanos::millis(500));
    let collected = sampler.collect(&mut samples).unwrap();
    assert_eq!(collected.lost, 0);
    let lookup = locate(&kernel, process, &mut samples, 2 * PAGES).unwrap();
    eprintln!("{} samples, {lookup:?}", samples.len());
    let tid = child.pid().leader();
    let inside =
        samples.iter().filter(|s| s.access.is_some_and(|a| child.area().contains(&a.address)));
    assert!(inside.clone().all(|s| s.tid == tid && s.node.is_some()));
    assert!(inside.count() >= PAGES);
}

#[test]
fn undo_follows_a_mover_that_was_killed() {
    let kernel = RealKernel::new();
    let Some((_machine, child)) = on_two_nodes(&kernel) else { return };
    let folder = tempfile::tempdir().unwrap();
    let before =
        (nodes_of(&kernel, child.as_ref()), kernel.affinity(child.pid().leader()).unwrap());
    let area = child.area();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_mover_that_is_killed", "--ignored"])
        .env(TARGET, child.pid().to_string())
        .env(AREA, format!("{}", area.start))
        .env(FOLDER, folder.path())
        .status()
        .unwrap();
    assert!(!status.success());
    let moved = (nodes_of(&kernel, child.as_ref()), kernel.affinity(child.pid().leader()).unwrap());
    assert_ne!(moved.0, before.0);
    assert_ne!(moved.1, before.1);
    let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let reading = read_journal(&std::fs::read(path).unwrap());
    let report = undo(&kernel, "live", &reading, UndoOptions::default()).unwrap();
    eprintln!("{report:?}");
    assert_eq!(kernel.affinity(child.pid().leader()).unwrap(), before.1);
    let back = nodes_of(&kernel, child.as_ref());
    let same = back.iter().zip(&before.0).filter(|(now, then)| now == then).count();
    assert!(same >= PAGES * 95 / 100, "{same} of {PAGES} are where they were");
}

/// Not a test of its own: the process that `undo_follows_a_mover_that_was_killed` starts. It holds a thread, moves
/// pages and dies without a chance to clean up.
#[test]
#[ignore = "run by another test"]
fn a_mover_that_is_killed() {
    let Ok(target) = std::env::var(TARGET) else { return };
    let pid = Pid(target.parse().unwrap());
    let start: u64 = std::env::var(AREA).unwrap().parse().unwrap();
    let kernel = RealKernel::new();
    let machine = machine();
    let folder = std::env::var(FOLDER).unwrap();
    let (journal, _) = Journal::create(&kernel, Path::new(&folder)).unwrap();
    let process = Identity::of(&kernel, pid).unwrap();
    let task = TaskId::of(&kernel, process, pid.leader()).unwrap();
    let node = other_node(&machine, &kernel, task);
    let area = addresses(start..start + PAGES as u64 * 4096);
    let moves = elsewhere(&machine, &kernel, pid, &area);
    let mut mover = Mover::new(&kernel, machine, journal, MoverOptions::default());
    mover.place_thread(task, node, Placement::Hold).unwrap();
    mover.move_pages(process, &moves, FOREVER);
    let own = std::process::id().to_string();
    let _ = Command::new("kill").args(["-9", &own]).status();
    std::process::abort();
}
