//! `/proc/PID/task/TID/sched`: the kernel balancer's own averages for a thread.

use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{NodeId, Parsed, Pid, Result, Tid};

/// Decayed averages of hinting faults on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFaults {
    /// Where the memory is.
    pub node: NodeId,
    /// On pages that only this thread uses.
    pub task_private: u64,
    /// On pages that others use too.
    pub task_shared: u64,
    /// Of the thread's group, on private pages.
    pub group_private: u64,
    /// Of the thread's group, on shared pages.
    pub group_shared: u64,
}

/// Fields of `sched` that this project uses. Missing where the kernel has no balancing or no SCHED_DEBUG.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSched {
    /// Time on a CPU so far, microseconds.
    pub runtime_us: Option<u64>,
    /// How often it changed its CPU.
    pub migrations: Option<u64>,
    /// Passes of the balancer over the process.
    pub scan_sequence: Option<u64>,
    /// Pages the balancer moved for this thread.
    pub pages_migrated: Option<u64>,
    /// The balancer's choice, if it made one.
    pub preferred_node: Option<NodeId>,
    /// Sum of the averages.
    pub total_faults: Option<u64>,
    /// Node it last ran on.
    pub current_node: Option<NodeId>,
    /// Its NUMA group; 0 is none.
    pub group: Option<u64>,
    /// Averages per node.
    pub faults: Vec<NodeFaults>,
}

/// Reads the text of a `sched` file.
#[must_use]
pub fn parse_task_sched(text: &str) -> Parsed<TaskSched> {
    let mut sched = TaskSched::default();
    let mut warnings = Warnings::default();
    // The first line holds the thread's name, which may look like anything.
    for (index, line) in text.lines().enumerate().skip(1) {
        let number = index + 1;
        if line.starts_with("numa_faults ") {
            match node_faults(line) {
                Some(faults) => sched.faults.push(faults),
                None => warnings.add(number, line, "hinting faults of a node"),
            }
        } else if line.starts_with("current_node=") {
            sched.current_node = pair(line, "current_node").and_then(node);
            sched.group = pair(line, "numa_group_id").and_then(|id| u64::try_from(id).ok());
        } else if let Some((key, value)) = line.rsplit_once(':') {
            let value = value.trim();
            let count = match key.trim() {
                "se.sum_exec_runtime" => {
                    sched.runtime_us =
                        warnings.keep(microseconds(value).ok_or(()), number, line, "milliseconds");
                    continue;
                }
                "numa_preferred_nid" => {
                    let id = warnings.keep(value.parse(), number, line, "a node or -1");
                    sched.preferred_node = id.and_then(node);
                    continue;
                }
                "se.nr_migrations" => &mut sched.migrations,
                "mm->numa_scan_seq" => &mut sched.scan_sequence,
                "numa_pages_migrated" => &mut sched.pages_migrated,
                "total_numa_faults" => &mut sched.total_faults,
                _ => continue,
            };
            *count = warnings.keep(value.parse(), number, line, "a count");
        }
    }
    warnings.with(sched)
}

fn node_faults(line: &str) -> Option<NodeFaults> {
    let count = |key| pair(line, key).and_then(|count| u64::try_from(count).ok());
    Some(NodeFaults {
        node: node(pair(line, "node")?)?,
        task_private: count("task_private")?,
        task_shared: count("task_shared")?,
        group_private: count("group_private")?,
        group_shared: count("group_shared")?,
    })
}

/// The number after `key=`; pairs are parted by spaces or commas.
fn pair(line: &str, key: &str) -> Option<i64> {
    line.split([' ', ',']).find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        (name == key).then(|| value.parse().ok())?
    })
}

fn node(id: i64) -> Option<NodeId> {
    u16::try_from(id).ok().map(NodeId)
}

/// Milliseconds with a fraction, as whole microseconds.
fn microseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = fraction.get(..fraction.len().min(3))?;
    let scale = [1000, 100, 10, 1].get(digits.len())?;
    let part = if digits.is_empty() { 0 } else { digits.parse::<u64>().ok()? * scale };
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(part)
}

/// Reads `/proc/PID/task/TID/sched`.
///
/// # Errors
/// The thread is gone, or the kernel lacks SCHED_DEBUG.
pub fn read_task_sched(
    files: &(impl Files + ?Sized),
    pid: Pid,
    tid: Tid,
) -> Result<Parsed<TaskSched>> {
    Ok(parse_task_sched(&text(files, &format!("proc/{pid}/task/{tid}/sched"))?))
}
