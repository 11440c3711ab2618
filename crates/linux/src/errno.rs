//! Kernel error numbers as a type, so that a number is never taken for a length or a node.

use std::fmt;
use std::io;

use serde::{Serialize, Serializer};

/// An error number of the kernel (`errno`), always positive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Errno(pub i32);

macro_rules! names {
    ($($name:ident $meaning:literal,)*) => {
        impl Errno {
            $(#[doc = $meaning] pub const $name: Self = Self(libc::$name);)*

            /// The kernel's name and its meaning, for the numbers this crate meets.
            fn text(self) -> Option<(&'static str, &'static str)> {
                match self {
                    $(Self::$name => Some((stringify!($name), $meaning)),)*
                    _ => None,
                }
            }
        }
    };
}

names! {
    EPERM "operation not permitted",
    ENOENT "no such file, or no page at this address",
    ESRCH "no such process or thread",
    EINTR "interrupted",
    EIO "input or output error",
    E2BIG "argument too big",
    EBADF "bad file descriptor",
    EAGAIN "try again",
    ENOMEM "out of memory on the node or in the kernel",
    EACCES "access denied",
    EFAULT "no page there, or bad address",
    EBUSY "busy",
    EEXIST "exists already",
    ENODEV "no such node or device",
    EINVAL "invalid argument",
    EMFILE "too many open files",
    ENOSPC "no space left on device",
    EROFS "read-only file system",
    ENOSYS "not offered by this kernel",
    EOPNOTSUPP "not supported",
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some((name, meaning)) => write!(f, "{meaning} ({name})"),
            None => write!(f, "error number {}", self.0),
        }
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "Errno({})", self.0),
        }
    }
}

impl std::error::Error for Errno {}

impl Serialize for Errno {
    /// By its name (`EBUSY`).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}
