//! What a policy costs its host for each hinting fault: pages that are local, pages the two-stage filter
//! holds, and pages that move (the outcome and a new window's share of them included).

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use homenode_balance::{
    MmId, Observation, Op, Outbox, Outcome, PageRange, PageTag, Policy, Source, TaskId, TaskView,
    View, Weight, tree,
};
use homenode_topology::{
    Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, Machine, Nanos, Node, NodeId, PageIndex,
    SocketId,
};

const NODES: u16 = 4;
const TASKS: u32 = 48;
const MM: MmId = MmId(0);

/// One CPU and one task a number; CPUs are dealt out over the nodes in turn.
struct Host {
    machine: Machine,
    allowed: CpuMask,
    now: Nanos,
}

impl View for Host {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn node_of(&self, cpu: CpuId) -> NodeId {
        node_of(cpu)
    }

    fn task(&self, task: TaskId) -> TaskView {
        TaskView { mm: Some(MM), cpu: CpuId(task.0), runtime: self.now, started: Nanos::ZERO }
    }

    fn allowed(&self, _task: TaskId) -> &CpuMask {
        &self.allowed
    }

    fn free_pages(&self, _node: NodeId) -> u64 {
        1 << 22
    }
}

fn node_of(cpu: CpuId) -> NodeId {
    NodeId((cpu.0 % u32::from(NODES)) as u16)
}

fn machine() -> Machine {
    let cpus = || (0..TASKS).map(CpuId);
    let node = |id| Node {
        id: NodeId(id),
        cpus: cpus().filter(|&cpu| node_of(cpu) == NodeId(id)).collect(),
        memory: Bytes::gib(16),
        llc: Bytes::mib(18),
    };
    let cpu = |id| Cpu {
        id,
        node: Some(node_of(id)),
        core: CoreId(id.0),
        socket: SocketId(node_of(id).0),
        llc: CpuMask::new(),
    };
    Machine {
        name: String::from("bench"),
        nodes: (0..NODES).map(node).collect(),
        cpus: cpus().map(cpu).collect(),
        offline: CpuMask::new(),
        distances: Distances::new(),
        performance: None,
    }
}

/// One fault after another by tasks in turn, on a page `hops` nodes away whose record is `hops_before`
/// nodes away from the toucher.
fn faults(criterion: &mut Criterion, name: &str, hops: u16, hops_before: u16) {
    let mut host = Host { machine: machine(), allowed: CpuMask::new(), now: Nanos::ZERO };
    let policy = tree::Balancenuma::new("bench", tree::Features::DELAYSTART, &host.machine);
    let mut policy: Box<dyn Policy> = Box::new(policy);
    let mut out = Outbox::new();
    for task in 0..TASKS {
        policy.task_started(&host, TaskId(task), MM, &mut out);
    }
    let mut task = 0;
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| {
            task = (task + 1) % TASKS;
            host.now += Nanos::micros(50);
            let node = node_of(CpuId(task));
            let seen = Observation {
                task: TaskId(task),
                cpu: CpuId(task),
                range: PageRange { mm: MM, first: PageIndex(u64::from(task)), pages: 1 },
                node: NodeId((node.0 + hops) % NODES),
                op: Op::Unknown,
                source: Source::HintingFault,
                weight: Weight::Faults(1),
                at: host.now,
            };
            let mut tag = PageTag(u32::from((node.0 + hops_before) % NODES) + 1);
            policy.observe(&host, black_box(&seen), &mut tag, &mut out);
            while let Some(verdict) = out.take() {
                policy.outcome(&host, &verdict.action, Outcome::Done { pages: 1 }, Some(&seen));
            }
            tag
        });
    });
}

fn observe(criterion: &mut Criterion) {
    faults(criterion, "observe/local", 0, 0);
    faults(criterion, "observe/filtered", 1, 1);
    faults(criterion, "observe/migrating", 1, 0);
}

criterion_group!(benches, observe);
criterion_main!(benches);
