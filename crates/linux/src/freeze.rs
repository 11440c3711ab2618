//! Keeps a process from running for a moment, and lets it go on in any case.

use crate::files::text;
use crate::journal::FreezeHow;
use crate::procfs::{read_cgroup, read_stat};
use crate::{Errno, Error, Identity, Kernel, Pid, Result, Signal};

/// Tries to let a process go on before giving up for now.
const THAW_TRIES: u32 = 5;

/// Whether freezing makes sense: not if the process is stopped already, and never for a group that this
/// program is in.
///
/// # Errors
/// The process is gone, or the group may not be frozen.
pub(crate) fn may_freeze(kernel: &impl Kernel, process: Identity, how: &FreezeHow) -> Result<bool> {
    match how {
        FreezeHow::Never => Ok(false),
        FreezeHow::Signal => Ok(!matches!(read_stat(kernel, process.pid)?.state, 'T' | 't')),
        FreezeHow::Cgroup(folder) => {
            let own = Pid(i32::try_from(std::process::id()).unwrap_or(0));
            let groups = read_cgroup(kernel, own).map(|parsed| parsed.value).unwrap_or_default();
            let inside = groups.iter().any(|group| {
                group.hierarchy == 0
                    && format!("{}/", group.path)
                        .starts_with(&format!("{}/", folder.trim_start_matches("sys/fs/cgroup")))
            });
            if inside || !folder.starts_with("sys/fs/cgroup/") {
                let path = folder.clone();
                return Err(Error::File { action: "freeze", path, errno: Errno::EBUSY });
            }
            let file = format!("{folder}/cgroup.freeze");
            Ok(text(kernel, &file)?.trim() == "0")
        }
    }
}

/// Stops a process that was just verified.
///
/// # Errors
/// What the kernel said; the process runs on.
pub(crate) fn freeze(kernel: &impl Kernel, process: Identity, how: &FreezeHow) -> Result<()> {
    match how {
        FreezeHow::Never => Ok(()),
        FreezeHow::Signal => signal(kernel, process, Signal::Stop),
        FreezeHow::Cgroup(folder) => switch(kernel, folder, b"1"),
    }
}

/// Lets a process go on; tries again, because a process that stays frozen is the worst that can happen.
///
/// # Errors
/// The process is gone, or the kernel refused each time.
pub(crate) fn thaw(kernel: &impl Kernel, process: Identity, how: &FreezeHow) -> Result<()> {
    let mut result = Ok(());
    for _ in 0..THAW_TRIES {
        result = match how {
            FreezeHow::Never => Ok(()),
            FreezeHow::Signal => {
                process.verify(kernel).and_then(|()| signal(kernel, process, Signal::Continue))
            }
            FreezeHow::Cgroup(folder) => switch(kernel, folder, b"0"),
        };
        if !matches!(&result, Err(error) if !matches!(error, Error::Gone { .. })) {
            break;
        }
    }
    result
}

fn signal(kernel: &impl Kernel, process: Identity, signal: Signal) -> Result<()> {
    kernel.signal(process.pid, signal).map_err(|errno| Error::Call {
        call: "kill",
        target: format!("process {}", process.pid),
        errno,
    })
}

fn switch(kernel: &impl Kernel, folder: &str, value: &[u8]) -> Result<()> {
    let path = format!("{folder}/cgroup.freeze");
    kernel.write(&path, value).map_err(|errno| Error::File { action: "write", path, errno })
}
