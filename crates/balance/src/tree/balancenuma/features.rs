//! Which patches of the series a kernel has.

use homenode_topology::Nanos;

use crate::mechanism::ScanPeriod;
use crate::{CountRules, HostRules, MigrateRules, WalkRules};

/// One switch for each group of patches (other-trees 4.1). Patches 1-10 (counters, cheaper TLB flushes)
/// are in every stage, patch 39 (a boot switch) in none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// 11-29: hinting entries, the scanner, migration on the fault.
    pub sampling: bool,
    /// 30: one hint for a whole page-middle-directory entry.
    pub pmd_hints: bool,
    /// 31-33: limits on migration and on arming.
    pub rate_limits: bool,
    /// 34: every fault lengthens the scan period.
    pub slowing_scan: bool,
    /// 35-36: the last node is recorded in the page, and two touches running are needed.
    pub two_stage_filter: bool,
    /// 37: huge pages migrate whole.
    pub thp_migration: bool,
    /// 38: only faults that move nothing lengthen the scan period, by more and further.
    pub adaptive_scan: bool,
    /// 40: no scan before the address space was seen on a second node.
    pub delayed_start: bool,
}

impl Features {
    /// `stats`, patches 1-10.
    pub const STATS: Self = Self {
        sampling: false,
        pmd_hints: false,
        rate_limits: false,
        slowing_scan: false,
        two_stage_filter: false,
        thp_migration: false,
        adaptive_scan: false,
        delayed_start: false,
    };

    /// `thpmigrate`, patches 1-37.
    pub const THPMIGRATE: Self = Self {
        sampling: true,
        pmd_hints: true,
        rate_limits: true,
        slowing_scan: true,
        two_stage_filter: true,
        thp_migration: true,
        ..Self::STATS
    };

    /// `adaptscan`, patches 1-38.
    pub const ADAPTSCAN: Self = Self { adaptive_scan: true, ..Self::THPMIGRATE };

    /// `delaystart`, all 40.
    pub const DELAYSTART: Self = Self { delayed_start: true, ..Self::ADAPTSCAN };

    /// How the host of such a kernel works. V5 counts a migrated huge page once, an armed one 512 times.
    pub(super) fn rules(self) -> HostRules {
        HostRules {
            walk: WalkRules { pmd_hints: self.pmd_hints, small_vmas: false },
            count: CountRules { huge_update: 512, huge_migration: 1 },
            migrate: MigrateRules { huge: self.thp_migration },
            ..HostRules::default()
        }
    }

    /// Scan periods: the first is the scan delay; growth is in jiffies of 1 ms.
    pub(super) const fn period(self) -> ScanPeriod {
        let (growth, max) = if self.adaptive_scan {
            (Nanos::millis(10), Nanos::millis(5000))
        } else if self.slowing_scan {
            (Nanos::millis(2), Nanos::millis(1600))
        } else {
            (Nanos::ZERO, Nanos::millis(1600))
        };
        ScanPeriod { delay: Nanos::millis(1000), min: Nanos::millis(100), max, growth }
    }
}
