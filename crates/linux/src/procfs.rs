//! Readers of `/proc`, `/sys` and the cgroup tree: one file a source, each a `parse` of text and a `read`
//! under any root.
//!
//! Fields that are unknown are skipped, fields that are missing stay `None`, known fields with damaged
//! content give a warning. Only a file that has no meaning without the damaged part is an error.

mod cgroup;
mod cpuset;
mod knobs;
mod maps;
mod memory_tiers;
mod node_memory;
mod numa_maps;
mod smaps;
mod smaps_rollup;
mod stat;
mod status;
mod task_sched;
mod thp;
mod vmstat;

pub use cgroup::{CgroupPath, parse_cgroup, read_cgroup};
pub use cpuset::{Cpuset, read_cpuset};
pub use knobs::{Balancing, Knobs, read_knobs};
pub use maps::{Vma, parse_maps, read_maps};
pub use memory_tiers::{MemoryTier, read_memory_tiers};
pub use node_memory::{NodeMemory, parse_node_memory, read_node_memory};
pub use numa_maps::{
    NumaVma, Policy, PolicyFlags, PolicyMode, VmaKind, parse_numa_maps, read_numa_maps,
};
pub use smaps::{locked_ranges, read_locked_ranges};
pub use smaps_rollup::{SmapsRollup, parse_smaps_rollup, read_smaps_rollup};
pub use stat::{TaskStat, parse_stat, read_stat, read_task_stat};
pub use status::{TaskStatus, parse_status, read_status, read_task_status};
pub use task_sched::{NodeFaults, TaskSched, parse_task_sched, read_task_sched};
pub use thp::{Thp, read_thp};
pub use vmstat::{Counters, parse_counters, read_node_numastat, read_node_vmstat, read_vmstat};

use crate::files::{Files, names};
use crate::{Bytes, Pid, Result, Tid};

/// Threads of a process in ascending order.
///
/// # Errors
/// The process is gone, or its folder may not be listed.
pub fn threads(files: &(impl Files + ?Sized), pid: Pid) -> Result<Vec<Tid>> {
    let mut tids: Vec<Tid> = names(files, &format!("proc/{pid}/task"))?
        .iter()
        .filter_map(|name| name.parse().ok().map(Tid))
        .collect();
    tids.sort_unstable();
    Ok(tids)
}

/// Processes in ascending order.
///
/// # Errors
/// `/proc` may not be listed.
pub fn processes(files: &(impl Files + ?Sized)) -> Result<Vec<Pid>> {
    let mut pids: Vec<Pid> =
        names(files, "proc")?.iter().filter_map(|name| name.parse().ok().map(Pid)).collect();
    pids.sort_unstable();
    Ok(pids)
}

/// `123 kB`, with the unit or without it.
fn kilobytes(text: &str) -> std::result::Result<Bytes, ()> {
    let number = text.trim().trim_end_matches("kB").trim_end();
    let kib: u64 = number.parse().map_err(|_| ())?;
    kib.checked_mul(1024).map(Bytes).ok_or(())
}

#[cfg(test)]
mod tests;
