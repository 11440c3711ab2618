//! `/proc/PID/smaps`: only what no cheaper file tells, the ranges that are locked in memory.

use std::ops::Range;

use super::maps::hex_range;
use crate::files::{Files, text};
use crate::{Pid, Result};

/// Mappings with the `lo` (locked) flag, in ascending order.
#[must_use]
pub fn locked_ranges(text: &str) -> Vec<Range<u64>> {
    let mut current = None;
    let mut locked = Vec::new();
    for line in text.lines() {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        if first == "VmFlags:" {
            if rest.split_ascii_whitespace().any(|flag| flag == "lo") {
                locked.extend(current.take());
            }
        } else if !first.ends_with(':') {
            current = hex_range(first);
        }
    }
    locked
}

/// Locked ranges of a process. Costly (the kernel walks the page table): ask only where `VmLck` is not 0.
///
/// # Errors
/// The process is gone or belongs to another user.
pub fn read_locked_ranges(files: &(impl Files + ?Sized), pid: Pid) -> Result<Vec<Range<u64>>> {
    Ok(locked_ranges(&text(files, &format!("proc/{pid}/smaps"))?))
}
