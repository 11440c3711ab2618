//! The simulator's counters by their names in `/proc/vmstat`.

use homenode_report::VmstatRun;
use homenode_sim::{Counters, RunResult};

type Field = fn(&Counters) -> u64;

/// The counters that the simulator has a cause for.
const COUNTERS: [(&str, Field); 9] = [
    ("pgfault", |counters| counters.pgfault),
    ("thp_fault_alloc", |counters| counters.thp_fault_alloc),
    ("thp_fault_fallback", |counters| counters.thp_fault_fallback),
    ("numa_pte_updates", |counters| counters.numa_pte_updates),
    ("numa_hint_faults", |counters| counters.numa_hint_faults),
    ("numa_hint_faults_local", |counters| counters.numa_hint_faults_local),
    ("numa_pages_migrated", |counters| counters.numa_pages_migrated),
    ("pgmigrate_success", |counters| counters.pgmigrate_success),
    ("pgmigrate_fail", |counters| counters.pgmigrate_fail),
];

/// Whether the simulator has a cause for a counter of this name.
#[must_use]
pub fn is_modelled(name: &str) -> bool {
    COUNTERS.iter().any(|(known, _)| *known == name)
}

/// The counters of a test that consists of these runs, one after the other.
pub fn sum<'a>(runs: impl Iterator<Item = &'a RunResult>) -> VmstatRun {
    let mut total = VmstatRun::default();
    for run in runs {
        total.elapsed_seconds += run.elapsed.as_secs_f64();
        for (name, count) in counts(&run.counters) {
            *total.counters.entry(name.to_owned()).or_default() += count;
        }
    }
    total
}

/// Each counter with its value.
pub fn counts(counters: &Counters) -> impl Iterator<Item = (&'static str, u64)> {
    COUNTERS.iter().map(|(name, field)| (*name, field(counters)))
}
