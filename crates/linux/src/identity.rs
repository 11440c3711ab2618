//! Which process is meant: a number alone may belong to another one a moment later.

use serde::{Deserialize, Serialize};

use crate::files::Files;
use crate::procfs::{read_stat, read_task_stat};
use crate::{Error, Pid, Result, Tid};

/// A process by number and start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Its number.
    pub pid: Pid,
    /// Clock ticks after boot at which it was started.
    pub start: u64,
}

/// A thread of a process by number and start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId {
    /// Process it belongs to.
    pub process: Identity,
    /// Its number.
    pub tid: Tid,
    /// Clock ticks after boot at which it was started.
    pub start: u64,
}

/// A mark of an address space: the bottom of the stack, which every exec chooses anew. Two equal marks say
/// little on a system without address randomisation, two different ones are proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SpaceMark(pub u64);

impl Identity {
    /// The process that has this number now.
    ///
    /// # Errors
    /// There is none, or its `stat` is damaged.
    pub fn of(files: &(impl Files + ?Sized), pid: Pid) -> Result<Self> {
        Ok(Self { pid, start: read_stat(files, pid)?.start })
    }

    /// Makes sure that it is still the same process. The moment between this and an act cannot be closed from
    /// user space (but for a tool's own children), so ask directly before the act.
    ///
    /// # Errors
    /// [`Error::Gone`], or `stat` cannot be read.
    pub fn verify(self, files: &(impl Files + ?Sized)) -> Result<()> {
        self.mark(files).map(drop)
    }

    /// The mark of its address space, after making sure that it is still the same process. `None` where the
    /// reader has no right to see it.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn mark(self, files: &(impl Files + ?Sized)) -> Result<Option<SpaceMark>> {
        match read_stat(files, self.pid) {
            // A zombie has no memory and no threads to move.
            Ok(stat) if stat.start == self.start && !matches!(stat.state, 'Z' | 'X') => {
                Ok(stat.stack_start.filter(|&stack| stack != 0).map(SpaceMark))
            }
            Ok(_) => Err(self.gone()),
            Err(error) if error.is_gone() => Err(self.gone()),
            Err(error) => Err(error),
        }
    }

    fn gone(self) -> Error {
        Error::Gone { pid: self.pid, start: self.start }
    }
}

impl TaskId {
    /// The thread of this process that has this number now.
    ///
    /// # Errors
    /// There is none, or its `stat` is damaged.
    pub fn of(files: &(impl Files + ?Sized), process: Identity, tid: Tid) -> Result<Self> {
        Ok(Self { process, tid, start: read_task_stat(files, process.pid, tid)?.start })
    }

    /// Makes sure that it is still the same thread.
    ///
    /// # Errors
    /// As [`Identity::verify`].
    pub fn verify(self, files: &(impl Files + ?Sized)) -> Result<()> {
        match read_task_stat(files, self.process.pid, self.tid) {
            Ok(stat) if stat.start == self.start => Ok(()),
            Ok(_) => Err(self.process.gone()),
            Err(error) if error.is_gone() => Err(self.process.gone()),
            Err(error) => Err(error),
        }
    }
}
