//! Where a process's memory is, by node and by kind.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::procfs::{NumaVma, VmaKind, read_numa_maps};
use crate::{Bytes, Identity, Kernel, NodeId, Result};

/// Memory of a process on one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NodeShare {
    /// Memory of its own, transparent huge pages included.
    pub private: Bytes,
    /// File and shared memory that more than one process maps.
    pub shared: Bytes,
    /// hugetlb pages.
    pub hugetlb: Bytes,
    /// Part of all this in mappings whose nodes the program chose.
    pub bound: Bytes,
}

impl NodeShare {
    /// All of it.
    #[must_use]
    pub fn total(self) -> Bytes {
        Bytes(self.private.0.saturating_add(self.shared.0).saturating_add(self.hugetlb.0))
    }
}

/// Sums up mappings by node.
#[must_use]
pub fn by_node(vmas: &[NumaVma]) -> BTreeMap<NodeId, NodeShare> {
    let mut nodes: BTreeMap<NodeId, NodeShare> = BTreeMap::new();
    for vma in vmas {
        let file = matches!(vma.kind, VmaKind::File(_));
        for &(node, pages) in &vma.pages {
            let size = pages.saturating_mul(vma.page_size.0);
            let share = nodes.entry(node).or_default();
            let part = if vma.hugetlb {
                &mut share.hugetlb
            } else if file && vma.most_mappers > 1 {
                &mut share.shared
            } else {
                &mut share.private
            };
            *part = Bytes(part.0.saturating_add(size));
            if !vma.policy.is_free() {
                share.bound = Bytes(share.bound.0.saturating_add(size));
            }
        }
    }
    nodes
}

/// Reads where memory of a process is. The kernel walks its page tables: 4 ms for 256 MiB natively.
///
/// # Errors
/// The process is gone or belongs to another user.
pub fn read_placement(
    kernel: &impl Kernel,
    process: Identity,
) -> Result<BTreeMap<NodeId, NodeShare>> {
    process.verify(kernel)?;
    Ok(by_node(&read_numa_maps(kernel, process.pid)?.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procfs::parse_numa_maps;

    #[test]
    fn kinds_of_memory_are_told_apart() {
        let text = include_str!("../tests/fixtures/linux-6.12-4node/proc/649/numa_maps");
        let nodes = by_node(&parse_numa_maps(text).value);
        let node = nodes[&NodeId(3)];
        assert_eq!(node.hugetlb, Bytes::mib(4));
        assert_eq!(node.shared, Bytes::ZERO);
        // `bind=balancing` and one `prefer (many)` mapping, a quarter of two interleaved ones.
        assert_eq!(node.bound, Bytes::kib(4 * (256 + 256 + 64 + 64)));
        let shared = "1000 default file=/lib/x mapped=8 mapmax=9 N0=8 kernelpagesize_kB=4\n";
        let nodes = by_node(&parse_numa_maps(shared).value);
        assert_eq!(
            (nodes[&NodeId(0)].shared, nodes[&NodeId(0)].total()),
            (Bytes::kib(32), Bytes::kib(32))
        );
    }
}
