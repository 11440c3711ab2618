//! What can go wrong, and the exit code it leads to.

use std::io;
use std::path::PathBuf;

use homenode_balance::tree::UnknownTree;

use crate::exit::{Exit, is_permission};

/// Why a command could not do its work. Each message says what was tried, what is wrong, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A machine could not be read.
    #[error(transparent)]
    Topology(#[from] homenode_topology::Error),
    /// A workload could not be found, read, or does not fit the machine.
    #[error(transparent)]
    Workload(#[from] homenode_workload::Error),
    /// No policy has this name.
    #[error(transparent)]
    Policy(#[from] UnknownTree),
    /// Something of the running system, or a journal, could not be read or followed.
    #[error(transparent)]
    Linux(#[from] homenode_linux::Error),
    /// A simulation could not run.
    #[error(transparent)]
    Sim(#[from] homenode_sim::Error),
    /// A published table is unknown, or a report could not be written.
    #[error(transparent)]
    Report(#[from] homenode_report::Error),
    /// The command line contradicts itself.
    #[error("{0}")]
    Usage(String),
    /// This system lacks what the command needs.
    #[error("{0}")]
    NotHere(String),
    /// A published table of something that cannot be simulated yet.
    #[error("nothing of the published table `{name}` can be simulated yet:\n  {}", reasons.join("\n  "))]
    NotSimulated {
        /// The table or post, as given.
        name: String,
        /// What has no counterpart, one line each.
        reasons: Vec<String>,
    },
    /// A data file that is part of the program is damaged.
    #[error("data file {name} of the program is damaged: {problem}")]
    Data {
        /// Name of the file.
        name: &'static str,
        /// What the reader found wrong.
        problem: String,
    },
    /// Output could not be written.
    #[error("cannot write {}: {cause}", to.display())]
    Write {
        /// A file, or standard output.
        to: PathBuf,
        /// The system's answer.
        cause: io::Error,
    },
    /// The pool of worker threads could not be set up.
    #[error("cannot start worker threads: {0}; try a smaller --threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The handler of the interrupt signal could not be set up.
    #[error("cannot handle interrupts: {0}")]
    Signal(io::Error),
}

impl Error {
    /// Whether somebody closed the pipe that the output goes to, which is not a failure.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write { cause, .. } if cause.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Topology(homenode_topology::Error::Io { cause, .. })
            | Self::Workload(homenode_workload::Error::Read { source: cause, .. })
            | Self::Write { cause, .. }
                if cause.kind() == io::ErrorKind::PermissionDenied =>
            {
                Exit::Permission
            }
            Self::Linux(error) if error.errno().is_some_and(is_permission) => Exit::Permission,
            Self::NotHere(_) | Self::NotSimulated { .. } => Exit::Unsupported,
            Self::Data { .. } | Self::Threads(_) | Self::Signal(_) => Exit::Partial,
            _ => Exit::Usage,
        }
    }
}
