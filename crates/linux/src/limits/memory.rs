//! Which memory of a process may go where.

use std::ops::Range;

use homenode_topology::Machine;

use super::Refusal;
use crate::procfs::{
    VmaKind, read_knobs, read_locked_ranges, read_maps, read_numa_maps, read_stat, read_status,
};
use crate::{Bytes, Error, Identity, Kernel, NodeId, NodeMask, Result};

/// A process may use this share of `vm.max_map_count`, per mille, before it is left alone.
const MAP_SHARE_PER_MILLE: u64 = 950;

/// What stands against moving memory of a process, read at one moment.
#[derive(Clone, Debug)]
pub struct MemoryLimits {
    allowed: NodeMask,
    mappings: Vec<Mapping>,
    locked: Vec<Range<u64>>,
    whole: Option<Refusal>,
}

#[derive(Clone, Debug)]
struct Mapping {
    range: Range<u64>,
    refusal: Option<Refusal>,
}

impl MemoryLimits {
    /// Reads the limits. The kernel walks the page tables for it: 4 ms for 256 MiB of small pages natively.
    ///
    /// # Errors
    /// The process is gone or may not be looked at. A file that is damaged in a known part is an error too:
    /// what cannot be read is not moved.
    pub fn read(kernel: &impl Kernel, process: Identity) -> Result<Self> {
        let pid = process.pid;
        process.verify(kernel)?;
        let damaged = |file: &str, wanted: &'static str| Error::Parse {
            path: format!("proc/{pid}/{file}"),
            line: 0,
            item: String::new(),
            wanted,
        };
        let stat = read_stat(kernel, pid)?;
        let status = read_status(kernel, pid)?.value;
        let allowed =
            status.mems_allowed.ok_or_else(|| damaged("status", "a line Mems_allowed_list"))?;
        let locked_bytes = status.locked.ok_or_else(|| damaged("status", "a line VmLck"))?;
        let maps = read_maps(kernel, pid)?.value;
        let policies = read_numa_maps(kernel, pid)?;
        if !policies.warnings.is_empty() {
            return Err(damaged("numa_maps", "whole lines"));
        }
        let locked =
            if locked_bytes == Bytes::ZERO { Vec::new() } else { read_locked_ranges(kernel, pid)? };
        let found = locked.iter().map(|range| range.end - range.start).fold(0, u64::saturating_add);
        if found < locked_bytes.0 {
            return Err(damaged("smaps", "the flag `lo` on all memory that status calls locked"));
        }
        process.verify(kernel)?;
        let count = maps.len() as u64;
        let most = read_knobs(kernel).max_map_count.filter(|&most| count > share(most));
        let whole = if stat.is_kernel_thread() {
            Some(Refusal::KernelThread { pid })
        } else {
            most.map(|most| Refusal::TooManyMappings { count, most })
        };
        // A mapping counts only if both files agree on where it starts.
        let mappings = maps
            .into_iter()
            .filter_map(|map| {
                let index =
                    policies.value.binary_search_by_key(&map.range.start, |vma| vma.start).ok()?;
                let vma = policies.value.get(index)?;
                let start = vma.start;
                let refusal = if !vma.policy.is_free() {
                    Some(Refusal::BoundMemory { start, policy: vma.policy.to_string() })
                } else if vma.hugetlb {
                    Some(Refusal::Hugetlb { start })
                } else if vma.most_mappers > 1 && matches!(vma.kind, VmaKind::File(_)) {
                    Some(Refusal::SharedPages { start, mappers: vma.most_mappers })
                } else {
                    None
                };
                Some(Mapping { range: map.range, refusal })
            })
            .collect();
        Ok(Self { allowed, mappings, locked, whole })
    }

    /// Whether the page at an address may go to a node.
    ///
    /// # Errors
    /// The reason why it may not.
    pub fn check(
        &self,
        machine: &Machine,
        address: u64,
        to: NodeId,
    ) -> std::result::Result<(), Refusal> {
        if let Some(refusal) = &self.whole {
            return Err(refusal.clone());
        }
        let node = machine.node(to).ok_or(Refusal::NoSuchNode { node: to })?;
        if node.memory == Bytes::ZERO {
            return Err(Refusal::NodeWithoutMemory { node: to });
        }
        if !self.allowed.contains(to) {
            return Err(Refusal::NodeOutsideCpuset { node: to, allowed: self.allowed.clone() });
        }
        let after = self.mappings.partition_point(|mapping| mapping.range.start <= address);
        let mapping = after
            .checked_sub(1)
            .and_then(|index| self.mappings.get(index))
            .filter(|mapping| mapping.range.contains(&address))
            .ok_or(Refusal::NotPresent { address })?;
        if let Some(refusal) = &mapping.refusal {
            return Err(refusal.clone());
        }
        match self.locked.iter().find(|range| range.contains(&address)) {
            Some(range) => Err(Refusal::Locked { start: range.start, end: range.end }),
            None => Ok(()),
        }
    }
}

fn share(most: u64) -> u64 {
    most / 1000 * MAP_SHARE_PER_MILLE + most % 1000 * MAP_SHARE_PER_MILLE / 1000
}
