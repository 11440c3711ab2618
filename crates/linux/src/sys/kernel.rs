//! What this crate needs from a kernel.

use std::ops::Range;

use crate::perf::EventSpec;
use crate::{Bytes, CpuMask, Errno, Files, Nanos, NodeId, Pid, Tid};

/// Node of a page, or why it has none or stayed where it was.
pub type PageStatus = Result<NodeId, Errno>;

/// Signals that this crate sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Stops a process.
    Stop,
    /// Lets it go on.
    Continue,
}

/// A ring that the kernel fills with perf records.
pub trait Ring {
    /// Appends all whole records that are there and frees their room.
    fn read(&mut self, into: &mut Vec<u8>);
}

/// A child of this process that does nothing but write to each page of an area over and over: the target
/// of self-tests. It ends when this is dropped.
pub trait Writer {
    /// Its number.
    fn pid(&self) -> Pid;
    /// The addresses it writes to.
    fn area(&self) -> Range<u64>;
}

/// A kernel: files, system calls and a clock. Implemented by [`crate::RealKernel`] and, for tests, by
/// `FakeKernel`.
pub trait Kernel: Files {
    /// Node of each page (`move_pages` without nodes). Moves and touches nothing.
    ///
    /// # Errors
    /// `ESRCH`: no such process; `EPERM`: it belongs to another user; `EINVAL`: it is a kernel thread.
    fn page_nodes(&self, pid: Pid, addresses: &[u64]) -> Result<Vec<PageStatus>, Errno>;

    /// Moves each page to the node beside it, unless another process maps it too.
    ///
    /// # Errors
    /// As [`Self::page_nodes`]; also `ENODEV`: a node does not exist; `EACCES`: a node is outside of the
    /// target's cpuset. Then nothing was moved.
    ///
    /// # Panics
    /// Never; lists of different length are `EINVAL`.
    fn move_pages(
        &self,
        pid: Pid,
        addresses: &[u64],
        nodes: &[NodeId],
    ) -> Result<Vec<PageStatus>, Errno>;

    /// CPUs that a thread may run on.
    ///
    /// # Errors
    /// `ESRCH`: no such thread.
    fn affinity(&self, tid: Tid) -> Result<CpuMask, Errno>;

    /// Sets the CPUs that a thread may run on; it leaves any other at once.
    ///
    /// # Errors
    /// `ESRCH`: no such thread; `EPERM`: another user's; `EINVAL`: none of the CPUs is usable.
    fn set_affinity(&self, tid: Tid, mask: &CpuMask) -> Result<(), Errno>;

    /// Opens a perf event on one thread, with its ring.
    ///
    /// # Errors
    /// `EACCES`: `perf_event_paranoid` forbids it; `ESRCH`; `EINVAL` or `ENOENT`: not offered here;
    /// `EPERM`: ring memory beyond `perf_event_mlock_kb`.
    fn open_event(&self, event: &EventSpec) -> Result<Box<dyn Ring>, Errno>;

    /// Sends a signal.
    ///
    /// # Errors
    /// `ESRCH`, `EPERM`.
    fn signal(&self, pid: Pid, signal: Signal) -> Result<(), Errno>;

    /// Copies memory of another process; fewer bytes than wanted if part of the range is not mapped.
    ///
    /// # Errors
    /// `EPERM`: ptrace access is forbidden; `EFAULT`: nothing is mapped there; `ESRCH`.
    fn read_memory(&self, pid: Pid, address: u64, into: &mut [u8]) -> Result<usize, Errno>;

    /// Starts a child that writes to `pages` pages.
    ///
    /// # Errors
    /// `ENOMEM`, `EAGAIN`.
    fn spawn_writer(&self, pages: usize) -> Result<Box<dyn Writer>, Errno>;

    /// Size of a base page.
    fn page_size(&self) -> Bytes;

    /// `CLOCK_MONOTONIC`.
    fn now(&self) -> Nanos;

    /// Waits.
    fn sleep(&self, span: Nanos);
}
