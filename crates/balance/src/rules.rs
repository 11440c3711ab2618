//! How a host works under a policy: the part of a kernel that is mechanism, as plain data.
//!
//! About a third of the published patches change the host, not a decision. The simulator reads these
//! rules and never a policy's name.

use serde::{Deserialize, Serialize};

/// All rules of a host. The default is a kernel without automatic balancing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostRules {
    /// How programs are started.
    pub launch: Launch,
    /// What a scan arms and what it costs of its budget.
    pub walk: WalkRules,
    /// How events are counted.
    pub count: CountRules,
    /// What page migration can do.
    pub migrate: MigrateRules,
}

/// Which build of a program is started (benchmarks 2.4). A tree that binds is a kernel without
/// balancing that runs the bound build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launch {
    /// The default build, with the memory policies its text sets.
    #[default]
    AsWritten,
    /// Bound to the nodes its author thought right.
    HardBind,
    /// Bound to the wrong nodes on purpose.
    InverseBind,
    /// All memory dealt out over all nodes, page by page, CPUs free.
    Interleave,
}

/// What a scan arms (other-trees 4.2 and 4.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WalkRules {
    /// Arm the whole page-middle-directory entry, with one fault for all of it, where all present base
    /// pages below it lie on one node.
    pub pmd_hints: bool,
    /// Walk mappings smaller than 2 MiB too.
    pub small_vmas: bool,
}

/// How events enter the vmstat counters (benchmarks 13.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CountRules {
    /// `numa_pte_updates` per armed huge page: 512 up to patch 9 of V9, 1 after it.
    pub huge_update: u32,
    /// `numa_pages_migrated` and `pgmigrate_success` per migrated huge page: 1 in balancenuma V5,
    /// 512 in later kernels.
    pub huge_migration: u32,
}

impl Default for CountRules {
    fn default() -> Self {
        Self { huge_update: 512, huge_migration: 512 }
    }
}

/// What page migration can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MigrateRules {
    /// Huge pages move whole. Without it they stay where they are.
    pub huge: bool,
}
