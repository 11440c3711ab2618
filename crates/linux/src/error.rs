//! What can go wrong between this crate and the kernel.

use crate::{Errno, Pid};

/// An operation that failed: what was tried, on what, and what the kernel or the file said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or a folder not listed.
    #[error("cannot {action} {path}: {errno}")]
    File {
        /// `read`, `list`, `write`, `create`, `append to`.
        action: &'static str,
        /// The file, from the root that was given.
        path: String,
        /// What the kernel said.
        errno: Errno,
    },
    /// A file has no meaning without an item that is missing or damaged.
    #[error("{path}, line {line}: expected {wanted} but found `{item}`")]
    Parse {
        /// The file, from the root that was given.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// What stands there, shortened.
        item: String,
        /// What was looked for.
        wanted: &'static str,
    },
    /// A system call failed as a whole.
    #[error("{call} on {target} failed: {errno}")]
    Call {
        /// Name of the call.
        call: &'static str,
        /// The task, node or event it was for.
        target: String,
        /// What the kernel said.
        errno: Errno,
    },
    /// The process ended, or its number now belongs to another one.
    #[error("process {pid} that was started at tick {start} is gone")]
    Gone {
        /// Its number.
        pid: Pid,
        /// Clock ticks after boot at which it was started.
        start: u64,
    },
    /// The journal is not one, or not one that may be followed.
    #[error("journal {path}, line {line}: {problem}")]
    Journal {
        /// The file.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl Error {
    /// The kernel's error number, where there is one.
    #[must_use]
    pub fn errno(&self) -> Option<Errno> {
        match self {
            Self::File { errno, .. } | Self::Call { errno, .. } => Some(*errno),
            Self::Gone { .. } => Some(Errno::ESRCH),
            Self::Parse { .. } | Self::Journal { .. } => None,
        }
    }

    /// Whether the thing asked about does not exist (any more): the normal end of a task.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self.errno(), Some(Errno::ESRCH | Errno::ENOENT))
    }
}

/// Result of this crate's operations.
pub type Result<T> = std::result::Result<T, Error>;
