//! Tick and task work.

use super::*;
use crate::Reason;

fn arm(from: u64) -> Action {
    Action::Arm { mm: MM, from: PageIndex(from), budget: 65_536 }
}

/// Other-trees 4.4 "tick": short-lived tasks never scan.
#[test]
fn a_task_scans_after_a_second_of_its_own_time() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start(MM, NEAR);
    assert!(host.run(task, 1000).is_silent());
    let answer = host.run(task, 1);
    assert_eq!(answer.action(), Some(&arm(0)));
    assert_eq!(answer.verdicts[0].reason, Reason::ScanDue { period: Nanos::millis(100) });
}

/// Other-trees 4.2 "scan period": measured in CPU time; a task that sleeps does not scan.
#[test]
fn wall_time_alone_is_no_reason_to_scan() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start(MM, NEAR);
    host.view.now = Nanos::secs(30);
    assert!(host.run_aside(task, 1000).is_silent());
}

/// Other-trees 4.2 "next scan of the mm": one winner; the next turn is a period of the winner away.
#[test]
fn threads_share_one_turn_a_period() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (first, second) = (host.start(MM, NEAR), host.start(MM, FAR));
    assert!(host.run(first, 1001).action().is_some());
    let next = Nanos::millis(1101);
    assert_eq!(host.run_aside(second, 1001).hold(), Some(Hold::NotDue { next }));
    host.view.now = next;
    assert!(host.run_aside(second, 101).action().is_some());
}

/// Other-trees 4.3 step 1: the mark advances whether or not the address space's turn is due.
#[test]
fn a_period_spent_waiting_for_the_turn_is_gone() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (first, second) = (host.start(MM, NEAR), host.start(MM, FAR));
    host.run(first, 1001);
    host.run_aside(second, 1001);
    host.view.now += Nanos::secs(1);
    assert!(host.run_aside(second, 100).is_silent(), "a new period must pass first");
}

/// Other-trees 4.2 "chunk": the offset is kept for each address space, and wraps.
#[test]
fn walks_continue_and_wrap() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (task, other) = (host.start_old(MM, NEAR), host.start_old(MmId(1), NEAR));
    host.walked(task, MM, Some(777));
    host.walked(other, MmId(1), Some(555));
    assert_eq!(host.run(task, 101).action(), Some(&arm(777)));
    host.walked(task, MM, None);
    assert_eq!(host.run(task, 101).action(), Some(&arm(0)));
}

/// Other-trees 4.2 "chunk" and "next scan": a thread that joins finds the state of its address space.
#[test]
fn a_new_thread_changes_nothing_for_the_others() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, NEAR);
    host.walked(task, MM, Some(777));
    let thread = host.start(MM, FAR);
    let next = Nanos::millis(1101);
    assert_eq!(host.run_aside(thread, 1001).hold(), Some(Hold::NotDue { next }));
    assert_eq!(host.run(task, 101).action(), Some(&arm(777)));
}

/// Other-trees 4.2 "delaystart".
#[test]
fn scanning_starts_on_the_second_node_and_goes_on_there() {
    let mut host = Host::new(Features::DELAYSTART);
    let task = host.start(MM, FAR);
    let shut = Some(Hold::NotSpread { node: NODE_FAR });
    assert_eq!(host.run(task, 1001).hold(), shut);
    assert_eq!(host.run(task, 101).hold(), shut);
    host.view.tasks[task.index()].cpu = NEAR;
    assert!(host.run(task, 101).action().is_some());
    host.view.tasks[task.index()].cpu = FAR;
    assert!(host.run(task, 101).action().is_some());
}

/// Other-trees 4.2 "delaystart": the state belongs to the address space; any thread may open it.
#[test]
fn two_threads_on_two_nodes_open_the_gate() {
    let mut host = Host::new(Features::DELAYSTART);
    let (first, second) = (host.start(MM, NEAR), host.start(MM, FAR));
    let stranger = host.start(MmId(1), FAR);
    assert!(host.run(first, 1001).hold().is_some());
    assert!(host.run_aside(stranger, 1001).hold().is_some(), "another address space");
    assert!(host.run_aside(second, 1001).action().is_some(), "a shut gate uses up no turn");
}

/// Other-trees 4.4 "order in task work": delaystart comes before the reset test.
#[test]
fn a_shut_gate_does_not_reset_the_period() {
    let mut host = Host::new(Features::DELAYSTART);
    let task = host.start(MM, NEAR);
    host.run(task, 1001);
    host.fault(task, 1, NODE_NEAR);
    assert_eq!(host.period_ms(task), 110);
    host.run(task, 70_000);
    assert_eq!(host.period_ms(task), 110);
    host.view.tasks[task.index()].cpu = FAR;
    host.run(task, 111);
    assert_eq!(host.period_ms(task), 100);
}

/// Other-trees 4.2 "period reset": once per mm and minute, for the task that comes by.
#[test]
fn one_task_a_minute_returns_to_the_minimum() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (first, second) = (host.start_old(MM, NEAR), host.start(MM, FAR));
    host.run(second, 1001);
    for page in 0..1000 {
        host.fault(first, page, NODE_NEAR);
        host.fault(second, page, NODE_FAR);
    }
    host.view.now = Nanos::secs(60);
    host.run_aside(first, 5001);
    assert_eq!(host.period_ms(first), 5000, "not before a minute has passed");
    host.view.now = Nanos::secs(66);
    let answer = host.run_aside(first, 5001);
    assert_eq!(answer.verdicts[0].reason, Reason::ScanDue { period: Nanos::millis(100) });
    assert_eq!((host.period_ms(first), host.period_ms(second)), (100, 5000));
    host.view.now = Nanos::secs(67);
    assert!(host.run_aside(second, 5001).action().is_some());
    assert_eq!(host.period_ms(second), 5000, "the reset is taken");
}

/// Other-trees 4.4 "limits" and "order in task work": arming looks at the scanner's node, and a scan it
/// refuses uses up the turn.
#[test]
fn a_scan_on_a_node_at_its_limit_arms_nothing_but_uses_the_turn() {
    let mut host = Host::new(Features::THPMIGRATE);
    let (near, far) = (host.start(MM, NEAR), host.start(MM, FAR));
    let other = host.start(MmId(1), NEAR);
    host.fill_far_window(other);
    host.view.now = Nanos::millis(1100);
    let refused = host.run_aside(far, 1001);
    assert_eq!(refused.hold(), Some(Hold::ScanLimit { node: NODE_FAR, pages: LIMIT + 512 }));
    let next = Nanos::millis(1200);
    assert_eq!(host.run_aside(near, 1001).hold(), Some(Hold::NotDue { next }));
    host.view.now = next;
    assert!(host.run_aside(far, 101).action().is_some(), "the window is forgotten");
}

/// The limit of another node does not matter.
#[test]
fn a_scan_elsewhere_is_not_held_up() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (task, other) = (host.start(MM, NEAR), host.start(MmId(1), NEAR));
    host.fill_far_window(other);
    assert!(host.run(task, 1001).action().is_some());
}

/// Other-trees 4.3 step 1: user tasks only; and what the policy was never told of is nobody.
#[test]
fn kernel_threads_and_strangers_do_not_scan() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (task, gone) = (host.start(MM, NEAR), host.start(MM, NEAR));
    host.view.tasks[task.index()].mm = None;
    assert!(host.run(task, 5000).is_silent());
    host.policy.task_exited(&host.view, gone);
    assert!(host.run(gone, 5000).is_silent());
    let stranger = TaskView { mm: Some(MmId(7)), ..host.view.tasks[0] };
    host.view.tasks.push(stranger);
    assert!(host.run(TaskId(2), 5000).is_silent());
}
