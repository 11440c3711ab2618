//! The two-stage filter: a page moves only to a node that touched it twice running.
//!
//! Intent: where a share p of a page's accesses comes from a node, two touches running come from it with
//! probability p², so that a rare visitor almost never steals the page. The first touch from any node
//! only leaves a record. Source: balancenuma V5 patches 35-36 (other-trees 2.1 and 4.2); the record is
//! exchanged at every fault, whether or not the page then moves, and moves along with the page.

use homenode_topology::NodeId;

use crate::PageTag;

/// Records that `node` touches the page now; returns the node recorded before. The filter is passed
/// when the two are the same. The tag holds the node id plus one, 0 being "nothing recorded yet".
pub fn record_node(tag: &mut PageTag, node: NodeId) -> Option<NodeId> {
    let last = u16::try_from(tag.0).ok().and_then(|raw| raw.checked_sub(1)).map(NodeId);
    *tag = PageTag(u32::from(node.0) + 1);
    last
}

#[cfg(test)]
mod tests {
    use homenode_topology::NodeId;
    use proptest::prelude::*;

    use super::record_node;
    use crate::PageTag;

    /// Other-trees 4.2 "two-stage filter": the record is empty at first, node 0 included.
    #[test]
    fn nothing_is_recorded_at_first() {
        let mut tag = PageTag::default();
        assert_eq!(record_node(&mut tag, NodeId(0)), None);
        assert_eq!(record_node(&mut tag, NodeId(0)), Some(NodeId(0)));
    }

    /// Other-trees 4.3 step 3: each fault compares, then stores.
    #[test]
    fn each_touch_replaces_the_record() {
        let mut tag = PageTag::default();
        record_node(&mut tag, NodeId(1));
        assert_eq!(record_node(&mut tag, NodeId(2)), Some(NodeId(1)));
        assert_eq!(record_node(&mut tag, NodeId(1)), Some(NodeId(2)));
    }

    proptest! {
        /// Every node id survives in the bits a host keeps.
        #[test]
        fn the_record_fits_the_tag(node: u16) {
            let mut tag = PageTag::default();
            record_node(&mut tag, NodeId(node));
            prop_assert!(tag.0 < 1 << PageTag::BITS);
            prop_assert_eq!(record_node(&mut tag, NodeId(0)), Some(NodeId(node)));
        }

        /// Whatever a tag holds, reading it is safe.
        #[test]
        fn a_foreign_tag_does_no_harm(raw: u32) {
            let mut tag = PageTag(raw);
            record_node(&mut tag, NodeId(3));
            prop_assert_eq!(tag, PageTag(4));
        }
    }
}
