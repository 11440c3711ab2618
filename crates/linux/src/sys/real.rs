//! The kernel this program runs on.

use std::mem;
use std::ptr;
use std::time::Duration;

use libc::{c_int, c_long, c_ulong, c_void};

use super::child::WritingChild;
use super::kernel::{Kernel, PageStatus, Ring, Signal, Writer};
use super::ring::PerfRing;
use crate::perf::EventSpec;
use crate::{Bytes, CpuId, CpuMask, Errno, Files, Nanos, NodeId, Pid, Root, Tid};

/// `MPOL_MF_MOVE`: only pages that no other process maps.
const MPOL_MF_MOVE: c_int = 2;
/// Largest affinity mask tried, bytes: a million CPUs.
const MASK_LIMIT: usize = 1 << 17;
/// Status that the kernel never writes, to tell pages it did not reach.
const UNTOUCHED: c_int = c_int::MIN;

/// System calls of this machine; files below `/`.
#[derive(Clone, Debug)]
pub struct RealKernel {
    root: Root,
}

impl RealKernel {
    /// This machine.
    #[must_use]
    pub fn new() -> Self {
        Self { root: Root::new("/") }
    }
}

impl Default for RealKernel {
    fn default() -> Self {
        Self::new()
    }
}

/// The error of the last call in this thread.
pub(super) fn last_errno() -> Errno {
    std::io::Error::last_os_error().into()
}

/// A call's result: -1 means that the error is in `errno`.
pub(super) fn checked(result: c_long) -> Result<c_long, Errno> {
    if result < 0 { Err(last_errno()) } else { Ok(result) }
}

/// `move_pages`; without nodes it only asks.
fn move_pages(
    pid: Pid,
    addresses: &[u64],
    nodes: Option<&[c_int]>,
) -> Result<Vec<PageStatus>, Errno> {
    if nodes.is_some_and(|nodes| nodes.len() != addresses.len()) {
        return Err(Errno::EINVAL);
    }
    let mut status = vec![UNTOUCHED; addresses.len()];
    // SAFETY: the kernel reads `len` pointers from `addresses` (u64 has the size of a pointer on the 64-bit
    // targets below, and the pointers are never followed here), `len` ints from `nodes` or none, and writes
    // `len` ints to `status`; all three live until the call returns.
    let moved = checked(unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            pid.0,
            addresses.len() as c_ulong,
            addresses.as_ptr(),
            nodes.map_or(ptr::null(), <[c_int]>::as_ptr),
            status.as_mut_ptr(),
            MPOL_MF_MOVE,
        )
    });
    // A positive result counts pages that were not moved; each has its reason in `status`.
    moved?;
    Ok(status.into_iter().map(page_status).collect())
}

const _: () = assert!(size_of::<usize>() == size_of::<u64>(), "homenode needs a 64-bit target");

fn page_status(status: c_int) -> PageStatus {
    match u16::try_from(status) {
        Ok(node) => Ok(NodeId(node)),
        // Since 5.0 pages that could not be migrated keep no status of their own.
        Err(_) if status == UNTOUCHED => Err(Errno::EAGAIN),
        Err(_) => Err(Errno(status.saturating_neg())),
    }
}

/// The kernel's bit array: little-endian words.
fn mask_bits(mask: &CpuMask) -> Vec<u8> {
    let bytes = mask.last().map_or(0, |last| last.index() / 8 + 1);
    let mut bits = vec![0u8; bytes.next_multiple_of(mem::size_of::<c_ulong>())];
    for cpu in mask.iter() {
        if let Some(byte) = bits.get_mut(cpu.index() / 8) {
            *byte |= 1 << (cpu.index() % 8);
        }
    }
    bits
}

fn mask_from_bits(bits: &[u8]) -> CpuMask {
    let set = |index: usize| bits.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1);
    (0..bits.len() * 8).filter(|&index| set(index)).map(CpuId::from).collect()
}

impl Files for RealKernel {
    fn read(&self, path: &str) -> Result<Vec<u8>, Errno> {
        self.root.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.root.list(path)
    }

    fn write(&self, path: &str, content: &[u8]) -> Result<(), Errno> {
        self.root.write(path, content)
    }
}

impl Kernel for RealKernel {
    fn page_nodes(&self, pid: Pid, addresses: &[u64]) -> Result<Vec<PageStatus>, Errno> {
        move_pages(pid, addresses, None)
    }

    fn move_pages(
        &self,
        pid: Pid,
        addresses: &[u64],
        nodes: &[NodeId],
    ) -> Result<Vec<PageStatus>, Errno> {
        let nodes: Vec<c_int> = nodes.iter().map(|node| c_int::from(node.0)).collect();
        move_pages(pid, addresses, Some(&nodes))
    }

    fn affinity(&self, tid: Tid) -> Result<CpuMask, Errno> {
        let mut bits = vec![0u8; 128];
        loop {
            // SAFETY: the kernel writes at most `bits.len()` bytes to `bits`.
            let copied = checked(unsafe {
                libc::syscall(
                    libc::SYS_sched_getaffinity,
                    tid.0,
                    bits.len(),
                    bits.as_mut_ptr().cast::<c_ulong>(),
                )
            });
            match copied {
                // The buffer is smaller than the kernel's mask.
                Err(Errno::EINVAL) if bits.len() < MASK_LIMIT => bits.resize(bits.len() * 2, 0),
                Err(errno) => return Err(errno),
                Ok(copied) => {
                    let copied = usize::try_from(copied).unwrap_or(0);
                    return Ok(mask_from_bits(bits.get(..copied).unwrap_or(&bits)));
                }
            }
        }
    }

    fn set_affinity(&self, tid: Tid, mask: &CpuMask) -> Result<(), Errno> {
        let bits = mask_bits(mask);
        // SAFETY: the kernel reads `bits.len()` bytes from `bits`.
        checked(unsafe {
            libc::syscall(
                libc::SYS_sched_setaffinity,
                tid.0,
                bits.len(),
                bits.as_ptr().cast::<c_ulong>(),
            )
        })
        .map(drop)
    }

    fn open_event(&self, event: &EventSpec) -> Result<Box<dyn Ring>, Errno> {
        Ok(Box::new(PerfRing::open(event, self.page_size())?))
    }

    fn signal(&self, pid: Pid, signal: Signal) -> Result<(), Errno> {
        if pid.0 <= 0 {
            // Zero and below name groups of processes.
            return Err(Errno::EINVAL);
        }
        let number = match signal {
            Signal::Stop => libc::SIGSTOP,
            Signal::Continue => libc::SIGCONT,
        };
        // SAFETY: takes two numbers and no memory.
        checked(unsafe { libc::kill(pid.0, number) }.into()).map(drop)
    }

    fn read_memory(&self, pid: Pid, address: u64, into: &mut [u8]) -> Result<usize, Errno> {
        let local =
            libc::iovec { iov_base: into.as_mut_ptr().cast::<c_void>(), iov_len: into.len() };
        let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: into.len() };
        // SAFETY: the kernel writes at most `into.len()` bytes to `into`; the remote address belongs to the
        // other process and is checked there.
        let copied =
            checked(unsafe { libc::process_vm_readv(pid.0, &local, 1, &remote, 1, 0) } as c_long)?;
        Ok(usize::try_from(copied).unwrap_or(0))
    }

    fn spawn_writer(&self, pages: usize) -> Result<Box<dyn Writer>, Errno> {
        Ok(Box::new(WritingChild::start(pages, self.page_size())?))
    }

    fn page_size(&self) -> Bytes {
        // SAFETY: takes a number and no memory.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        u64::try_from(size).map_or(homenode_topology::PAGE, Bytes)
    }

    fn now(&self) -> Nanos {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the kernel writes one timespec to `time`. CLOCK_MONOTONIC exists on every Linux.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        let part = |number: i64| u64::try_from(number).unwrap_or(0);
        Nanos(part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec))
    }

    fn sleep(&self, span: Nanos) {
        std::thread::sleep(Duration::from_nanos(span.0));
    }
}
