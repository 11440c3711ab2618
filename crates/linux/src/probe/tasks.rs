//! Finding processes by name.

use crate::procfs::{processes, read_stat};
use crate::{Kernel, Pid};

/// Processes with this name, in ascending order; unreadable ones are left out.
pub(super) fn named(kernel: &impl Kernel, name: &str) -> Vec<Pid> {
    let mut pids = processes(kernel).unwrap_or_default();
    pids.retain(|&pid| read_stat(kernel, pid).is_ok_and(|stat| stat.comm == name));
    pids
}
