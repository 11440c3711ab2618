use homenode_balance::PageTag;
use homenode_topology::Bytes;
use homenode_workload::MemoryPolicy;
use proptest::prelude::*;

use super::{Chunk, ChunkKind, PAGES, PageIndex, Space};

const NODES: usize = 3;

fn space(sizes: &[Bytes]) -> Space {
    Space::new(sizes.iter().map(|&size| (size, MemoryPolicy::Default)), NODES)
}

#[test]
fn mappings_start_at_chunks_and_end_within_one() {
    let space = space(&[Bytes(4097), Bytes::mib(4), Bytes::mib(5)]);
    let vmas = &space.vmas;
    assert_eq!([vmas[0].first, vmas[1].first, vmas[2].first], [0, 1, 3]);
    assert_eq!((vmas[0].pages, vmas[0].pages_in(0)), (2, 2));
    assert_eq!((vmas[2].pages_in(3), vmas[2].pages_in(5)), (512, 256));
    assert_eq!(space.chunks.len(), 6);
}

#[test]
fn a_huge_page_is_512_pages_of_one_node() {
    let mut space = space(&[Bytes::mib(4)]);
    assert_eq!(space.node_of(PageIndex(513)), None);
    space.map_huge(1, 2);
    assert_eq!(space.resident, [0, 0, 512]);
    assert_eq!(space.node_of(PageIndex(513)), Some(2));
    space.chunks[1].word.set_tag(PageTag(9));
    space.move_huge(1, 0);
    assert_eq!((space.resident.as_slice(), space.counts(1)), (&[512, 0, 0][..], &[512, 0, 0][..]));
    assert_eq!(space.chunks[1].word.tag(), PageTag(9), "the tag goes with the page");
    assert_eq!(space.chunks[1].calm_node(), Some(0));
    space.chunks[1].armed = true;
    assert_eq!(space.chunks[1].calm_node(), None);
}

#[test]
fn only_present_pages_are_armed() {
    let mut space = space(&[Bytes::mib(2)]);
    for page in [0, 63, 64, 511] {
        space.map_base(page, 1);
    }
    assert_eq!(space.arm_base(0), 4);
    assert_eq!(space.arm_base(0), 0);
    let armed: Vec<u64> = (0..512).filter(|&page| space.is_marked(page)).collect();
    assert_eq!(armed, [0, 63, 64, 511]);
    assert_eq!(space.next_marked(1, 512), Some(63));
    assert_eq!(space.next_marked(65, 511), None);
    assert_eq!(space.next_missing(63, 512), Some(65));
    space.map_base(65, 1);
    assert_eq!(space.arm_base(0), 1, "a page that came later was not armed");
}

#[test]
fn a_chunk_is_uniform_only_if_all_its_pages_are_armed_and_alike() {
    let mut space = space(&[Bytes::mib(2)]);
    for page in 0..512 {
        space.map_base(page, 1);
    }
    assert!(!space.is_uniform(0));
    space.arm_base(0);
    assert!(space.is_uniform(0));
    space.set_tags(5..6, PageTag(1));
    assert!(!space.is_uniform(0));
    space.set_tags(0..512, PageTag(1));
    assert!(space.is_uniform(0));
    space.move_base(9..10, 0);
    assert!(!space.is_uniform(0));
}

#[derive(Clone, Debug)]
enum Change {
    Map(u64, usize),
    Move(u64, usize),
    Arm(usize),
    Unmark(u64, u64),
}

fn change() -> impl Strategy<Value = Change> {
    // Few pages, at the edges of words and chunks, so that changes meet.
    let page = || (0u64..3, prop_oneof![0u64..4, 62u64..66, 508u64..512]);
    let page = move || page().prop_map(|(chunk, page)| chunk * 512 + page);
    prop_oneof![
        3 => (page(), 0..NODES).prop_map(|(page, node)| Change::Map(page, node)),
        2 => (page(), 0..NODES).prop_map(|(page, node)| Change::Move(page, node)),
        1 => (0usize..3).prop_map(Change::Arm),
        2 => (page(), 1u64..70).prop_map(|(page, length)| Change::Unmark(page, length)),
    ]
}

proptest! {
    /// Headers, counts and residence are what a recount of the words and marks gives.
    #[test]
    fn headers_agree_with_a_recount(changes in prop::collection::vec(change(), 1..60)) {
        let mut space = space(&[Bytes::mib(6)]);
        for change in changes {
            match change {
                Change::Map(page, node) if !space.word(page).is_present() => {
                    space.map_base(page, node);
                }
                Change::Move(page, node) if space.word(page).is_present() => {
                    space.move_base(page..page + 1, node);
                }
                Change::Arm(chunk) if space.chunks[chunk].kind == ChunkKind::Base => {
                    let armed = |space: &Space| {
                        (0..1536).filter(|&page| space.is_marked(page)).count() as u64
                    };
                    let before = armed(&space);
                    let changed = space.arm_base(chunk);
                    prop_assert_eq!(armed(&space) - before, changed);
                }
                Change::Unmark(page, length) => {
                    let end = (page / 512 + 1) * 512;
                    space.unmark(page..(page + length).min(end));
                }
                _ => {}
            }
            for chunk in 0..3 {
                recount(&space, chunk)?;
            }
            let resident: u64 = space.resident.iter().sum();
            prop_assert_eq!(resident, space.chunks.iter().map(|chunk| u64::from(chunk.present)).sum());
        }
    }
}

fn recount(space: &Space, at: usize) -> Result<(), TestCaseError> {
    let Chunk { marked, present, only, .. } = space.chunks[at];
    let pages = || (at * PAGES) as u64..((at + 1) * PAGES) as u64;
    let words: Vec<_> =
        pages().map(|page| space.word(page)).filter(|word| word.is_present()).collect();
    prop_assert_eq!(words.len(), usize::from(present));
    prop_assert_eq!(pages().filter(|&page| space.is_marked(page)).count(), usize::from(marked));
    for node in 0..NODES {
        let here = words.iter().filter(|word| word.node() == node).count();
        prop_assert_eq!(here, usize::from(space.counts(at)[node]));
        if !words.is_empty() {
            prop_assert_eq!(only == Some(node as u8), here == words.len());
        }
    }
    Ok(())
}
