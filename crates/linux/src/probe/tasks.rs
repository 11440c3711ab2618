//! Finding processes by name.

use crate::procfs::{processes, read_stat};
use crate::{Files, Pid};

/// Processes with this name, in ascending order; unreadable ones are left out.
pub(super) fn named(files: &(impl Files + ?Sized), name: &str) -> Vec<Pid> {
    let mut pids = processes(files).unwrap_or_default();
    pids.retain(|&pid| read_stat(files, pid).is_ok_and(|stat| stat.comm == name));
    pids
}
