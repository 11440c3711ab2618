//! `/proc/PID/stat` and `/proc/PID/task/TID/stat`: one line with a task's identity, times and place.

use crate::files::{Files, text};
use crate::parsed::shortened;
use crate::{CpuId, Error, Pid, Result, Tid};

/// Bit of `flags` that marks a kernel thread.
const PF_KTHREAD: u64 = 0x0020_0000;

/// Fields of `stat` that this project uses. Times are in clock ticks (usually 100 a second).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStat {
    /// Thread number, or the process number in the file of a process.
    pub tid: Tid,
    /// Command name; may hold any character, closing parentheses too.
    pub comm: String,
    /// State letter: `R`, `S`, `D`, `T` (stopped), `t` (traced), `Z`, `X`.
    pub state: char,
    /// Parent process.
    pub parent: Option<Pid>,
    /// `PF_*` flags of the task.
    pub flags: Option<u64>,
    /// Time in user mode, ticks.
    pub user_ticks: Option<u64>,
    /// Time in the kernel, ticks.
    pub system_ticks: Option<u64>,
    /// Faults served without reading a device.
    pub minor_faults: Option<u64>,
    /// Threads in the process.
    pub threads: Option<u32>,
    /// Start, ticks after boot. With the number it identifies the task.
    pub start: u64,
    /// Bottom of the stack; changes with every exec. Zero or `None` where the reader has no right to see it.
    pub stack_start: Option<u64>,
    /// CPU it last ran on.
    pub cpu: Option<CpuId>,
}

impl TaskStat {
    /// Whether it is a thread of the kernel.
    #[must_use]
    pub fn is_kernel_thread(&self) -> bool {
        self.flags.is_some_and(|flags| flags & PF_KTHREAD != 0)
    }

    /// Time on a CPU so far, ticks.
    #[must_use]
    pub fn cpu_ticks(&self) -> Option<u64> {
        self.user_ticks?.checked_add(self.system_ticks?)
    }
}

/// Reads the text of a `stat` file; `path` is for messages.
///
/// # Errors
/// The number, the name or the start time is missing: nothing can be said about a task without them.
pub fn parse_stat(text: &str, path: &str) -> Result<TaskStat> {
    let line = text.lines().next().unwrap_or_default();
    let damaged =
        |wanted| Error::Parse { path: path.into(), line: 1, item: shortened(line), wanted };
    let name = (text.find('('), text.rfind(')'));
    let (Some(open), Some(close)) = name else { return Err(damaged("a name in parentheses")) };
    let comm = text.get(open + 1..close).ok_or_else(|| damaged("a name in parentheses"))?;
    let tid = text[..open].trim().parse().map(Tid).map_err(|_| damaged("a task number"))?;
    // Fields are numbered from 1 in the manual; the first after the name is 3.
    let fields: Vec<&str> = text[close + 1..].split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let count = |number: usize| field(number).and_then(|text| text.parse::<u64>().ok());
    Ok(TaskStat {
        tid,
        comm: comm.to_string(),
        state: field(3).and_then(|text| text.chars().next()).ok_or_else(|| damaged("a state"))?,
        parent: field(4).and_then(|text| text.parse().ok()).map(Pid),
        flags: count(9),
        minor_faults: count(10),
        user_ticks: count(14),
        system_ticks: count(15),
        threads: count(20).and_then(|n| n.try_into().ok()),
        // A number at the very end may have been cut off in its middle.
        start: count(22)
            .filter(|_| field(23).is_some())
            .ok_or_else(|| damaged("a start time in field 22"))?,
        stack_start: count(28),
        cpu: count(39).and_then(|n| n.try_into().ok()).map(CpuId),
    })
}

/// Reads `/proc/PID/stat`.
///
/// # Errors
/// The process is gone, or the file is damaged.
pub fn read_stat(files: &(impl Files + ?Sized), pid: Pid) -> Result<TaskStat> {
    let path = format!("proc/{pid}/stat");
    parse_stat(&text(files, &path)?, &path)
}

/// Reads `/proc/PID/task/TID/stat`.
///
/// # Errors
/// The thread is gone, or the file is damaged.
pub fn read_task_stat(files: &(impl Files + ?Sized), pid: Pid, tid: Tid) -> Result<TaskStat> {
    let path = format!("proc/{pid}/task/{tid}/stat");
    parse_stat(&text(files, &path)?, &path)
}
