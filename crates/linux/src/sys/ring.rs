//! A perf event on one thread and the memory ring that the kernel fills for it.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::c_void;

use super::kernel::Ring;
use super::real::{checked, last_errno};
use crate::perf::{EventKind, EventSpec};
use crate::{Bytes, Errno};

/// `struct perf_event_attr` up to `aux_watermark` (PERF_ATTR_SIZE_VER5).
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period_or_frequency: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    user_registers: u64,
    user_stack: u32,
    clock: i32,
    interrupt_registers: u64,
    aux_watermark: u32,
    max_stack: u16,
    reserved: u16,
}

const _: () = assert!(size_of::<Attributes>() == 112);

const PERF_TYPE_SOFTWARE: u32 = 1;
const SW_CPU_CLOCK: u64 = 0;
const SW_PAGE_FAULTS: u64 = 2;
// Bits of `flags`.
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const FREQUENCY: u64 = 1 << 10;
const USE_CLOCK_ID: u64 = 1 << 25;
const FD_CLOEXEC: u64 = 8;

/// Offsets in `struct perf_event_mmap_page`.
const DATA_HEAD: usize = 1024;
const DATA_TAIL: usize = 1032;

/// An open event with its mapped ring. The map is one page of control data, then the ring.
pub(super) struct PerfRing {
    map: *mut u8,
    mapped: usize,
    first: usize,
    // Closed after the map is gone.
    _event: OwnedFd,
}

impl PerfRing {
    pub(super) fn open(event: &EventSpec, page: Bytes) -> Result<Self, Errno> {
        let (config, rate, frequency) = match event.kind {
            EventKind::PageFaults => (SW_PAGE_FAULTS, 1, 0),
            EventKind::CpuClock { hz } => (SW_CPU_CLOCK, hz, FREQUENCY),
        };
        let attributes = Attributes {
            kind: PERF_TYPE_SOFTWARE,
            size: size_of::<Attributes>() as u32,
            config,
            period_or_frequency: rate,
            sample_type: event.layout.sample_type(),
            flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | USE_CLOCK_ID | frequency,
            user_registers: event.layout.registers,
            clock: libc::CLOCK_MONOTONIC,
            ..Attributes::default()
        };
        // SAFETY: the kernel reads `size` bytes of `attributes`, which lives until the call returns.
        let fd = checked(unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                event.tid.0,
                -1,
                -1,
                FD_CLOEXEC,
            )
        })?;
        // SAFETY: the call succeeded, so this is an open descriptor that nobody else owns.
        let event_fd =
            unsafe { OwnedFd::from_raw_fd(i32::try_from(fd).map_err(|_| Errno::EBADF)?) };
        let page = usize::try_from(page.0).map_err(|_| Errno::EINVAL)?;
        let mapped = (1 + event.ring_pages.next_power_of_two().min(1 << 16)) * page;
        // SAFETY: a new shared mapping of the event's ring at an address of the kernel's choice.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event_fd.as_raw_fd(),
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return Err(last_errno());
        }
        Ok(Self { map: map.cast(), mapped, first: page, _event: event_fd })
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the first page of the map holds `struct perf_event_mmap_page`, with 8-byte aligned u64 at
        // these offsets; the map lives as long as `self`; the kernel changes them, hence atomics.
        unsafe { AtomicU64::from_ptr(self.map.add(offset).cast()) }
    }
}

impl Ring for PerfRing {
    fn read(&mut self, into: &mut Vec<u8>) {
        let size = self.mapped - self.first;
        let head = self.position(DATA_HEAD).load(Ordering::Acquire);
        let tail = self.position(DATA_TAIL).load(Ordering::Relaxed);
        let Ok(length) = usize::try_from(head.wrapping_sub(tail)) else { return };
        if length <= size {
            let start = usize::try_from(tail % size as u64).unwrap_or(0);
            let until_end = length.min(size - start);
            // SAFETY: both ranges lie within the map behind the control page. The kernel does not write
            // between tail and head until the tail is moved on below.
            let (end_part, start_part) = unsafe {
                let ring = self.map.add(self.first);
                (
                    slice::from_raw_parts(ring.add(start), until_end),
                    slice::from_raw_parts(ring, length - until_end),
                )
            };
            into.extend_from_slice(end_part);
            into.extend_from_slice(start_part);
        }
        self.position(DATA_TAIL).store(head, Ordering::Release);
    }
}

impl Drop for PerfRing {
    fn drop(&mut self) {
        // SAFETY: the map was made in `open` with this length and nothing refers to it any more.
        unsafe { libc::munmap(self.map.cast::<c_void>(), self.mapped) };
    }
}
