//! How fast the simulator is: simulated seconds a CPU second, cost of a hinting fault, of starting a
//! task, and growth with nodes and CPUs.
//!
//! Throughput is stated in elements a second, where an element is a simulated second (runs), a fault,
//! or a started task.
#![allow(clippy::unwrap_used, missing_docs, reason = "a failure to set up is a failed measurement")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use homenode_balance::tree;
use homenode_sim::{Calibration, RunResult, Setup, run};
use homenode_topology::{Bytes, Machine, Nanos, presets, spec};
use homenode_workload::preset::{Params, find};
use homenode_workload::{MemoryPolicy, Process, Region, Step, Thread, Workload};

const POLICY: &str = "balancenuma:delaystart";

fn simulate(machine: &Machine, workload: &Workload, thp: bool, policy: &str) -> RunResult {
    let calibration = Calibration::shipped().unwrap();
    let time_limit = Nanos::secs(100_000);
    let setup = Setup { machine, workload, calibration: &calibration, seed: 1, thp, time_limit };
    run(&setup, tree::build(policy, machine).unwrap(), None).unwrap()
}

fn r810() -> Machine {
    let mut machine = presets::find("r810").unwrap();
    Calibration::shipped().unwrap().apply(&mut machine);
    machine
}

fn preset(machine: &Machine, name: &str, params: &Params) -> Workload {
    find(name).unwrap().build(machine, Default::default(), params).unwrap()
}

/// Published programs on the machine of the published tables.
fn real_time(c: &mut Criterion) {
    let machine = r810();
    let mut group = c.benchmark_group("simulated_seconds");
    group.sample_size(10);
    for name in ["numa02", "numa01-thread-alloc"] {
        let workload = preset(&machine, name, &Params::default());
        for (pages, thp) in [("2MiB", true), ("4KiB", false)] {
            let elapsed = simulate(&machine, &workload, thp, POLICY).elapsed;
            group.throughput(Throughput::Elements(elapsed.as_secs_f64() as u64));
            group.bench_function(BenchmarkId::new(name, pages), |b| {
                b.iter(|| simulate(&machine, &workload, thp, POLICY));
            });
        }
    }
    group.finish();
}

/// A run whose time goes into hinting faults: in batches where pages lie on one node each 2 MiB, one
/// by one where they are interleaved.
fn hinting_faults(c: &mut Criterion) {
    let machine = r810();
    let mut group = c.benchmark_group("hinting_fault");
    group.sample_size(10);
    for (kind, policy) in [
        ("batch", MemoryPolicy::Default),
        (
            "single",
            MemoryPolicy::MigrateOnFault(Box::new(MemoryPolicy::Interleave(
                machine.memory_nodes(),
            ))),
        ),
    ] {
        let params = Params { loops: Some(100), ..Params::default() };
        let mut workload = preset(&machine, "numa02", &params);
        workload.processes[0].regions[0].policy = policy;
        let result = simulate(&machine, &workload, false, POLICY);
        group.throughput(Throughput::Elements(result.counters.numa_hint_faults));
        group.bench_function(kind, |b| b.iter(|| simulate(&machine, &workload, false, POLICY)));
    }
    group.finish();
}

/// Starting tasks one after the other.
fn placements(c: &mut Criterion) {
    let machine = r810();
    let mut group = c.benchmark_group("placement");
    group.sample_size(10);
    let child = || Step::Spawn(Box::new(Thread { steps: vec![Step::Sleep(Nanos::millis(1))] }));
    let mut steps: Vec<Step> = (0..1000).map(|_| child()).collect();
    steps.push(Step::Join);
    let region = Region { name: "none".into(), size: Bytes::mib(1), policy: MemoryPolicy::Default };
    let main = Thread { steps };
    let process = Process { name: "forker".into(), regions: vec![region], main };
    let workload = Workload { name: "forks".into(), row: "FORKS".into(), processes: vec![process] };
    group.throughput(Throughput::Elements(1000));
    group.bench_function("start", |b| b.iter(|| simulate(&machine, &workload, true, "mainline")));
    group.finish();
}

/// The same work a thread on machines of more nodes and of more CPUs.
fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth");
    group.sample_size(10);
    let shapes = [2, 4, 8, 16]
        .map(|nodes| ("nodes", nodes, format!("nodes={nodes} cores=4 memory=16GiB")))
        .into_iter()
        .chain([8, 32, 128, 512].map(|cpus| {
            ("cpus", cpus, format!("nodes=4 cores={} memory=16GiB controller=200GiB/s", cpus / 4))
        }));
    for (of, count, text) in shapes {
        let machine = spec::parse(&text).unwrap();
        let cpus = machine.cpus.len() as u32;
        let size = Some(Bytes::mib(64 * u64::from(cpus)));
        let params = Params { size, loops: Some(200), ..Params::default() };
        let workload = preset(&machine, "numa02", &params);
        let result = simulate(&machine, &workload, true, POLICY);
        group.throughput(Throughput::Elements(result.elapsed.as_secs_f64() as u64));
        group.bench_function(BenchmarkId::new(of, count), |b| {
            b.iter(|| simulate(&machine, &workload, true, POLICY));
        });
    }
    group.finish();
}

criterion_group!(benches, real_time, hinting_faults, placements, growth);
criterion_main!(benches);
