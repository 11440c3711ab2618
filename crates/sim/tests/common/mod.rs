//! Machines, programs and runs that the tests of this folder share.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module of several tests, each of which uses some of it"
)]

use homenode_balance::{Policy, tree};
use homenode_sim::{Calibration, Error, RunResult, Setup, run};
use homenode_topology::{Bytes, Machine, Nanos, NodeId, NodeMask, spec};
use homenode_workload::{Access, MemoryPolicy, Part, Process, Region, Step, Thread, Workload};

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
/// Longest quantum: how much later a waiting thread may go on.
pub const QUANTUM: u64 = 10 * MS;

pub fn machine(text: &str) -> Machine {
    spec::parse(text).unwrap()
}

/// The shipped calibration without housekeeping, for tests that compare times.
pub fn quiet() -> Calibration {
    let mut calibration = Calibration::shipped().unwrap();
    calibration.noise.daemons = 0;
    calibration.noise.kthread_period_ns = 1 << 50;
    calibration.noise.kthread_burst_ns = 1;
    calibration
}

pub fn setup<'a>(
    machine: &'a Machine,
    workload: &'a Workload,
    calibration: &'a Calibration,
) -> Setup<'a> {
    let time_limit = Nanos(3600 * SECOND);
    Setup { machine, workload, calibration, seed: 1, thp: true, time_limit }
}

pub fn tree(name: &str, machine: &Machine) -> Box<dyn Policy> {
    tree::build(name, machine).unwrap()
}

/// Runs without balancing and without housekeeping.
pub fn static_run(machine: &Machine, workload: &Workload, thp: bool) -> RunResult {
    policy_run(machine, workload, thp, tree("mainline", machine)).unwrap()
}

/// Runs without housekeeping.
pub fn policy_run(
    machine: &Machine,
    workload: &Workload,
    thp: bool,
    policy: Box<dyn Policy>,
) -> Result<RunResult, Error> {
    workload.check(machine).unwrap();
    let calibration = quiet();
    run(&Setup { thp, ..setup(machine, workload, &calibration) }, policy, None)
}

/// One process with regions of these sizes.
pub fn process(regions: &[Bytes], main: Vec<Step>) -> Process {
    let region = |(i, &size): (usize, &Bytes)| Region {
        name: format!("region {i}"),
        size,
        policy: MemoryPolicy::Default,
    };
    Process {
        name: "process".to_owned(),
        regions: regions.iter().enumerate().map(region).collect(),
        main: Thread { steps: main },
    }
}

pub fn workload(processes: Vec<Process>) -> Workload {
    Workload { name: "test".to_owned(), row: "TEST".to_owned(), processes }
}

/// A workload of one process.
pub fn program(regions: &[Bytes], main: Vec<Step>) -> Workload {
    workload(vec![process(regions, main)])
}

pub fn nodes(ids: &[u16]) -> NodeMask {
    ids.iter().copied().map(NodeId).collect()
}

pub fn spawn(steps: Vec<Step>) -> Step {
    Step::Spawn(Box::new(Thread { steps }))
}

/// Clears all of a region.
pub fn clear(region: usize, size: Bytes, passes: u32) -> Step {
    Step::Sweep { region, part: Part::whole(size), passes, access: Access::Clear }
}

pub fn compute(ms: u64) -> Step {
    Step::Compute(Nanos(ms * MS))
}
