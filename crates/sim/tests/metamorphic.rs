//! How results must change when the input changes (machine-model 5.3): known without knowing the result.
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failed test")]

mod common;

use common::*;
use homenode_balance::tree;
use homenode_sim::{Calibration, RunResult, run};
use homenode_topology::{Bandwidth, Bytes, Machine};
use homenode_workload::preset::{Params, find};
use homenode_workload::{Access, MemoryPolicy, Part, Step, Workload};
use proptest::prelude::*;

/// A thread on each of these `(CPU node, memory node)` pairs that sweeps 16 MiB of its own; nothing
/// that a scheduler or balancer could change.
fn pinned(pairs: &[(u16, u16)], access: Access, passes: u32) -> Workload {
    let size = Bytes::mib(16);
    let thread = |(region, &(cpus, memory)): (usize, &(u16, u16))| {
        spawn(vec![
            Step::RunOn(nodes(&[cpus])),
            Step::SetPolicy(MemoryPolicy::Bind(nodes(&[memory]))),
            Step::Sweep { region, part: Part::whole(size), passes, access },
        ])
    };
    let mut steps: Vec<Step> = pairs.iter().enumerate().map(thread).collect();
    steps.push(Step::Join);
    program(&vec![size; pairs.len()], steps)
}

const PAIRS: [(u16, u16); 8] = [(0, 0), (0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 0), (3, 3)];

fn four_nodes() -> Machine {
    machine(
        "nodes=4 cores=4 memory=512MiB llc=0B controller=6GiB/s link=3GiB/s stream=4GiB/s \
         latency=100/160ns queue=10ns distance@0>1=30",
    )
}

fn scale(rate: &mut Bandwidth, factor: f64) {
    *rate = Bandwidth((rate.0 as f64 * factor) as u64);
}

#[test]
fn a_machine_of_twice_the_speed_takes_half_the_time() {
    let slow = four_nodes();
    let mut fast = slow.clone();
    let performance = fast.performance.as_mut().unwrap();
    scale(&mut performance.controller, 2.0);
    scale(&mut performance.core_stream, 2.0);
    scale(&mut performance.links.each, 2.0);
    performance.local_latency_ns /= 2.0;
    performance.remote_latency_ns /= 2.0;
    performance.queue_ns /= 2.0;
    for thp in [true, false] {
        let time = |machine| static_run(machine, &pinned(&PAIRS, Access::Clear, 400), thp);
        let ratio = time(&slow).elapsed.0 as f64 / time(&fast).elapsed.0 as f64;
        assert!((ratio - 2.0).abs() < 0.04, "thp {thp}: {ratio}");
    }
}

#[test]
fn twice_the_work_takes_twice_the_time() {
    let machine = four_nodes();
    let time = |passes| static_run(&machine, &pinned(&PAIRS, Access::Clear, passes), true).elapsed;
    let ratio = time(800).0 as f64 / time(400).0 as f64;
    assert!((ratio - 2.0).abs() < 0.02, "{ratio}");
}

#[test]
fn a_saturated_controller_decides_the_time() {
    let machine = four_nodes();
    let result = static_run(&machine, &pinned(&[(0, 0); 4], Access::Clear, 400), true);
    let bytes = 4.0 * 400.0 * 16.0 / 1024.0;
    let least = bytes / 6.0;
    let elapsed = result.elapsed.as_secs_f64();
    assert!(elapsed >= least && elapsed < 1.1 * least, "{elapsed} s, at least {least} s");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// More bandwidth or less remote latency never slows a placement that does not change.
    #[test]
    fn better_hardware_never_slows_a_static_placement(
        pairs in prop::collection::vec((0u16..4, 0u16..4), 1..12),
        write in any::<bool>(),
        which in 0usize..3,
        factor in 1.05..4.0f64,
    ) {
        // Four threads a node at most, each on a CPU of its own.
        let pairs: Vec<_> = (0u16..4)
            .flat_map(|node| pairs.iter().filter(move |pair| pair.0 == node).take(4))
            .copied()
            .collect();
        let access = if write { Access::Write } else { Access::Clear };
        let before = four_nodes();
        let mut after = before.clone();
        let performance = after.performance.as_mut().unwrap();
        match which {
            0 => scale(&mut performance.controller, factor),
            1 => scale(&mut performance.links.each, factor),
            _ => performance.remote_latency_ns = 100.0 + 60.0 / factor,
        }
        let workload = pinned(&pairs, access, 100);
        let (before, after) =
            (static_run(&before, &workload, true), static_run(&after, &workload, true));
        let allowed = before.elapsed.0 as f64 * 1.005 + QUANTUM as f64;
        prop_assert!(after.elapsed.0 as f64 <= allowed, "{:?}, then {:?}", before.elapsed, after.elapsed);
    }
}

fn small(machine: &Machine, name: &str) -> Workload {
    let params = Params { size: Some(Bytes::mib(64)), loops: Some(300), ..Params::default() };
    find(name).unwrap().build(machine, Default::default(), &params).unwrap()
}

fn seeded(machine: &Machine, name: &str, policy: &str, thp: bool, seed: u64) -> RunResult {
    let workload = small(machine, name);
    let calibration = Calibration::shipped().unwrap();
    let setup = homenode_sim::Setup { seed, thp, ..setup(machine, &workload, &calibration) };
    run(&setup, tree(policy, machine), None).unwrap()
}

#[test]
fn one_node_has_nothing_to_migrate() {
    let machine = machine("nodes=1 cores=4 threads=2 memory=1GiB");
    for info in tree::all() {
        for thp in [true, false] {
            let result = seeded(&machine, "numa02", info.name, thp, 3);
            let counters = result.counters;
            assert_eq!((counters.pages_moved, counters.pgmigrate_fail), (0, 0), "{}", info.name);
            assert_eq!((result.crossings, result.local_ratio), (0, 1.0));
            assert_eq!(counters.numa_hint_faults, counters.numa_hint_faults_local);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let machine = four_nodes();
    for thp in [true, false] {
        let bytes = |seed| {
            let result = seeded(&machine, "numa01", "balancenuma", thp, seed);
            serde_json::to_string(&result).unwrap().replace(&format!("\"seed\":{seed},"), "")
        };
        let first = bytes(1);
        assert_eq!(first, bytes(1));
        assert_ne!(first, bytes(2));
    }
}

/// A witness only looks.
#[test]
fn a_witness_changes_nothing() {
    let machine = four_nodes();
    let workload = small(&machine, "numa02");
    let calibration = Calibration::shipped().unwrap();
    let setup = setup(&machine, &workload, &calibration);
    let mut decisions = 0;
    let mut count = |_: &homenode_sim::Decision| decisions += 1;
    let watched = run(&setup, tree("balancenuma", &machine), Some(&mut count)).unwrap();
    assert_eq!(watched, run(&setup, tree("balancenuma", &machine), None).unwrap());
    assert!(decisions > 0);
}
