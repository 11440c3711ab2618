//! Rows that MMTests computes from other rows (spec benchmarks 2.5, 13.5, 13.6), in whole numbers where the report is.

mod peaks;

#[cfg(test)]
mod tests;

pub use peaks::{PeakLabels, SpecjbbPeaks, specjbb_peaks};

/// Cost units of reading a 56-byte page structure word by word.
const PAGE_STRUCT: u128 = 7;
/// Cost units of a hinting fault.
const HINT_FAULT: u128 = 5000;
/// Cost units of isolating a page: its structure, a list and a lock.
const ISOLATE: u128 = 19;
/// Cost units of reading and writing one page word by word, 2 x (7 + 512).
const PAGE_COPY: u128 = 1038;
/// Cost units of a migration that failed.
const FAILED: u128 = 14;
/// Both cost rows are printed in millions, cut off.
const MILLION: u128 = 1_000_000;

fn in_millions(units: u128) -> u64 {
    u64::try_from(units / MILLION).unwrap_or(u64::MAX)
}

/// The row `AutoNUMA cost` as printed: (7 PTE updates + 5000 hint faults + 19 pages migrated) / 10^6.
///
/// The page copy is missing from it: MMTests has the term as a statement without effect.
pub fn autonuma_cost(pte_updates: u64, hint_faults: u64, pages_migrated: u64) -> u64 {
    in_millions(autonuma_units(pte_updates, hint_faults, pages_migrated))
}

/// [`autonuma_cost`] with the copy of each migrated page, read and written once (1038 units), added.
pub fn autonuma_cost_with_copy(pte_updates: u64, hint_faults: u64, pages_migrated: u64) -> u64 {
    in_millions(
        autonuma_units(pte_updates, hint_faults, pages_migrated)
            + PAGE_COPY * u128::from(pages_migrated),
    )
}

fn autonuma_units(pte_updates: u64, hint_faults: u64, pages_migrated: u64) -> u128 {
    PAGE_STRUCT * u128::from(pte_updates)
        + HINT_FAULT * u128::from(hint_faults)
        + ISOLATE * u128::from(pages_migrated)
}

/// Counters behind the row `Compaction cost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compaction {
    /// `compact_migrate_scanned`.
    pub migrate_scanned: u64,
    /// `compact_free_scanned`.
    pub free_scanned: u64,
    /// `compact_isolated`.
    pub isolated: u64,
    /// `pgmigrate_success`: all migrations, those of NUMA balancing too.
    pub migrated: u64,
    /// `pgmigrate_fail`.
    pub failed: u64,
}

impl Compaction {
    /// The row as printed: (7 migrate scanned + 19 isolated + 1038 migrated) / 10^6.
    ///
    /// MMTests misspells the counters of free scanned and failed pages, so that both count 0.
    pub fn cost(self) -> u64 {
        in_millions(self.printed_units())
    }

    /// The row as meant: 7 for each free page scanned and 14 for each failed migration added.
    pub fn cost_as_meant(self) -> u64 {
        in_millions(
            self.printed_units()
                + PAGE_STRUCT * u128::from(self.free_scanned)
                + FAILED * u128::from(self.failed),
        )
    }

    fn printed_units(self) -> u128 {
        PAGE_STRUCT * u128::from(self.migrate_scanned)
            + ISOLATE * u128::from(self.isolated)
            + PAGE_COPY * u128::from(self.migrated)
    }
}

/// The row `NUMA hint local percent`: 100 local / faults, cut off; 100 if there were no faults.
pub fn hint_local_percent(local_faults: u64, faults: u64) -> u64 {
    whole_percent(local_faults, faults).unwrap_or(100)
}

/// 100 part / whole, cut off; `None` if the whole is 0.
pub(crate) fn whole_percent(part: u64, whole: u64) -> Option<u64> {
    let percent = (u128::from(part) * 100).checked_div(u128::from(whole))?;
    Some(u64::try_from(percent).unwrap_or(u64::MAX))
}

/// The row `CPU` of autonumabench: 100 (user + system) / elapsed, cut off, in per cent of one CPU, from times in hundredths of a second
/// as `time` prints them. `None` if no time passed. The posts hold this value, or one less where the printed times were rounded up.
pub fn cpu_percent(
    user_centiseconds: u64,
    system_centiseconds: u64,
    elapsed_centiseconds: u64,
) -> Option<u64> {
    whole_percent(user_centiseconds.saturating_add(system_centiseconds), elapsed_centiseconds)
}
