//! Whether a thread's mask is still the one that was given to it.

use crate::procfs::read_cpuset;
use crate::{CpuMask, Kernel, TaskId};

/// Whether `now` is a mask that was `given`, as it is or narrowed by a cpuset that changed since (the kernel
/// keeps the given mask and shows what the cpuset leaves of it).
pub(crate) fn still_given(
    kernel: &impl Kernel,
    task: TaskId,
    now: &CpuMask,
    given: &CpuMask,
) -> bool {
    if now == given {
        return true;
    }
    let cpuset = read_cpuset(kernel, task.process.pid).ok().and_then(|cpuset| cpuset.cpus);
    cpuset.is_some_and(|cpus| !now.is_empty() && *now == given.intersection(&cpus))
}
