//! `/proc/PID/smaps_rollup`: memory totals of a process.

use super::kilobytes;
use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Bytes, Parsed, Pid, Result};

/// Memory totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmapsRollup {
    /// Resident.
    pub resident: Option<Bytes>,
    /// Resident, shared pages divided by their mappers.
    pub proportional: Option<Bytes>,
    /// Touched since the last `clear_refs`.
    pub referenced: Option<Bytes>,
    /// Anonymous.
    pub anonymous: Option<Bytes>,
    /// Anonymous transparent huge pages.
    pub anonymous_huge: Option<Bytes>,
    /// Shared memory mapped by huge entries.
    pub shmem_huge: Option<Bytes>,
    /// Files mapped by huge entries.
    pub file_huge: Option<Bytes>,
    /// hugetlb pages, private and shared.
    pub hugetlb: Option<Bytes>,
    /// Locked.
    pub locked: Option<Bytes>,
}

impl SmapsRollup {
    /// All memory mapped by transparent huge pages.
    #[must_use]
    pub fn transparent_huge(&self) -> Bytes {
        [self.anonymous_huge, self.shmem_huge, self.file_huge]
            .into_iter()
            .flatten()
            .fold(Bytes::ZERO, |sum, size| Bytes(sum.0.saturating_add(size.0)))
    }
}

/// Reads the text of a `smaps_rollup` file.
#[must_use]
pub fn parse_smaps_rollup(text: &str) -> Parsed<SmapsRollup> {
    let mut rollup = SmapsRollup::default();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let field = match key {
            "Rss" => &mut rollup.resident,
            "Pss" => &mut rollup.proportional,
            "Referenced" => &mut rollup.referenced,
            "Anonymous" => &mut rollup.anonymous,
            "AnonHugePages" => &mut rollup.anonymous_huge,
            "ShmemPmdMapped" => &mut rollup.shmem_huge,
            "FilePmdMapped" => &mut rollup.file_huge,
            "Shared_Hugetlb" | "Private_Hugetlb" => &mut rollup.hugetlb,
            "Locked" => &mut rollup.locked,
            _ => continue,
        };
        if let Some(size) = warnings.keep(kilobytes(value), index + 1, line, "a size in kB") {
            *field = Some(Bytes(field.unwrap_or_default().0.saturating_add(size.0)));
        }
    }
    warnings.with(rollup)
}

/// Reads `/proc/PID/smaps_rollup`.
///
/// # Errors
/// The process is gone or belongs to another user.
pub fn read_smaps_rollup(files: &(impl Files + ?Sized), pid: Pid) -> Result<Parsed<SmapsRollup>> {
    Ok(parse_smaps_rollup(&text(files, &format!("proc/{pid}/smaps_rollup"))?))
}
