//! Places threads.

use homenode_topology::NodeId;

use super::Mover;
use crate::affinity::still_given;
use crate::journal::{Record, Store, Why};
use crate::limits::{Refusal, ThreadLimits};
use crate::procfs::read_task_stat;
use crate::{CpuId, CpuMask, Errno, Error, Kernel, TaskId};

/// How a thread is brought to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Moved there, then free again: the scheduler may take it elsewhere, and the next period may repeat it.
    Nudge,
    /// Kept there until its mask is given back.
    Hold,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It runs on the node now.
    Moved,
    /// It was there already.
    Already,
}

/// A mask that is still to be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskDebt {
    /// The thread.
    pub task: TaskId,
    /// The mask its user gave.
    pub mask: CpuMask,
    /// Why it was not given back.
    pub why: Why,
}

/// A mask that this mover gave.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) user: CpuMask,
    ours: CpuMask,
    /// To be given back at the next opportunity.
    owed: bool,
}

/// Why a thread could not be looked at.
fn refusal(task: TaskId, error: &Error) -> Refusal {
    match (error.errno(), error) {
        (Some(Errno::ESRCH | Errno::ENOENT), _) => Refusal::Gone { tid: task.tid },
        (errno, Error::File { path, .. } | Error::Parse { path, .. }) => {
            Refusal::Unreadable { path: path.clone(), errno: errno.unwrap_or(Errno::EIO) }
        }
        (errno, _) => kernel_refusal(task, errno.unwrap_or(Errno::EIO)),
    }
}

fn kernel_refusal(task: TaskId, errno: Errno) -> Refusal {
    match errno {
        Errno::ESRCH => Refusal::Gone { tid: task.tid },
        errno => Refusal::Kernel { target: u64::try_from(task.tid.0).unwrap_or(0), errno },
    }
}

impl<K: Kernel, S: Store> Mover<'_, K, S> {
    /// Brings a thread to a node.
    ///
    /// # Errors
    /// The reason why it stays where it is.
    pub fn place_thread(
        &mut self,
        task: TaskId,
        node: NodeId,
        placement: Placement,
    ) -> Result<Placed, Refusal> {
        let look = |error: Error| refusal(task, &error);
        task.verify(self.kernel).map_err(look)?;
        let current =
            self.kernel.affinity(task.tid).map_err(|errno| kernel_refusal(task, errno))?;
        // Whoever changed the mask since it was given has the last word.
        if let Some(held) = self.masks.get(&task)
            && !still_given(self.kernel, task, &current, &held.ours)
        {
            self.masks.remove(&task);
        }
        let user = self.user_mask(task).unwrap_or(&current).clone();
        let limits = ThreadLimits::read(self.kernel, task, Some(&user)).map_err(look)?;
        let target = limits.on_node(&self.machine, node)?;
        let there = match placement {
            Placement::Hold => current == target,
            Placement::Nudge => {
                let stat = read_task_stat(self.kernel, task.process.pid, task.tid).map_err(look)?;
                stat.cpu.is_some_and(|cpu: CpuId| target.contains(cpu))
            }
        };
        if there {
            if placement == Placement::Nudge && self.masks.contains_key(&task) {
                self.owe(task);
                self.pay(task);
            }
            return Ok(Placed::Already);
        }
        self.journal
            .before(vec![Record::Mask { task, before: user.clone(), after: target.clone() }])
            .map_err(|error| Refusal::NotJournalled { problem: error.to_string() })?;
        task.verify(self.kernel).map_err(look)?;
        self.kernel.set_affinity(task.tid, &target).map_err(|errno| kernel_refusal(task, errno))?;
        let owed = placement == Placement::Nudge;
        self.masks.insert(task, Held { user, ours: target, owed });
        if owed {
            self.pay(task);
        }
        Ok(Placed::Moved)
    }

    /// Gives back masks that a nudge could not give back at once. Call it each period.
    pub fn settle(&mut self) -> Vec<MaskDebt> {
        let owed: Vec<TaskId> =
            self.masks.iter().filter(|(_, held)| held.owed).map(|(&task, _)| task).collect();
        self.thaw_all();
        owed.into_iter().filter_map(|task| self.pay(task)).collect()
    }

    /// Gives back all masks. What could not be given back is told and stays in the journal for `undo`.
    pub fn restore_masks(&mut self) -> Vec<MaskDebt> {
        let tasks: Vec<TaskId> = self.masks.keys().copied().collect();
        tasks.iter().for_each(|&task| self.owe(task));
        self.settle()
    }

    fn owe(&mut self, task: TaskId) {
        if let Some(held) = self.masks.get_mut(&task) {
            held.owed = true;
        }
    }

    fn pay(&mut self, task: TaskId) -> Option<MaskDebt> {
        let held = self.masks.get(&task)?.clone();
        let debt = |why| Some(MaskDebt { task, mask: held.user.clone(), why });
        match task.verify(self.kernel) {
            Ok(()) => {}
            Err(Error::Gone { .. }) => {
                self.masks.remove(&task);
                return None;
            }
            Err(error) => return debt(Why::Kernel(error.errno().unwrap_or(Errno::EIO))),
        }
        match self.kernel.affinity(task.tid) {
            Ok(current) if !still_given(self.kernel, task, &current, &held.ours) => {
                // Its user changed it since: not ours to change any more.
                self.masks.remove(&task);
                return None;
            }
            Ok(_) => {}
            Err(errno) => return debt(Why::Kernel(errno)),
        }
        let given = task
            .verify(self.kernel)
            .map_err(|error| error.errno())
            .and_then(|()| self.kernel.set_affinity(task.tid, &held.user).map_err(Some));
        match given {
            Ok(()) => {
                self.masks.remove(&task);
                None
            }
            Err(errno) => debt(Why::Kernel(errno.unwrap_or(Errno::EIO))),
        }
    }
}
