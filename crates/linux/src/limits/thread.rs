//! Where a thread may run.

use homenode_topology::Machine;

use super::Refusal;
use crate::procfs::read_task_stat;
use crate::{CpuMask, Error, Kernel, NodeId, Result, TaskId};

/// CPUs that a thread's user and cpuset leave to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadLimits {
    task: TaskId,
    mask: CpuMask,
    kernel_thread: bool,
}

impl ThreadLimits {
    /// Reads the limits. `given_by_user` is the mask before this tool narrowed it, if it did.
    ///
    /// # Errors
    /// The thread is gone, or may not be looked at.
    pub fn read(
        kernel: &impl Kernel,
        task: TaskId,
        given_by_user: Option<&CpuMask>,
    ) -> Result<Self> {
        let stat = read_task_stat(kernel, task.process.pid, task.tid)?;
        if stat.start != task.start {
            return Err(Error::Gone { pid: task.process.pid, start: task.process.start });
        }
        let mask = match given_by_user {
            Some(mask) => mask.clone(),
            None => kernel.affinity(task.tid).map_err(|errno| Error::Call {
                call: "sched_getaffinity",
                target: format!("thread {}", task.tid),
                errno,
            })?,
        };
        Ok(Self { task, mask, kernel_thread: stat.is_kernel_thread() })
    }

    /// CPUs it may run on.
    #[must_use]
    pub fn mask(&self) -> &CpuMask {
        &self.mask
    }

    /// The mask that keeps the thread on a node.
    ///
    /// # Errors
    /// The reason why it may not go there.
    pub fn on_node(
        &self,
        machine: &Machine,
        node: NodeId,
    ) -> std::result::Result<CpuMask, Refusal> {
        let tid = self.task.tid;
        if self.kernel_thread {
            return Err(Refusal::KernelThread { pid: self.task.process.pid });
        }
        let place = machine.node(node).ok_or(Refusal::NoSuchNode { node })?;
        if place.cpus.is_empty() {
            return Err(Refusal::NodeWithoutCpus { node });
        }
        if self.mask.len() <= 1 {
            return Err(Refusal::Pinned { tid, mask: self.mask.clone() });
        }
        let target = place.cpus.intersection(&self.mask);
        if target.is_empty() {
            return Err(Refusal::AffinityExcludesNode { tid, node, mask: self.mask.clone() });
        }
        Ok(target)
    }
}
