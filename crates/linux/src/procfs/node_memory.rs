//! A node's `meminfo`: memory present, free and by use.

use super::kilobytes;
use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Bytes, NodeId, Parsed, Result};

/// Memory of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeMemory {
    /// Managed by the kernel.
    pub total: Option<Bytes>,
    /// Free.
    pub free: Option<Bytes>,
    /// Page cache, shared memory included.
    pub file: Option<Bytes>,
    /// Page cache that can be dropped first.
    pub inactive_file: Option<Bytes>,
    /// Anonymous memory of processes.
    pub anonymous: Option<Bytes>,
    /// Shared memory.
    pub shared: Option<Bytes>,
    /// Transparent huge pages among the anonymous memory.
    pub anonymous_huge: Option<Bytes>,
    /// hugetlb pages, a count.
    pub hugetlb_total: Option<u64>,
    /// hugetlb pages not in use, a count.
    pub hugetlb_free: Option<u64>,
}

/// Reads the text of a node's `meminfo`.
#[must_use]
pub fn parse_node_memory(text: &str) -> Parsed<NodeMemory> {
    let mut memory = NodeMemory::default();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        // `Node 0 MemTotal:   514356 kB`
        let Some((key, value)) = line.split_once(':') else { continue };
        let key = key.rsplit(' ').next().unwrap_or(key);
        let counted = match key {
            "HugePages_Total" => Some(&mut memory.hugetlb_total),
            "HugePages_Free" => Some(&mut memory.hugetlb_free),
            _ => None,
        };
        if let Some(field) = counted {
            *field = warnings.keep(value.trim().parse(), index + 1, line, "a page count");
            continue;
        }
        let sized = match key {
            "MemTotal" => &mut memory.total,
            "MemFree" => &mut memory.free,
            "FilePages" => &mut memory.file,
            "Inactive(file)" => &mut memory.inactive_file,
            "AnonPages" => &mut memory.anonymous,
            "Shmem" => &mut memory.shared,
            "AnonHugePages" => &mut memory.anonymous_huge,
            _ => continue,
        };
        *sized = warnings.keep(kilobytes(value), index + 1, line, "a size in kB");
    }
    warnings.with(memory)
}

/// Reads a node's `meminfo`.
///
/// # Errors
/// There is no such node.
pub fn read_node_memory(files: &(impl Files + ?Sized), node: NodeId) -> Result<Parsed<NodeMemory>> {
    let path = format!("sys/devices/system/node/node{}/meminfo", node.0);
    Ok(parse_node_memory(&text(files, &path)?))
}
