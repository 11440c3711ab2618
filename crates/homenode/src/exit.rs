//! Exit codes.

use std::process::ExitCode;

use homenode_linux::Errno;

/// How the command ended. The codes are documented in `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Done, and something was found that needs attention.
    Findings = 1,
    /// The command line or a file it names is wrong.
    Usage = 2,
    /// A permission is missing.
    Permission = 3,
    /// Not supported here.
    Unsupported = 4,
    /// Done in part.
    Partial = 5,
    /// Interrupted by a signal; what was finished is printed.
    Interrupted = 130,
}

/// The codes as `--help` shows them.
pub const HELP: &str = "\
Exit codes:
  0    done
  1    done, with findings
  2    wrong command line, or a malformed file named by it
  3    a permission is missing
  4    not supported here
  5    done in part: what failed is named on standard error
  130  interrupted: what was finished is printed";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Whether the kernel refused for want of a right.
#[must_use]
pub fn is_permission(errno: Errno) -> bool {
    matches!(errno, Errno::EPERM | Errno::EACCES)
}
