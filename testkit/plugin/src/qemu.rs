//! The part that QEMU calls and that calls QEMU; the only module here with `unsafe`.
//!
//! The functions are declared by hand, since no package ships the plugin header; they are the part of
//! the API that has been the same since QEMU 6. Pointers come from QEMU, are handed back to it, and are
//! never read here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::Write;
use std::slice;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::count::{Counts, Map, Snapshot};
use crate::options::Options;

/// Size of the page below the window.
const MARK_BYTES: u64 = 4096;
/// Offsets of a block are counted twice by QEMU up to version 8 (its own sum, not a fault of ours).
const OFFSET_STRIDE: u64 = if cfg!(feature = "qemu-9") { 1 } else { 2 };

/// `QEMU_PLUGIN_CB_NO_REGS`.
const NO_REGISTERS: c_int = 0;
/// `QEMU_PLUGIN_MEM_RW`.
const LOADS_AND_STORES: c_int = 3;

type TranslateCallback = unsafe extern "C" fn(u64, *mut c_void);
type MemoryCallback = unsafe extern "C" fn(c_uint, u32, u64, *mut c_void);
type ExitCallback = unsafe extern "C" fn(u64, *mut c_void);

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: u64, callback: TranslateCallback);
    fn qemu_plugin_register_atexit_cb(id: u64, callback: ExitCallback, data: *mut c_void);
    fn qemu_plugin_tb_n_insns(block: *const c_void) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const c_void, index: usize) -> *mut c_void;
    fn qemu_plugin_insn_vaddr(instruction: *const c_void) -> u64;
    fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut c_void,
        callback: MemoryCallback,
        flags: c_int,
        accesses: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_mem_is_store(info: u32) -> bool;
    fn qemu_plugin_get_hwaddr(info: u32, address: u64) -> *mut c_void;
    fn qemu_plugin_hwaddr_is_io(address: *const c_void) -> bool;
    fn qemu_plugin_hwaddr_phys_addr(address: *const c_void) -> u64;
}

/// The version of the plugin API that this library is built for; QEMU reads it before anything else.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub(crate) static qemu_plugin_version: c_int = if cfg!(feature = "qemu-9") { 2 } else { 1 };

struct Plugin {
    base: u64,
    len: u64,
    delay_ticks: u64,
    map: Map,
    counts: Counts,
    log: Mutex<Log>,
}

struct Log {
    out: File,
    began: Instant,
    lines: u64,
    last: Snapshot,
}

static PLUGIN: OnceLock<Plugin> = OnceLock::new();

fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and Linux lets user code run it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Time-stamp ticks in `nanoseconds`, by watching both clocks for a moment.
fn ticks_in(nanoseconds: u64) -> u64 {
    let (from, began) = (ticks(), Instant::now());
    std::thread::sleep(Duration::from_millis(20));
    let (passed, elapsed) = (ticks() - from, began.elapsed().as_nanos());
    u64::try_from(u128::from(passed) * u128::from(nanoseconds) / elapsed.max(1)).unwrap_or(u64::MAX)
}

impl Plugin {
    fn new(options: &Options) -> Result<Self, String> {
        let out = File::create(&options.out)
            .map_err(|error| format!("creating {}: {error}", options.out.display()))?;
        let map = Map::new(&options.nodes, OFFSET_STRIDE);
        let counts = Counts::new(&map);
        let log = Log { out, began: Instant::now(), lines: 0, last: counts.snapshot() };
        Ok(Self {
            base: options.base,
            len: options.len,
            delay_ticks: ticks_in(options.delay_ns),
            map,
            counts,
            log: Mutex::new(log),
        })
    }

    /// Writes a line with what happened since the last one.
    fn line(&self, mark: &str) {
        let Ok(mut log) = self.log.lock() else { return };
        let now = self.counts.snapshot();
        let text = format!(
            "counts n={} mark={mark} at_s={:.3} {}\n",
            log.lines,
            log.began.elapsed().as_secs_f64(),
            now.since(&log.last, &self.map)
        );
        log.lines += 1;
        log.last = now;
        // A full disk shows as missing lines; the guest must not stop for it.
        let _ = log.out.write_all(text.as_bytes());
    }

    fn access(&self, cpu: usize, info: u32, address: u64) {
        let offset = address.wrapping_sub(self.base);
        if offset >= self.len {
            let into_mark = offset.wrapping_add(MARK_BYTES);
            // SAFETY: `info` is the value QEMU gave for this very access.
            if into_mark < MARK_BYTES && unsafe { qemu_plugin_mem_is_store(info) } {
                self.line(&(into_mark / 8).to_string());
            }
            return;
        }
        // SAFETY: called within the memory callback of this access, as the API demands; the result is
        // valid until the callback returns.
        let (store, physical) = unsafe {
            let place = qemu_plugin_get_hwaddr(info, address);
            let memory = !place.is_null() && !qemu_plugin_hwaddr_is_io(place);
            let physical = memory.then(|| qemu_plugin_hwaddr_phys_addr(place));
            (qemu_plugin_mem_is_store(info), physical)
        };
        let node = physical.and_then(|address| self.map.node(address));
        if self.delay_ticks > 0 && node != self.map.node_of_cpu(cpu) {
            let from = ticks();
            while ticks().wrapping_sub(from) < self.delay_ticks {
                std::hint::spin_loop();
            }
        }
        self.counts.add(cpu, node, store);
    }
}

unsafe extern "C" fn on_access(cpu: c_uint, info: u32, address: u64, _data: *mut c_void) {
    if let Some(plugin) = PLUGIN.get() {
        plugin.access(cpu as usize, info, address);
    }
}

unsafe extern "C" fn on_translate(_id: u64, block: *mut c_void) {
    const FIRST_KERNEL_BIT: u32 = 47;
    // SAFETY: `block` and its instructions are valid during this callback, and only QEMU reads them.
    unsafe {
        for index in 0..qemu_plugin_tb_n_insns(block) {
            let instruction = qemu_plugin_tb_get_insn(block, index);
            if qemu_plugin_insn_vaddr(instruction) >> FIRST_KERNEL_BIT == 0 {
                qemu_plugin_register_vcpu_mem_cb(
                    instruction,
                    on_access,
                    NO_REGISTERS,
                    LOADS_AND_STORES,
                    std::ptr::null_mut(),
                );
            }
        }
    }
}

unsafe extern "C" fn on_exit(_id: u64, _data: *mut c_void) {
    if let Some(plugin) = PLUGIN.get() {
        plugin.line("exit");
    }
}

/// Entry point: QEMU stops with an error when the result is not 0.
///
/// # Safety
/// `argv` points to `argc` C strings, as QEMU's plugin loader passes them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn qemu_plugin_install(
    id: u64,
    _info: *const c_void,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let count = usize::try_from(argc).unwrap_or(0);
    let arguments: Vec<String> = if count == 0 {
        Vec::new()
    } else {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(argv, count) }
            .iter()
            .map(|&text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
            .collect()
    };
    let plugin = Options::parse(arguments.iter().map(String::as_str))
        .and_then(|options| Plugin::new(&options));
    match plugin {
        Ok(plugin) => {
            if PLUGIN.set(plugin).is_err() {
                eprintln!("numaplug: loaded twice");
                return 1;
            }
        }
        Err(error) => {
            eprintln!("numaplug: {error}");
            return 1;
        }
    }
    // SAFETY: both callbacks have the types the API states and live as long as the library.
    unsafe {
        qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
        qemu_plugin_register_atexit_cb(id, on_exit, std::ptr::null_mut());
    }
    0
}
