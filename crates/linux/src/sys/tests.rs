//! The real kernel, on this machine and this process.

use super::*;
use crate::perf::{EventKind, EventSpec, Layout, Record, decode};
use crate::{CpuMask, Errno, Nanos, Pid, Tid};

fn me() -> Pid {
    Pid(i32::try_from(std::process::id()).unwrap())
}

#[test]
fn pages_of_this_process_are_on_nodes_or_have_a_reason() {
    let kernel = RealKernel::new();
    let memory = vec![1u8; 1 << 20];
    let address = memory.as_ptr().addr() as u64;
    let nodes = kernel.page_nodes(me(), &[address, 0]);
    // A container may forbid the call as a whole (seccomp).
    let Ok(nodes) = nodes else {
        eprintln!("skipped: move_pages is not allowed here: {nodes:?}");
        return;
    };
    let node = nodes[0].unwrap();
    assert!(matches!(nodes[1], Err(Errno::EFAULT | Errno::ENOENT)));
    // A move to the node where it already is succeeds and tells that node.
    assert_eq!(kernel.move_pages(me(), &[address], &[node]).unwrap(), [Ok(node)]);
    assert_eq!(kernel.move_pages(me(), &[address], &[]), Err(Errno::EINVAL));
    assert_eq!(kernel.page_nodes(Pid(i32::MAX), &[address]), Err(Errno::ESRCH));
}

#[test]
fn affinity_is_read_set_and_given_back() {
    let kernel = RealKernel::new();
    // Zero names the calling thread; a new one, so that no other test is disturbed.
    std::thread::spawn(move || {
        let own = Tid(0);
        let before = kernel.affinity(own).unwrap();
        let one: CpuMask = before.iter().take(1).collect();
        kernel.set_affinity(own, &one).unwrap();
        assert_eq!(kernel.affinity(own).unwrap(), one);
        kernel.set_affinity(own, &before).unwrap();
        assert_eq!(kernel.affinity(own).unwrap(), before);
        assert_eq!(kernel.set_affinity(own, &CpuMask::new()), Err(Errno::EINVAL));
        assert_eq!(kernel.affinity(Tid(i32::MAX)), Err(Errno::ESRCH));
    })
    .join()
    .unwrap();
}

#[test]
fn memory_of_a_child_is_read() {
    let kernel = RealKernel::new();
    let child = kernel.spawn_writer(4).unwrap();
    kernel.sleep(Nanos::millis(30));
    let mut bytes = [0u8; 4096 * 5];
    match kernel.read_memory(child.pid(), child.area().start, &mut bytes) {
        Ok(length) => {
            assert!(length >= 4096 * 4);
            assert!(bytes[0] > 0 && bytes[4096] > 0 && bytes[1] == 0);
        }
        Err(errno) => assert_eq!(errno, Errno::EPERM),
    }
}

#[test]
fn time_of_a_busy_child_is_sampled() {
    let kernel = RealKernel::new();
    let child = kernel.spawn_writer(64).unwrap();
    let layout = Layout { page_size: true, registers: 0 };
    let spec = EventSpec {
        kind: EventKind::CpuClock { hz: 2_000 },
        tid: child.pid().leader(),
        ring_pages: 8,
        layout,
    };
    let mut ring = match kernel.open_event(&spec) {
        Ok(ring) => ring,
        Err(errno) => {
            eprintln!("skipped: perf events are not offered here: {errno}");
            return;
        }
    };
    kernel.sleep(Nanos::millis(200));
    let mut bytes = Vec::new();
    ring.read(&mut bytes);
    let samples: Vec<_> = decode(&bytes, layout)
        .filter_map(|record| match record {
            Record::Sample(sample) => Some(sample),
            _ => None,
        })
        .collect();
    assert!(!samples.is_empty());
    let now = kernel.now();
    assert!(samples.iter().all(|s| s.tid == child.pid().leader() && s.at <= now && s.at.0 > 0));
}

#[test]
fn signals_never_go_to_groups() {
    assert_eq!(RealKernel::new().signal(Pid(0), Signal::Stop), Err(Errno::EINVAL));
    assert_eq!(RealKernel::new().signal(Pid(-1), Signal::Stop), Err(Errno::EINVAL));
}
