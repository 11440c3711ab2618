//! What must hold at every moment of a run (machine-model 5.3). Checked every 256 quanta in debug
//! builds and at the end of every run.

use homenode_workload::Workload;

use crate::host::Host;
use crate::memory::ChunkKind;
use crate::run::QUANTUM;
use crate::task::KernelWork;

/// Panics if pages, time or tasks were lost or invented: that is an error in the simulator, never in
/// its input.
pub(crate) fn check(host: &Host, idle: u64) {
    pages(host);
    bandwidth(host);
    time(host, idle);
    assert!(host.sched.is_sound(), "a task is on no queue, on two, or on a forbidden one");
    let counters = &host.counters;
    assert!(counters.numa_hint_faults_local <= counters.numa_hint_faults);
    assert!(counters.pages_moved <= 512 * counters.numa_hint_faults);
}

/// Pages in use on each node are the mapped ones plus those in transit, and headers agree with words.
fn pages(host: &Host) {
    for node in 0..host.layout.nodes.len() {
        let mapped: u64 = host.spaces.iter().map(|space| space.resident[node]).sum();
        let transit = host.tasks.iter().filter(|task| match task.work {
            Some(KernelWork::Clear { node: to, .. } | KernelWork::Copy { to, .. }) => to == node,
            None => false,
        });
        let reserved = transit.count() as u64 * 512;
        assert_eq!(host.pool.used(node), mapped + reserved, "pages of node slot {node}");
    }
    for space in &host.spaces {
        for (at, chunk) in space.chunks.iter().enumerate() {
            let counted: u16 = space.counts(at).iter().sum();
            assert_eq!(counted, chunk.present, "chunk {at} counts {counted} present pages");
            assert!(chunk.marked <= chunk.present);
            assert!(chunk.kind != ChunkKind::Empty || chunk.present == 0);
        }
    }
}

/// No controller and no link served more than it can (machine-model 5.3).
fn bandwidth(host: &Host) {
    let (controllers, links) = (host.contention.controllers(), host.contention.links());
    assert!(host.traffic.is_within(controllers, links, QUANTUM as f64), "bytes beyond capacity");
}

/// At the end all the work was done, to the byte.
pub(crate) fn work(host: &Host, workload: &Workload) {
    assert_eq!(u128::from(host.swept), workload.swept(), "bytes of sweeps");
    assert!(host.tasks.iter().all(|task| task.work.is_none() && task.children == 0));
}

/// All CPU time is somebody's.
fn time(host: &Host, idle: u64) {
    let tasks: u64 = host.tasks.iter().map(|task| task.user + task.system).sum();
    let all = host.layout.cpus.len() as u64 * host.now;
    assert_eq!(tasks + host.sched.housekeeping() + idle, all, "CPU time");
}
