//! Memory tiers: which nodes the kernel holds for faster than which.

use crate::NodeMask;
use crate::files::{Files, value};

const FOLDER: &str = "sys/devices/virtual/memory_tiering";

/// Nodes of one speed class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTier {
    /// Rank; lower is faster. DRAM is 4 by default.
    pub rank: u32,
    /// Its nodes.
    pub nodes: NodeMask,
}

/// Tiers from fast to slow; empty where the kernel has none (before 6.1).
#[must_use]
pub fn read_memory_tiers(files: &(impl Files + ?Sized)) -> Vec<MemoryTier> {
    let mut tiers: Vec<MemoryTier> = files
        .list(FOLDER)
        .unwrap_or_default()
        .iter()
        .filter_map(|name| {
            let rank = name.strip_prefix("memory_tier")?.parse().ok()?;
            let nodes: NodeMask = value(files, &format!("{FOLDER}/{name}/nodelist"))?;
            (!nodes.is_empty()).then_some(MemoryTier { rank, nodes })
        })
        .collect();
    tiers.sort_by_key(|tier| tier.rank);
    tiers
}
