//! A child process that writes to its own memory, for self-tests of samplers.

use std::ops::Range;
use std::ptr;

use libc::c_void;

use super::kernel::Writer;
use super::real::{checked, last_errno};
use crate::{Bytes, Errno, Pid};

/// The child and the area it writes to; the same addresses are reserved in this process.
pub(super) struct WritingChild {
    pid: libc::pid_t,
    area: *mut u8,
    length: usize,
}

impl WritingChild {
    pub(super) fn start(pages: usize, page: Bytes) -> Result<Self, Errno> {
        let page = usize::try_from(page.0).map_err(|_| Errno::EINVAL)?;
        let length = pages.max(1).checked_mul(page).ok_or(Errno::ENOMEM)?;
        // SAFETY: a new private mapping at an address of the kernel's choice.
        let area = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if area == libc::MAP_FAILED {
            return Err(last_errno());
        }
        // SAFETY: the area was mapped above with this length. Refusal does no harm: pages may be huge then.
        unsafe { libc::madvise(area, length, libc::MADV_NOHUGEPAGE) };
        // From here on `drop` unmaps the area and, once there is a child, ends it.
        let mut child = Self { pid: 0, area: area.cast(), length };
        // SAFETY: the child only runs `write_forever`, which makes system calls and writes to the area: no
        // allocation, no lock, no destructor, so that a lock held by another thread here cannot block it.
        match checked(unsafe { libc::fork() }.into())? {
            0 => child.write_forever(page),
            pid => child.pid = i32::try_from(pid).map_err(|_| Errno::ESRCH)?,
        }
        Ok(child)
    }

    fn write_forever(&self, page: usize) -> ! {
        let pause = libc::timespec { tv_sec: 0, tv_nsec: 500_000 };
        // SAFETY: `prctl` takes numbers, `nanosleep` reads `pause`, and each write goes to a page of the area,
        // which is mapped writable in the child as it was in its parent.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            loop {
                for offset in (0..self.length).step_by(page) {
                    let byte = self.area.add(offset);
                    byte.write_volatile(byte.read_volatile().wrapping_add(1));
                }
                libc::nanosleep(&pause, ptr::null_mut());
            }
        }
    }
}

impl Writer for WritingChild {
    fn pid(&self) -> Pid {
        Pid(self.pid)
    }

    fn area(&self) -> Range<u64> {
        let start = self.area.addr() as u64;
        start..start + self.length as u64
    }
}

impl Drop for WritingChild {
    fn drop(&mut self) {
        if self.pid > 0 {
            // SAFETY: the child is ours and not yet waited for, so its number cannot belong to another.
            unsafe {
                libc::kill(self.pid, libc::SIGKILL);
                libc::waitpid(self.pid, ptr::null_mut(), 0);
            }
        }
        // SAFETY: the area was mapped in `start` with this length and nothing refers to it any more.
        unsafe { libc::munmap(self.area.cast::<c_void>(), self.length) };
    }
}
