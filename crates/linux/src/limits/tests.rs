//! Each refusal, on a small fake machine.

use super::*;
use crate::fake::{FakeKernel, FakeVma};
use crate::{Bytes, CpuMask, Identity, Kernel, NodeId, Pid, TaskId, Tid};

const PID: Pid = Pid(100);

/// Two nodes of two CPUs; one process with two threads and memory of every kind on node 0.
fn kernel() -> (FakeKernel, Identity) {
    let kernel = FakeKernel::new(2, 2, Bytes::mib(64));
    {
        let mut state = kernel.state();
        let process = state.spawn(PID, 2, 50);
        let vma = |start: u64| FakeVma::anonymous(start..start + 0x4000);
        process.map(vma(0x10000), NodeId(0));
        process.map(FakeVma { policy: "bind=static:0".into(), ..vma(0x20000) }, NodeId(0));
        process.map(FakeVma { policy: "prefer (many):0-1".into(), ..vma(0x30000) }, NodeId(0));
        process.map(FakeVma { locked: true, ..vma(0x40000) }, NodeId(0));
        process.map(FakeVma { mappers: 2, ..vma(0x50000) }, NodeId(0));
    }
    let identity = Identity::of(&kernel, PID).unwrap();
    (kernel, identity)
}

#[test]
fn memory_is_free_unless_bound_locked_or_absent() {
    let (kernel, identity) = kernel();
    let machine = kernel.state().machine();
    let limits = MemoryLimits::read(&kernel, identity).unwrap();
    let check = |address| limits.check(&machine, address, NodeId(1));
    assert_eq!(check(0x10000), Ok(()));
    assert_eq!(check(0x13fff), Ok(()));
    assert_eq!(check(0x14000), Err(Refusal::NotPresent { address: 0x14000 }));
    assert_eq!(check(0x0), Err(Refusal::NotPresent { address: 0 }));
    assert_eq!(
        check(0x21000),
        Err(Refusal::BoundMemory { start: 0x20000, policy: "bind=static:0".into() })
    );
    assert_eq!(
        check(0x30000),
        Err(Refusal::BoundMemory { start: 0x30000, policy: "prefer (many):0-1".into() })
    );
    assert_eq!(check(0x40000), Err(Refusal::Locked { start: 0x40000, end: 0x44000 }));
    // Anonymous memory after a fork: the kernel knows page by page, so it is asked.
    assert_eq!(check(0x50000), Ok(()));
}

#[test]
fn nodes_outside_of_the_cpuset_or_machine_are_refused() {
    let (kernel, identity) = kernel();
    let machine = kernel.state().machine();
    kernel.state().processes.get_mut(&PID).unwrap().mems = "0".parse().unwrap();
    let limits = MemoryLimits::read(&kernel, identity).unwrap();
    let refusal = limits.check(&machine, 0x10000, NodeId(1)).unwrap_err();
    assert_eq!(refusal.to_string(), "node N1 is outside of the cpuset's nodes 0");
    assert_eq!(
        limits.check(&machine, 0x10000, NodeId(7)),
        Err(Refusal::NoSuchNode { node: NodeId(7) })
    );
}

#[test]
fn a_process_close_to_the_mapping_limit_is_left_alone() {
    let (kernel, identity) = kernel();
    let machine = kernel.state().machine();
    kernel.state().files.insert("proc/sys/vm/max_map_count".into(), b"5\n".to_vec());
    let limits = MemoryLimits::read(&kernel, identity).unwrap();
    assert_eq!(
        limits.check(&machine, 0x10000, NodeId(1)),
        Err(Refusal::TooManyMappings { count: 5, most: 5 })
    );
}

#[test]
fn a_stranger_with_the_same_number_is_not_read() {
    let (kernel, identity) = kernel();
    kernel.state().spawn(PID, 1, 51);
    assert!(MemoryLimits::read(&kernel, identity).unwrap_err().is_gone());
}

#[test]
fn threads_follow_their_user() {
    let (kernel, identity) = kernel();
    let machine = kernel.state().machine();
    let task = TaskId::of(&kernel, identity, Tid(101)).unwrap();
    let place =
        |node| ThreadLimits::read(&kernel, task, None).unwrap().on_node(&machine, NodeId(node));
    assert_eq!(place(1), Ok("2-3".parse().unwrap()));
    let mask = |list: &str| list.parse::<CpuMask>().unwrap();
    kernel.set_affinity(task.tid, &mask("1-2")).unwrap();
    assert_eq!(place(1), Ok(mask("2")));
    kernel.set_affinity(task.tid, &mask("0-1")).unwrap();
    assert_eq!(
        place(1),
        Err(Refusal::AffinityExcludesNode { tid: task.tid, node: NodeId(1), mask: mask("0-1") })
    );
    kernel.set_affinity(task.tid, &mask("3")).unwrap();
    assert_eq!(place(1), Err(Refusal::Pinned { tid: task.tid, mask: mask("3") }));
    // A mask that this tool gave does not count as the user's wish.
    let own = ThreadLimits::read(&kernel, task, Some(&mask("0-3"))).unwrap();
    assert_eq!(own.on_node(&machine, NodeId(0)), Ok(mask("0-1")));
}

#[test]
fn a_node_without_cpus_gets_no_threads() {
    let (kernel, identity) = kernel();
    kernel.state().nodes.get_mut(&NodeId(1)).unwrap().cpus = CpuMask::new();
    let machine = kernel.state().machine();
    let task = TaskId::of(&kernel, identity, Tid(100)).unwrap();
    let limits = ThreadLimits::read(&kernel, task, None).unwrap();
    assert_eq!(
        limits.on_node(&machine, NodeId(1)),
        Err(Refusal::NodeWithoutCpus { node: NodeId(1) })
    );
}

#[test]
fn room_ends_at_the_watermark() {
    let (kernel, _) = kernel();
    let mut room = Room::above(Watermark { per_mille: 500, least: Bytes::mib(1) });
    let keep = Bytes(Bytes::mib(64).0 / 1000 * 500);
    assert_eq!(room.take(&kernel, NodeId(1), Bytes::mib(32)), Ok(()));
    assert_eq!(
        room.take(&kernel, NodeId(1), Bytes::mib(1)),
        Err(Refusal::NodeFull {
            node: NodeId(1),
            free: Bytes::mib(32),
            keep,
            wanted: Bytes::mib(1)
        })
    );
    room.give_back(NodeId(1), Bytes::mib(2));
    assert_eq!(room.take(&kernel, NodeId(1), Bytes::mib(1)), Ok(()));
    assert_eq!(room.take(&kernel, NodeId(9), Bytes(1)).unwrap_err().code(), "unreadable");
}
