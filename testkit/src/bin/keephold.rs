//! Keeps one perf event of each software kind open, so that the kernel's static keys for them never
//! flip again: patching code under emulated CPUs that run it can panic the guest.
//!
//! Prints how many it holds, then stays until it is killed.

use testkit::sys::open_software_event;

/// Kinds of `PERF_TYPE_SOFTWARE` known to the kernels in use (`enum perf_sw_ids`).
const KINDS: u64 = 12;

fn main() {
    let held: Vec<_> = (0..KINDS).filter_map(|kind| open_software_event(kind).ok()).collect();
    println!("holding events={}", held.len());
    loop {
        std::thread::park();
    }
}
