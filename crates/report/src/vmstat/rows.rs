//! The rows of the vmstat table as data: a counter, a sum of counters, or a formula.

use super::VmstatRun;
use super::VmstatValue::{self, Count, Percent, Velocity};
use crate::derived::{
    Compaction, autonuma_cost, autonuma_cost_with_copy, hint_local_percent, whole_percent,
};
use crate::mmtests::Edition;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct VmstatRow {
    /// Its label.
    pub name: &'static str,
    /// The only edition that has it; `None` for both.
    only: Option<Edition>,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    Counter(&'static str),
    Sum(&'static str),
    Computed(fn(&VmstatRun) -> VmstatValue),
}

impl VmstatRow {
    /// The rows of an edition, in printed order.
    pub fn all(edition: Edition) -> impl Iterator<Item = &'static Self> {
        ROWS.iter().filter(move |row| row.only.is_none_or(|only| only == edition))
    }

    /// The row of that label in either edition.
    pub fn named(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.name == name)
    }

    /// The two cost rows with the terms MMTests drops: page copies, free pages scanned, failed migrations. They stand beside the printed rows.
    pub fn corrected() -> [Self; 2] {
        [
            computed("AutoNUMA cost + copies", |run| {
                let counter = |name| run.counter(name);
                Count(autonuma_cost_with_copy(
                    counter("numa_pte_updates"),
                    counter("numa_hint_faults"),
                    counter("numa_pages_migrated"),
                ))
            }),
            computed("Compaction cost as meant", |run| Count(compaction(run).cost_as_meant())),
        ]
    }

    /// The value of this row for a run.
    pub fn value(&self, run: &VmstatRun) -> VmstatValue {
        match self.source {
            Source::Counter(name) => Count(run.counter(name)),
            Source::Sum(prefix) => Count(run.sum(prefix)),
            Source::Computed(formula) => formula(run),
        }
    }

    /// The counter (or start of counter names) that this row prints unchanged; `None` for a computed row.
    pub fn counter(&self) -> Option<&'static str> {
        match self.source {
            Source::Counter(name) | Source::Sum(name) => Some(name),
            Source::Computed(_) => None,
        }
    }
}

const fn plain(name: &'static str, counter: &'static str) -> VmstatRow {
    VmstatRow { name, only: None, source: Source::Counter(counter) }
}

const fn sum(name: &'static str, prefix: &'static str) -> VmstatRow {
    VmstatRow { name, only: None, source: Source::Sum(prefix) }
}

const fn computed(name: &'static str, formula: fn(&VmstatRun) -> VmstatValue) -> VmstatRow {
    VmstatRow { name, only: None, source: Source::Computed(formula) }
}

const fn only(edition: Edition, row: VmstatRow) -> VmstatRow {
    VmstatRow { only: Some(edition), ..row }
}

const SCAN_DIRECT: &str = "pgscan_direct";
const SCAN_KSWAPD: &str = "pgscan_kswapd";
const STEAL_DIRECT: &str = "pgsteal_direct";
const STEAL_KSWAPD: &str = "pgsteal_kswapd";

fn compaction(run: &VmstatRun) -> Compaction {
    Compaction {
        migrate_scanned: run.counter("compact_migrate_scanned"),
        free_scanned: run.counter("compact_free_scanned"),
        isolated: run.counter("compact_isolated"),
        migrated: run.counter("pgmigrate_success"),
        failed: run.counter("pgmigrate_fail"),
    }
}

fn efficiency(reclaimed: u64, scanned: u64) -> VmstatValue {
    Percent(whole_percent(reclaimed, scanned).unwrap_or(100))
}

const ROWS: [VmstatRow; 46] = [
    only(
        Edition::Y2013,
        computed("Minor Faults", |run| {
            Count(run.counter("pgfault").saturating_sub(run.counter("pgmajfault")))
        }),
    ),
    only(Edition::Y2013, plain("Major Faults", "pgmajfault")),
    only(Edition::Y2012, plain("Page Ins", "pgpgin")),
    only(Edition::Y2013, plain("Sector Reads", "pgpgin")),
    only(Edition::Y2012, plain("Page Outs", "pgpgout")),
    only(Edition::Y2013, plain("Sector Writes", "pgpgout")),
    plain("Swap Ins", "pswpin"),
    plain("Swap Outs", "pswpout"),
    sum("Direct pages scanned", SCAN_DIRECT),
    sum("Kswapd pages scanned", SCAN_KSWAPD),
    sum("Kswapd pages reclaimed", STEAL_KSWAPD),
    sum("Direct pages reclaimed", STEAL_DIRECT),
    computed("Kswapd efficiency", |run| efficiency(run.sum(STEAL_KSWAPD), run.sum(SCAN_KSWAPD))),
    computed("Kswapd velocity", |run| Velocity(run.velocity(run.sum(SCAN_KSWAPD)))),
    computed("Direct efficiency", |run| efficiency(run.sum(STEAL_DIRECT), run.sum(SCAN_DIRECT))),
    computed("Direct velocity", |run| Velocity(run.velocity(run.sum(SCAN_DIRECT)))),
    computed("Percentage direct scans", |run| {
        let direct = run.sum(SCAN_DIRECT);
        Percent(whole_percent(direct, direct.saturating_add(run.sum(SCAN_KSWAPD))).unwrap_or(0))
    }),
    plain("Page writes by reclaim", "nr_vmscan_write"),
    computed("Page writes file", |run| {
        Count(run.counter("nr_vmscan_write").saturating_sub(run.counter("pswpout")))
    }),
    plain("Page writes anon", "pswpout"),
    plain("Page reclaim immediate", "nr_vmscan_immediate_reclaim"),
    plain("Page rescued immediate", "pgrescued"),
    plain("Slabs scanned", "slabs_scanned"),
    plain("Direct inode steals", "pginodesteal"),
    plain("Kswapd inode steals", "kswapd_inodesteal"),
    plain("Kswapd skipped wait", "kswapd_skip_congestion_wait"),
    plain("THP fault alloc", "thp_fault_alloc"),
    plain("THP collapse alloc", "thp_collapse_alloc"),
    plain("THP splits", "thp_split"),
    plain("THP fault fallback", "thp_fault_fallback"),
    plain("THP collapse fail", "thp_collapse_alloc_failed"),
    plain("Compaction stalls", "compact_stall"),
    plain("Compaction success", "compact_success"),
    plain("Compaction failures", "compact_fail"),
    plain("Page migrate success", "pgmigrate_success"),
    plain("Page migrate failure", "pgmigrate_fail"),
    plain("Compaction pages isolated", "compact_isolated"),
    plain("Compaction migrate scanned", "compact_migrate_scanned"),
    plain("Compaction free scanned", "compact_free_scanned"),
    computed("Compaction cost", |run| Count(compaction(run).cost())),
    plain("NUMA PTE updates", "numa_pte_updates"),
    plain("NUMA hint faults", "numa_hint_faults"),
    plain("NUMA hint local faults", "numa_hint_faults_local"),
    only(
        Edition::Y2013,
        computed("NUMA hint local percent", |run| {
            Count(hint_local_percent(
                run.counter("numa_hint_faults_local"),
                run.counter("numa_hint_faults"),
            ))
        }),
    ),
    plain("NUMA pages migrated", "numa_pages_migrated"),
    computed("AutoNUMA cost", |run| {
        let counter = |name| run.counter(name);
        Count(autonuma_cost(
            counter("numa_pte_updates"),
            counter("numa_hint_faults"),
            counter("numa_pages_migrated"),
        ))
    }),
];
