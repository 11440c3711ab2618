use homenode_balance::WalkRules;
use homenode_topology::{Bytes, PAGES_PER_HUGE, PageIndex};
use homenode_workload::MemoryPolicy;

use super::{Walked, walk};
use crate::memory::Space;

const PLAIN: WalkRules = WalkRules { pmd_hints: false, small_vmas: false };
const HINTS: WalkRules = WalkRules { pmd_hints: true, small_vmas: false };
const EVERYTHING: u64 = u64::MAX;

fn space(mib: &[u64]) -> Space {
    Space::new(mib.iter().map(|&mib| (Bytes::mib(mib), MemoryPolicy::Default)), 2)
}

fn huge(mib: u64) -> Space {
    let mut space = space(&[mib]);
    for chunk in 0..space.chunks.len() {
        space.map_huge(chunk, 0);
    }
    space
}

fn base(mib: u64) -> Space {
    let mut space = space(&[mib]);
    for page in 0..mib * 256 {
        space.map_base(page, 0);
    }
    space
}

fn from_start(space: &mut Space, budget: u64, rules: &WalkRules) -> Walked {
    walk(space, PageIndex(0), budget, rules)
}

#[test]
fn a_walk_stops_when_its_budget_is_used_and_the_next_goes_on_there() {
    let mut space = huge(12);
    let first = from_start(&mut space, 2 * PAGES_PER_HUGE, &PLAIN);
    assert_eq!((first.charged, first.next), (1024, Some(PageIndex(1024))));
    assert_eq!(space.chunks.iter().filter(|chunk| chunk.armed).count(), 2);
    let second = walk(&mut space, PageIndex(1024), 3 * PAGES_PER_HUGE, &PLAIN);
    assert_eq!(second.next, Some(PageIndex(2560)));
    let last = walk(&mut space, PageIndex(2560), EVERYTHING, &PLAIN);
    assert_eq!((last.armed_huge, last.next), (1, None));
    assert!(space.chunks.iter().all(|chunk| chunk.armed));
}

/// The step that crosses the budget is finished, so a walk may exceed it by less than a chunk.
#[test]
fn a_budget_below_a_huge_page_still_arms_one() {
    let walked = from_start(&mut huge(8), 1, &PLAIN);
    assert_eq!((walked.armed_huge, walked.charged), (1, PAGES_PER_HUGE));
    assert_eq!(walked.next, Some(PageIndex(PAGES_PER_HUGE)));
}

#[test]
fn an_armed_huge_page_is_charged_again() {
    let mut space = huge(4);
    from_start(&mut space, EVERYTHING, &PLAIN);
    let again = from_start(&mut space, EVERYTHING, &PLAIN);
    assert_eq!((again.armed_huge, again.charged), (2, 2 * PAGES_PER_HUGE));
}

#[test]
fn an_armed_base_page_costs_nothing_but_the_look() {
    let mut space = base(4);
    let first = from_start(&mut space, EVERYTHING, &PLAIN);
    assert_eq!((first.armed_base, first.charged, first.looked_at), (1024, 1024, 1024));
    space.unmark(3..4);
    let again = from_start(&mut space, 1, &PLAIN);
    assert_eq!((again.armed_base, again.charged, again.looked_at), (1, 1, 512));
    let rest = walk(&mut space, again.next.unwrap(), 1, &PLAIN);
    assert_eq!(rest, Walked { looked_at: 512, ..Walked::default() });
}

#[test]
fn memory_that_is_not_there_costs_nothing() {
    assert_eq!(from_start(&mut space(&[64]), 1, &PLAIN), Walked::default());
}

#[test]
fn small_mappings_are_skipped_unless_the_rules_say_otherwise() {
    let mut small = space(&[1, 2]);
    small.map_base(0, 0);
    small.map_base(PAGES_PER_HUGE, 0);
    let walked = from_start(&mut small, EVERYTHING, &PLAIN);
    assert_eq!(walked.armed_base, 1);
    assert!(!small.is_marked(0) && small.is_marked(PAGES_PER_HUGE));
    let all = from_start(&mut small, EVERYTHING, &WalkRules { small_vmas: true, ..PLAIN });
    assert_eq!(all.armed_base, 1);
    assert!(small.is_marked(0));
}

#[test]
fn a_directory_entry_is_armed_only_over_pages_of_one_node() {
    let mut space = base(6);
    space.move_base(512 + 7..512 + 8, 1);
    space.move_base(1024..1536, 1);
    from_start(&mut space, EVERYTHING, &HINTS);
    let armed: Vec<bool> = space.chunks.iter().map(|chunk| chunk.armed).collect();
    assert_eq!(armed, [true, false, true]);
    assert!(space.chunks.iter().all(|chunk| chunk.marked == 512), "the pages are armed anyway");
}

#[test]
fn no_directory_entry_is_armed_without_the_rule() {
    let mut space = base(4);
    from_start(&mut space, EVERYTHING, &PLAIN);
    assert!(space.chunks.iter().all(|chunk| !chunk.armed && chunk.marked == 512));
}
