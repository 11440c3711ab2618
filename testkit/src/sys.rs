//! The system calls of the guest programs; the only module here with `unsafe`.
//!
//! The standard library and the safe wrappers have no `move_pages`, no fixed mapping that lasts for the
//! program's life and no `perf_event_open`; each call below says why it is sound.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::AtomicU64;

/// Where the workload's data starts, in each process and each run: the plugin counts by this window.
pub const AREA_START: usize = 0x1000_0000_0000;
/// Size of a base page of x86-64, in bytes.
pub const PAGE_BYTES: usize = 4096;

/// CPUs that an affinity mask of these programs can name.
const MAX_CPUS: usize = 1024;

/// The page below the data and the data itself, mapped for the life of the process.
pub struct Area {
    /// A page whose stores the plugin takes as marks.
    pub mark: &'static [AtomicU64],
    /// The data, at [`AREA_START`].
    pub data: &'static [AtomicU64],
}

/// Maps `bytes` of private anonymous memory at [`AREA_START`] and one page below it.
///
/// # Errors
/// The kernel's, `EEXIST` for a second call among them.
pub fn map_area(bytes: usize) -> io::Result<Area> {
    // SAFETY: MAP_FIXED_NOREPLACE never replaces a mapping, so no live reference is affected.
    let start = unsafe {
        libc::mmap(
            (AREA_START - PAGE_BYTES) as *mut libc::c_void,
            bytes + PAGE_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE
                | libc::MAP_ANONYMOUS
                | libc::MAP_NORESERVE
                | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping is zeroed, page aligned, as long as asked for, never unmapped, and reached
    // only through these two disjoint slices of atomics.
    let words = unsafe {
        std::slice::from_raw_parts(
            start.cast::<AtomicU64>(),
            (bytes + PAGE_BYTES) / size_of::<u64>(),
        )
    };
    let (mark, data) = words.split_at(PAGE_BYTES / size_of::<u64>());
    Ok(Area { mark, data })
}

/// Asks for huge pages in the data, or forbids them.
///
/// # Errors
/// The kernel's: `EINVAL` where huge pages are not built in.
pub fn advise_huge(data: &'static [AtomicU64], wanted: bool) -> io::Result<()> {
    let advice = if wanted { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    // SAFETY: both advices keep the contents; the range is a live mapping of this process.
    let status =
        unsafe { libc::madvise(data.as_ptr() as *mut libc::c_void, size_of_val(data), advice) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The node of each page of `data`, or a negative errno where the kernel knows none.
///
/// # Errors
/// The kernel's for the call as a whole.
pub fn page_nodes(data: &'static [AtomicU64]) -> io::Result<Vec<i32>> {
    let start = data.as_ptr() as usize;
    let pages: Vec<usize> = (start..start + size_of_val(data)).step_by(PAGE_BYTES).collect();
    let mut status = vec![0_i32; pages.len()];
    // SAFETY: both arrays hold `pages.len()` entries; without a node list the call moves nothing.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            pages.as_ptr(),
            ptr::null::<i32>(),
            status.as_mut_ptr(),
            0,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(status) }
}

/// The id of the calling thread.
#[must_use]
pub fn thread_id() -> i32 {
    // SAFETY: takes no argument and cannot fail.
    unsafe { libc::gettid() }
}

/// The CPUs the calling thread may use.
///
/// # Errors
/// The kernel's: `EINVAL` on a machine with more CPUs than a mask holds.
pub fn affinity() -> io::Result<Vec<usize>> {
    // SAFETY: a mask of zeroes is a valid empty set.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the mask is live and its size is stated.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut mask) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: every index is below the capacity of the mask.
    Ok((0..MAX_CPUS).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &mask) }).collect())
}

/// Binds the calling thread to `cpus`; numbers a mask cannot hold are left out.
///
/// # Errors
/// The kernel's: `EINVAL` when none of them may be used.
pub fn set_affinity(cpus: &[usize]) -> io::Result<()> {
    // SAFETY: a mask of zeroes is a valid empty set.
    let mut mask: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus.iter().filter(|&&cpu| cpu < MAX_CPUS) {
        // SAFETY: the index is below the capacity of the mask.
        unsafe { libc::CPU_SET(cpu, &mut mask) };
    }
    // SAFETY: the mask is live and its size is stated.
    let status =
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const mask) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Opens a counting event of kind `config` of `PERF_TYPE_SOFTWARE` on the calling thread.
///
/// # Errors
/// The kernel's: `ENOENT` for a kind it lacks, `EACCES` by `perf_event_paranoid`.
pub fn open_software_event(config: u64) -> io::Result<OwnedFd> {
    const SOFTWARE: u64 = 1;
    const ATTR_BYTES: u64 = 64;
    // The first published form of `perf_event_attr`: type and size, config, and no flag set.
    let attr: [u64; ATTR_BYTES as usize / 8] =
        [SOFTWARE | ATTR_BYTES << 32, config, 0, 0, 0, 0, 0, 0];
    // SAFETY: the attributes are as long as their size field says.
    let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, attr.as_ptr(), 0, -1, -1, 0) };
    match i32::try_from(fd) {
        // SAFETY: the kernel has just given this descriptor to nobody else.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}
