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
