use homenode_topology::{Bandwidth, Bytes, Machine, Nanos, presets, spec};
use homenode_workload::{
    Access, Build, Part, Process, Region, Step, Thread, Workload,
    preset::{Params, find},
};

use super::*;
use crate::bandwidth_arithmetic;

fn r810() -> Machine {
    let mut machine = presets::find("r810").unwrap();
    machine.performance.as_mut().unwrap().controller = Bandwidth((4.6 * 1_073_741_824.0) as u64);
    machine
}

fn workload(name: &str, machine: &Machine) -> Workload {
    find(name).unwrap().build(machine, Build::AsWritten, &Params::default()).unwrap()
}

/// A process with one region and these threads below its first.
fn process(size: Bytes, threads: Vec<Vec<Step>>) -> Workload {
    let spawn = |steps| Step::Spawn(Box::new(Thread { steps }));
    let mut steps: Vec<Step> = threads.into_iter().map(spawn).collect();
    steps.push(Step::Join);
    let region = Region { name: "memory".into(), size, policy: Default::default() };
    let process = Process { name: "p".into(), regions: vec![region], main: Thread { steps } };
    Workload { name: "w".into(), row: "W".into(), processes: vec![process] }
}

fn sweep(size: Bytes, passes: u32, access: Access) -> Step {
    Step::Sweep { region: 0, part: Part::whole(size), passes, access }
}

fn seconds(time: Nanos) -> f64 {
    time.as_secs_f64()
}

fn near(time: Nanos, expected: f64) {
    assert!((seconds(time) / expected - 1.0).abs() < 1e-3, "{} s, not {expected} s", seconds(time));
}

#[test]
fn the_bounds_of_machine_model_5_4() {
    let machine = r810();
    for (name, expected) in [("numa01", 399.0), ("numa01-thread-alloc", 334.0), ("numa02", 43.5)] {
        let bound = bound(&machine, &workload(name, &machine)).unwrap();
        near(bound.elapsed, expected);
        assert_eq!((bound.kind, bound.form), (BoundKind::Spread, Form::Groups), "{name}");
    }
}

#[test]
fn half_the_threads_of_numa02_still_saturate_the_controllers() {
    // 24 threads of 1.7 GiB/s against 18.4 GiB/s of controllers.
    let machine = r810();
    let bound = bound(&machine, &workload("numa02-smt", &machine)).unwrap();
    near(bound.elapsed, 801.0 / 18.4);
}

#[test]
fn one_thread_is_bound_by_its_own_rate() {
    let machine = r810();
    let gib = Bytes::gib(1);
    let one = process(gib, vec![vec![sweep(gib, 17, Access::Clear)]]);
    let bound = bound(&machine, &one).unwrap();
    near(bound.elapsed, 10.0);
    assert_eq!(bound.kind, BoundKind::Chain);
    near(bound.spread, 17.0 / 18.4);
}

#[test]
fn threads_that_differ_are_not_averaged() {
    // 1 thread of 34 GiB and 7 of 1.7 GiB: the large one decides, not their mean.
    let machine = r810();
    let gib = Bytes::gib(1);
    let mut threads = vec![vec![sweep(gib, 34, Access::Clear)]];
    threads.extend(vec![vec![sweep(gib, 1, Access::Clear)]; 7]);
    near(bound(&machine, &process(gib, threads)).unwrap().program.unwrap(), 20.0);
}

#[test]
fn siblings_share_a_core() {
    // One node, 2 cores of 2 threads, controllers faster than the cores: 4 GiB/s x 2 x 1.25.
    let machine =
        spec::parse("cores=2 threads=2 controller=100GiB/s stream=4GiB/s smt=1.25").unwrap();
    let gib = Bytes::gib(1);
    let load = process(gib, vec![vec![sweep(gib, 10, Access::Clear)]; 4]);
    let bound = bound(&machine, &load).unwrap();
    near(bound.elapsed, 4.0);
    assert_eq!(bound.kind, BoundKind::Program);
}

#[test]
fn links_bind_where_memory_has_no_cpus() {
    // All memory behind a link of 1 GiB/s in each direction from two nodes of CPUs.
    let machine = spec::parse(
        "nodes=3 cores=4 cores@2=0 memory@0-1=0 memory@2=8GiB link=1GiB/s controller=20GiB/s \
         stream=8GiB/s",
    )
    .unwrap();
    let gib = Bytes::gib(1);
    let load = process(gib, vec![vec![sweep(gib, 10, Access::Clear)]; 8]);
    let bound = bound(&machine, &load).unwrap();
    near(bound.elapsed, 40.0);
    assert_eq!(bound.kind, BoundKind::Program);
}

#[test]
fn unequal_controllers_are_used_in_proportion() {
    let machine = spec::parse(
        "nodes=2 cores=8 memory=8GiB controller@0=3GiB/s controller@1=1GiB/s link=0.5GiB/s",
    )
    .unwrap();
    let gib = Bytes::gib(1);
    let load = process(gib, vec![vec![sweep(gib, 10, Access::Clear)]; 4]);
    near(bound(&machine, &load).unwrap().elapsed, 10.0);
}

#[test]
fn traffic_depends_on_the_access_and_on_the_cache() {
    let machine = spec::parse("cores=4 llc=16MiB controller=1GiB/s stream=8GiB/s").unwrap();
    let (large, small) = (Bytes::mib(64), Bytes::mib(16));
    let spread = |size, access| {
        let load = process(size, vec![vec![sweep(size, 16, access)]]);
        bound(&machine, &load).unwrap().spread
    };
    near(spread(large, Access::Read), 1.0);
    near(spread(large, Access::Write), 2.0);
    // After the first pass from the cache; clears always go to memory.
    near(spread(small, Access::Read), 1.0 / 64.0);
    near(spread(small, Access::Clear), 0.25);
}

#[test]
fn random_accesses_wait_for_each_line() {
    let machine = spec::parse("cores=4 llc=0B latency=100/200ns controller=20GiB/s").unwrap();
    let gib = Bytes::gib(1);
    let random = Step::Random {
        region: 0,
        part: Part::whole(gib),
        lines: 10_000_000,
        access: Access::Read,
        compute: Nanos(50),
    };
    let bound = bound(&machine, &process(gib, vec![vec![random]])).unwrap();
    near(bound.elapsed, 1.5);
    assert_eq!(bound.kind, BoundKind::Chain);
}

#[test]
fn joins_put_threads_one_behind_the_other() {
    let machine = r810();
    let work = || Thread { steps: vec![Step::Compute(Nanos::secs(2))] };
    let mut load = process(Bytes::gib(1), Vec::new());
    load.processes[0].main.steps = vec![
        Step::Spawn(Box::new(work())),
        Step::Spawn(Box::new(work())),
        Step::Join,
        Step::Sleep(Nanos::secs(1)),
        Step::Spawn(Box::new(work())),
    ];
    let bound = bound(&machine, &load).unwrap();
    near(bound.elapsed, 5.0);
    assert_eq!(bound.kind, BoundKind::Chain);
}

#[test]
fn many_different_threads_are_merged_and_large_machines_use_the_simple_bounds() {
    let gib = Bytes::gib(1);
    let threads = (1..=300).map(|i| vec![sweep(gib, i, Access::Clear)]).collect();
    let machine = r810();
    let merged = bound(&machine, &process(gib, threads)).unwrap();
    assert_eq!(merged.form, Form::Merged);
    near(merged.elapsed, f64::from(300 * 301 / 2) / 18.4);

    let large = spec::parse("nodes=64 cores=2 memory=1GiB").unwrap();
    let load = process(gib, vec![vec![sweep(gib, 10, Access::Clear)]; 2]);
    let omitted = bound(&large, &load).unwrap();
    assert_eq!((omitted.form, omitted.program), (Form::Omitted, None));
    near(omitted.elapsed, 10.0 / 8.0);
}

#[test]
fn a_machine_that_cannot_run_anything_is_refused() {
    let mut machine = r810();
    let load = workload("numa02", &machine);
    machine.performance = None;
    let refused = bound(&machine, &load).unwrap_err().to_string();
    assert!(refused.contains("machine `r810` has no performance figures"), "{refused}");
}

#[test]
fn bandwidth_arithmetic_is_bytes_over_rate() {
    let machine = r810();
    let controller = machine.performance.as_ref().unwrap().controller;
    let time = bandwidth_arithmetic(&workload("numa01", &machine), controller, 1.0);
    near(time.unwrap(), 7344.0 / 4.6);
    assert_eq!(bandwidth_arithmetic(&workload("numa01", &machine), controller, 0.0), None);
}
