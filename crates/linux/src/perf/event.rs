//! Events that samplers open on a thread.

use crate::Tid;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Each page fault in user mode.
    PageFaults,
    /// CPU time, at a rate of samples a second of running.
    CpuClock {
        /// Samples a second.
        hz: u64,
    },
}

/// Which fields a sample has beyond instruction, thread, time, address and CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Size of the page at the address (5.11 and later).
    pub page_size: bool,
    /// User registers, one bit each in the kernel's numbering of the architecture.
    pub registers: u64,
}

// Bits of `sample_type`, uapi/linux/perf_event.h.
const IP: u64 = 1;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDR: u64 = 1 << 3;
const CPU: u64 = 1 << 7;
const REGS_USER: u64 = 1 << 12;
const DATA_PAGE_SIZE: u64 = 1 << 22;

impl Layout {
    /// The `sample_type` bits.
    #[must_use]
    pub const fn sample_type(self) -> u64 {
        let registers = if self.registers == 0 { 0 } else { REGS_USER };
        let page_size = if self.page_size { DATA_PAGE_SIZE } else { 0 };
        IP | TID | TIME | ADDR | CPU | registers | page_size
    }
}

/// An event to open on one thread. Faults inside system calls are left out, so that no privilege is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSpec {
    /// What is counted.
    pub kind: EventKind,
    /// The thread.
    pub tid: Tid,
    /// Size of the ring in pages; rounded up to a power of two.
    pub ring_pages: usize,
    /// Fields of a sample.
    pub layout: Layout,
}
