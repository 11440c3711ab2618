use homenode_topology::{Machine, NodeId, NodeMask, PAGES_PER_HUGE, spec};
use homenode_workload::MemoryPolicy;

use super::{Layout, Pool, place};

/// Nodes 0, 2 and 5; from node 0 node 5 is nearer than 2, from node 2 node 0 is.
fn machine() -> Machine {
    let text = "nodes=0,2,5 memory=16MiB \
                distance@0>2=30 distance@0>5=20 distance@2>0=15 distance@2>5=40 distance@5>0=40";
    spec::parse(text).unwrap()
}

struct Setting {
    layout: Layout,
    pool: Pool,
}

impl Setting {
    fn new() -> Self {
        let machine = machine();
        Self { layout: Layout::new(&machine), pool: Pool::new(&machine) }
    }

    fn filled(mut self, id: u16) -> Self {
        let slot = self.layout.node_slot(NodeId(id)).unwrap();
        let free = self.pool.free(slot);
        assert!(self.pool.take(slot, free));
        self
    }

    /// Node id on which a base page at `index` lands when it is touched from node `here`.
    fn at(&self, policy: &MemoryPolicy, here: u16, index: u64, pages: u64) -> Option<u16> {
        let here = self.layout.node_slot(NodeId(here)).unwrap();
        let slot = place(policy, here, index, pages, &self.pool, &self.layout);
        slot.map(|slot| self.layout.nodes[slot].0)
    }

    fn of(&self, policy: &MemoryPolicy, here: u16) -> Option<u16> {
        self.at(policy, here, 0, 1)
    }
}

fn set(ids: &[u16]) -> NodeMask {
    ids.iter().copied().map(NodeId).collect()
}

#[test]
fn memory_comes_from_the_own_node_then_from_the_nearest_with_room() {
    let empty = Setting::new();
    assert_eq!(empty.of(&MemoryPolicy::Default, 2), Some(2));
    let full = Setting::new().filled(0);
    assert_eq!(full.of(&MemoryPolicy::Default, 0), Some(5), "nearer than 2 in this direction");
    assert_eq!(full.filled(5).of(&MemoryPolicy::Local, 0), Some(2));
    let other = Setting::new().filled(2);
    assert_eq!(other.of(&MemoryPolicy::Default, 2), Some(0), "nearer than 5 in this direction");
    assert_eq!(Setting::new().filled(0).filled(2).filled(5).of(&MemoryPolicy::Default, 0), None);
}

#[test]
fn bound_memory_never_leaves_its_nodes() {
    let bound = MemoryPolicy::Bind(set(&[2, 5]));
    assert_eq!(Setting::new().of(&bound, 2), Some(2), "the own node if it is one of them");
    assert_eq!(Setting::new().of(&bound, 0), Some(5), "else the nearest of them");
    assert_eq!(Setting::new().filled(5).of(&bound, 0), Some(2));
    assert_eq!(Setting::new().filled(5).filled(2).of(&bound, 0), None, "node 0 has room");
}

#[test]
fn interleaved_pages_take_turns_by_offset() {
    let turns = MemoryPolicy::Interleave(set(&[0, 5]));
    let setting = Setting::new();
    let base: Vec<_> = (0..4).map(|page| setting.at(&turns, 2, page, 1)).collect();
    assert_eq!(base, [Some(0), Some(5), Some(0), Some(5)]);
    let huge = |n| setting.at(&turns, 2, n * PAGES_PER_HUGE, PAGES_PER_HUGE);
    assert_eq!([huge(0), huge(1), huge(2)], [Some(0), Some(5), Some(0)]);
}

#[test]
fn a_full_node_loses_its_turn_and_full_nodes_their_exclusiveness() {
    let turns = MemoryPolicy::Interleave(set(&[0, 5]));
    let one = Setting::new().filled(5);
    assert_eq!(one.at(&turns, 2, 1, 1), Some(0));
    assert_eq!(one.filled(0).at(&turns, 2, 1, 1), Some(2));
}

#[test]
fn a_preferred_node_is_used_while_it_has_room() {
    let preferred = MemoryPolicy::Preferred(NodeId(5));
    assert_eq!(Setting::new().of(&preferred, 0), Some(5));
    assert_eq!(Setting::new().filled(5).of(&preferred, 2), Some(2));
}

#[test]
fn migration_on_fault_changes_no_placement() {
    let inner = MemoryPolicy::Bind(set(&[5]));
    let flagged = MemoryPolicy::MigrateOnFault(Box::new(inner.clone()));
    assert_eq!(Setting::new().of(&flagged, 0), Setting::new().of(&inner, 0));
}

#[test]
fn a_huge_page_needs_room_for_all_of_it() {
    let mut setting = Setting::new();
    let free = setting.pool.free(0);
    assert!(setting.pool.take(0, free - 511));
    assert_eq!(setting.at(&MemoryPolicy::Default, 0, 0, PAGES_PER_HUGE), Some(5));
    assert_eq!(setting.of(&MemoryPolicy::Default, 0), Some(0));
}

#[test]
fn the_pool_gives_what_it_has_and_no_more() {
    let mut pool = Pool::new(&machine());
    let all = pool.free(0);
    assert!(!pool.take(0, all + 1));
    assert_eq!((pool.free(0), pool.used(0)), (all, 0));
    assert!(pool.take(0, all));
    pool.give(0, 5);
    assert_eq!((pool.free(0), pool.used(0)), (5, all - 5));
    assert_eq!(pool.above_watermark(0), 0);
    assert_eq!(pool.above_watermark(1), all - all / 256);
}
