//! `/proc/PID/status` and `/proc/PID/task/TID/status`: owner, memory totals, allowed CPUs and nodes.

use super::kilobytes;
use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Bytes, CpuMask, NodeMask, Parsed, Pid, Result, Tid};

/// Fields of `status` that this project uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// Command name, with the kernel's escapes.
    pub name: Option<String>,
    /// Process the thread belongs to.
    pub tgid: Option<Pid>,
    /// Effective user id.
    pub uid: Option<u32>,
    /// Threads in the process.
    pub threads: Option<u32>,
    /// Locked memory.
    pub locked: Option<Bytes>,
    /// Resident memory without hugetlb pages.
    pub resident: Option<Bytes>,
    /// Resident anonymous memory.
    pub anonymous: Option<Bytes>,
    /// Resident file mappings.
    pub file: Option<Bytes>,
    /// Resident shared memory.
    pub shared: Option<Bytes>,
    /// hugetlb pages.
    pub hugetlb: Option<Bytes>,
    /// Whether it is a kernel thread (6.8 and later say so).
    pub kernel_thread: Option<bool>,
    /// CPUs it may run on: its cpuset and its own affinity.
    pub cpus_allowed: Option<CpuMask>,
    /// Nodes it may allocate on: its cpuset.
    pub mems_allowed: Option<NodeMask>,
    /// Effective capabilities, one bit each.
    pub effective_capabilities: Option<u64>,
}

/// Reads the text of a `status` file.
#[must_use]
pub fn parse_status(text: &str) -> Parsed<TaskStatus> {
    let mut status = TaskStatus::default();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let (number, value) = (index + 1, value.trim());
        let mut bytes = |field: &mut Option<Bytes>| {
            *field = warnings.keep(kilobytes(value), number, line, "a size in kB");
        };
        match key {
            "VmLck" => bytes(&mut status.locked),
            "VmRSS" => bytes(&mut status.resident),
            "RssAnon" => bytes(&mut status.anonymous),
            "RssFile" => bytes(&mut status.file),
            "RssShmem" => bytes(&mut status.shared),
            "HugetlbPages" => bytes(&mut status.hugetlb),
            "Name" => status.name = Some(value.to_string()),
            "Tgid" => {
                status.tgid =
                    warnings.keep(value.parse(), number, line, "a process number").map(Pid);
            }
            "Uid" => {
                let effective = value.split_ascii_whitespace().nth(1).unwrap_or_default();
                status.uid = warnings.keep(effective.parse(), number, line, "four user ids");
            }
            "Threads" => {
                status.threads = warnings.keep(value.parse(), number, line, "a thread count");
            }
            "Kthread" => status.kernel_thread = Some(value == "1"),
            "Cpus_allowed_list" => {
                status.cpus_allowed = warnings.keep(value.parse(), number, line, "a CPU list");
            }
            "Mems_allowed_list" => {
                status.mems_allowed = warnings.keep(value.parse(), number, line, "a node list");
            }
            "CapEff" => {
                let bits = u64::from_str_radix(value, 16);
                status.effective_capabilities =
                    warnings.keep(bits, number, line, "capability bits in hexadecimal");
            }
            _ => {}
        }
    }
    warnings.with(status)
}

/// Reads `/proc/PID/status`.
///
/// # Errors
/// The process is gone.
pub fn read_status(files: &(impl Files + ?Sized), pid: Pid) -> Result<Parsed<TaskStatus>> {
    Ok(parse_status(&text(files, &format!("proc/{pid}/status"))?))
}

/// Reads `/proc/PID/task/TID/status`.
///
/// # Errors
/// The thread is gone.
pub fn read_task_status(
    files: &(impl Files + ?Sized),
    pid: Pid,
    tid: Tid,
) -> Result<Parsed<TaskStatus>> {
    Ok(parse_status(&text(files, &format!("proc/{pid}/task/{tid}/status"))?))
}
