//! Hinting faults and what comes of moves.

use super::*;
use crate::{Placement, Reason};

fn moved(pages: u32) -> Outcome {
    Outcome::Done { pages }
}

/// Other-trees 4.2 "two-stage filter": move only if the previous record is the same node.
#[test]
fn the_second_touch_running_moves_the_page() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    let first = host.fault(task, 5, NODE_NEAR);
    assert_eq!(first.hold(), Some(Hold::FirstTouchFrom { node: NODE_FAR, last: None }));
    let second = host.fault(task, 5, NODE_NEAR);
    let range = PageRange { mm: MM, first: PageIndex(5), pages: 1 };
    assert_eq!(second.action(), Some(&Action::MoveRange { range, to: NODE_FAR, task }));
    let reason = Reason::Misplaced { from: NODE_NEAR, to: NODE_FAR };
    assert_eq!(second.verdicts[0].reason, reason);
}

/// Other-trees 4.3 step 3: every fault replaces the record, local ones included.
#[test]
fn nodes_that_alternate_do_not_move_the_page() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (near, far) = (host.start_old(MM, NEAR), host.start_old(MM, FAR));
    for _ in 0..4 {
        let local = host.fault(near, 5, NODE_NEAR);
        assert_eq!(local.hold(), Some(Hold::Local { node: NODE_NEAR }));
        let remote = host.fault(far, 5, NODE_NEAR);
        assert!(matches!(remote.hold(), Some(Hold::FirstTouchFrom { node: NODE_FAR, .. })));
    }
}

/// Other-trees 4.4 "migration": the record moves along with the page.
#[test]
fn a_page_that_moved_is_local_at_its_new_place() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let (near, far) = (host.start_old(MM, NEAR), host.start_old(MM, FAR));
    host.fault(far, 5, NODE_NEAR);
    assert!(host.fault(far, 5, NODE_NEAR).action().is_some());
    assert!(matches!(host.fault(near, 5, NODE_FAR).hold(), Some(Hold::FirstTouchFrom { .. })));
    assert_eq!(host.fault(far, 5, NODE_FAR).hold(), Some(Hold::Local { node: NODE_FAR }));
}

/// Other-trees 4.2 "growth before 38": each fault adds 2 ms, moved or not, up to 1600 ms.
#[test]
fn before_patch_38_every_fault_lengthens_the_period() {
    let mut host = Host::new(Features::THPMIGRATE);
    let task = host.start_old(MM, FAR);
    host.fault(task, 1, NODE_FAR);
    assert_eq!(host.period_ms(task), 102);
    host.fault(task, 2, NODE_NEAR);
    assert_eq!(host.period_ms(task), 104);
    let asked = host.fault(task, 2, NODE_NEAR);
    host.ended(&asked, moved(1));
    assert_eq!(host.period_ms(task), 106);
    host.fault(task, 3, NODE_NEAR);
    let asked = host.fault(task, 3, NODE_NEAR);
    host.failed(&asked);
    assert_eq!(host.period_ms(task), 110, "a failed move counts once");
    for page in 0..800 {
        host.fault(task, page, NODE_FAR);
    }
    assert_eq!(host.period_ms(task), 1600);
}

/// Other-trees 4.2 "growth from 38": 10 ms for each fault that did not migrate, up to 5000 ms.
#[test]
fn from_patch_38_only_faults_that_move_nothing_do() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.fault(task, 1, NODE_FAR);
    host.fault(task, 2, NODE_NEAR);
    assert_eq!(host.period_ms(task), 120, "local, and held by the filter");
    let asked = host.fault(task, 2, NODE_NEAR);
    host.ended(&asked, moved(1));
    assert_eq!(host.period_ms(task), 120);
    host.fault(task, 3, NODE_NEAR);
    let asked = host.fault(task, 3, NODE_NEAR);
    host.failed(&asked);
    assert_eq!(host.period_ms(task), 140, "held by the filter, then failed");
    for page in 0..1000 {
        host.fault(task, page, NODE_FAR);
    }
    assert_eq!(host.period_ms(task), 5000);
}

/// A move that ended without a page moved is a fault that did not migrate.
#[test]
fn moving_no_page_is_no_success() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.fault(task, 1, NODE_NEAR);
    let asked = host.fault(task, 1, NODE_NEAR);
    host.ended(&asked, moved(0));
    assert_eq!(host.period_ms(task), 120);
}

/// Other-trees 4.4 "PTE / THP fault, not migrated": the same step for 4 KiB and 2 MiB.
#[test]
fn a_huge_page_lengthens_the_period_no_more_than_a_base_page() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, NEAR);
    host.fault_huge(task, 512, NODE_NEAR);
    assert_eq!(host.period_ms(task), 110);
}

/// Other-trees 4.4 "PMD fault loop": an entry that needs no move is passed over without adjusting the
/// period; only failed moves count.
#[test]
fn entries_of_a_batch_count_only_when_a_move_fails() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.batch(task, 1, NODE_FAR);
    host.batch(task, 2, NODE_NEAR);
    assert_eq!(host.period_ms(task), 100, "local, and held by the filter");
    let asked = host.batch(task, 2, NODE_NEAR);
    host.ended(&asked, moved(1));
    assert_eq!(host.period_ms(task), 100);
    host.batch(task, 3, NODE_NEAR);
    let asked = host.batch(task, 3, NODE_NEAR);
    host.failed(&asked);
    assert_eq!(host.period_ms(task), 110);
    host.view.free = 0;
    host.batch(task, 4, NODE_NEAR);
    assert_eq!(
        host.batch(task, 4, NODE_NEAR).hold(),
        Some(Hold::NodeFull { node: NODE_FAR, free: 0 })
    );
    assert_eq!(host.period_ms(task), 120, "wanted, but refused");
}

/// Other-trees 4.2 "page eligibility": room on the destination for all pages to move.
#[test]
fn a_node_without_room_takes_nothing() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.view.free = 511;
    host.fault_huge(task, 512, NODE_NEAR);
    let full = host.fault_huge(task, 512, NODE_NEAR);
    assert_eq!(full.hold(), Some(Hold::NodeFull { node: NODE_FAR, free: 511 }));
    assert_eq!(host.period_ms(task), 120);
    host.view.free = 512;
    assert!(host.fault_huge(task, 512, NODE_NEAR).action().is_some());
}

/// Other-trees 4.2 "migrate limit": a window per destination, a huge page counts 512.
#[test]
fn a_node_takes_in_so_much_a_window() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.fill_far_window(task);
    host.fault(task, 1, NODE_NEAR);
    let over = host.fault(task, 1, NODE_NEAR);
    assert_eq!(over.hold(), Some(Hold::MigrateLimit { pages: LIMIT + 512, limit: LIMIT }));
    let near = host.start_old(MmId(1), NEAR);
    host.fault(near, 2, NODE_FAR);
    assert!(host.fault(near, 2, NODE_FAR).action().is_some(), "another destination");
    host.view.now += Nanos::secs(1);
    assert!(host.fault(task, 1, NODE_NEAR).action().is_some(), "another window");
}

/// A host may report a fault late; the window is that of the move, not of the fault.
#[test]
fn the_window_is_that_of_the_moment_of_moving() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.fill_far_window(task);
    let old = host.seen(task, 1, 1, NODE_NEAR, Source::HintingFault);
    host.observe(&old);
    host.view.now += Nanos::secs(1);
    assert!(host.observe(&old).action().is_some());
}

/// Balancing-v9 5.4: the limit is charged before room is looked for.
#[test]
fn attempts_without_room_use_up_the_window() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.view.free = 0;
    for _ in 0..2 + LIMIT / 512 {
        host.fault_huge(task, 512, NODE_NEAR);
    }
    host.view.free = 1 << 20;
    assert!(matches!(
        host.fault_huge(task, 512, NODE_NEAR).hold(),
        Some(Hold::MigrateLimit { .. })
    ));
}

/// Other-trees 4.4 "filter": explicit policies are not filtered, and move pages only with the flag set.
#[test]
fn an_explicit_policy_decides_without_the_filter() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.view.placement = Placement::Stays;
    for _ in 0..3 {
        assert_eq!(host.fault(task, 1, NODE_NEAR).hold(), Some(Hold::Bound { node: NODE_NEAR }));
    }
    assert_eq!(host.period_ms(task), 130);
    host.view.placement = Placement::On(NodeId(9));
    let answer = host.fault(task, 2, NODE_NEAR);
    assert!(matches!(answer.action(), Some(Action::MoveRange { to: NodeId(9), .. })), "{answer:?}");
    assert_eq!(host.fault(task, 3, NodeId(9)).hold(), Some(Hold::Local { node: NodeId(9) }));
    assert!(host.tags.values().all(|&tag| tag == PageTag::default()), "nothing was recorded");
}

/// Other-trees 4.4 "tick": faults on pages a sibling armed reach tasks that never scanned.
#[test]
fn a_fault_before_the_first_scan_lengthens_the_scan_delay() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start(MM, NEAR);
    host.fault(task, 1, NODE_NEAR);
    assert_eq!(host.period_ms(task), 1010);
    assert!(host.run(task, 1005).is_silent());
    assert!(host.run(task, 6).action().is_some());
    assert_eq!(host.period_ms(task), 100);
}

/// Hosts may report what happened to a task that is gone.
#[test]
fn late_news_of_a_task_that_exited_is_ignored() {
    let mut host = Host::new(Features::ADAPTSCAN);
    let task = host.start_old(MM, FAR);
    host.fault(task, 1, NODE_NEAR);
    let asked = host.fault(task, 1, NODE_NEAR);
    host.policy.task_exited(&host.view, task);
    host.failed(&asked);
    assert!(host.policy.clocks.get(task.index()).is_none());
}
