//! Event counters, named as in `/proc/vmstat`.

use serde::Serialize;

/// Counts over one run; only events that this model has a cause for (benchmarks 13.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Faults that brought in a page: base pages and huge pages each count one.
    pub pgfault: u64,
    /// Huge pages allocated at a first touch, those of losers of the race included.
    pub thp_fault_alloc: u64,
    /// First touches that fell back to base pages because no node had a huge page.
    pub thp_fault_fallback: u64,
    /// Page table entries armed, in the units of the policy's counting rules.
    pub numa_pte_updates: u64,
    /// Hinting faults; each entry handled in one fault on a whole directory entry counts.
    pub numa_hint_faults: u64,
    /// Those where the page lay on the node of the CPU.
    pub numa_hint_faults_local: u64,
    /// Pages migrated after hinting faults, in the units of the policy's counting rules.
    pub numa_pages_migrated: u64,
    /// All migrations that succeeded, in the same units.
    pub pgmigrate_success: u64,
    /// Migrations that failed.
    pub pgmigrate_fail: u64,
    /// Base pages that really moved, whatever the kernel counted.
    pub pages_moved: u64,
}
