//! No simulated run is faster than the bound, whatever the machine, the workload and the policy.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use homenode_balance::tree;
use homenode_optimum::{best_static, bound};
use homenode_sim::{Calibration, Setup, run};
use homenode_topology::{Bandwidth, Bytes, HUGE_PAGE, Machine, Nanos, spec};
use homenode_workload::{Access, MemoryPolicy, Part, Process, Region, Step, Thread, Workload};
use proptest::prelude::*;

/// A controller or link of the simulator may serve one quantum's worth more than its rate allows, and
/// what is late inside a quantum may be early in another by as much.
const QUANTA: Nanos = Nanos::millis(20);

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Clear), Just(Access::Write), Just(Access::Read), Just(Access::Update)]
}

/// Small machines of 1 to 4 nodes with gaps in their ids: some nodes without CPUs or without memory,
/// controllers and links that differ, SMT or none, perhaps a CPU of no node.
fn machine() -> impl Strategy<Value = Machine> {
    let rate = || 1_u32..20;
    let node = (0_u32..4, 0_u32..3, rate());
    let nodes = prop::collection::vec(node, 1..=4);
    (nodes, 1_u32..=2, rate(), rate(), 0_u32..2, any::<bool>()).prop_map(
        |(nodes, threads, link, stream, llc, stray)| {
            let ids: Vec<String> = (0..nodes.len()).map(|at| (at * at).to_string()).collect();
            let mut text = format!(
                "nodes={} threads={threads} llc={}MiB link={}MiB/s stream={}MiB/s smt=1.2",
                if nodes.len() == 1 { "0-0".to_owned() } else { ids.join(",") },
                llc * 8,
                link * 100,
                stream * 100,
            );
            for (id, (cores, memory, controller)) in ids.iter().zip(&nodes) {
                let first = u32::from(id == "0");
                let cores = cores + first;
                let memory = if cores == 0 { 1 } else { memory + first };
                text += &format!(
                    " cores@{id}={cores} memory@{id}={}MiB controller@{id}={}MiB/s",
                    memory * 256,
                    controller * 100
                );
            }
            let mut machine = spec::parse(&text).unwrap();
            if let Some(last) = machine.cpus.last_mut().filter(|cpu| stray && cpu.id.0 > 0) {
                last.node = None;
                machine.nodes.iter_mut().for_each(|node| node.cpus.remove(last.id));
            }
            machine
        },
    )
}

/// Threads of a process: how many, whether each has a slice, passes, access, and a pause.
fn process() -> impl Strategy<Value = Process> {
    (4_u64..24, 1_u32..6, any::<bool>(), 1_u32..12, access(), 0_u64..30, any::<bool>()).prop_map(
        |(huge_pages, threads, sliced, passes, access, pause, touched)| {
            let size = HUGE_PAGE * huge_pages;
            let sweep = |part, passes, access| Step::Sweep { region: 0, part, passes, access };
            let mut steps = Vec::new();
            if touched {
                steps.push(sweep(Part::whole(size), 1, Access::Clear));
            }
            for i in 0..threads {
                let part = if sliced { Part::slice(size, i, threads) } else { Part::whole(size) };
                let steps_of_thread = vec![
                    Step::Compute(Nanos::millis(pause)),
                    sweep(part, passes, access),
                    Step::Barrier { id: 0, parties: threads },
                    Step::Sleep(Nanos::millis(pause)),
                    sweep(part, 1, Access::Read),
                ];
                steps.push(Step::Spawn(Box::new(Thread { steps: steps_of_thread })));
            }
            steps.push(Step::Join);
            let policy = MemoryPolicy::Default;
            let regions = vec![Region { name: "memory".into(), size, policy }];
            Process { name: "process".into(), regions, main: Thread { steps } }
        },
    )
}

fn workload(processes: Vec<Process>) -> Workload {
    Workload { name: "random".into(), row: "RANDOM".into(), processes }
}

fn interleaved(workload: &Workload, machine: &Machine) -> Workload {
    let mut workload = workload.clone();
    for region in workload.processes.iter_mut().flat_map(|process| &mut process.regions) {
        region.policy = MemoryPolicy::Interleave(machine.memory_nodes());
    }
    workload
}

/// Times of the workload as written, with its memory interleaved, under a balancer, and of the best
/// static placement.
fn times(machine: &Machine, workload: &Workload, thp: bool) -> Vec<(&'static str, Nanos)> {
    let calibration = Calibration::shipped().unwrap();
    let time_limit = Nanos::secs(1000);
    let calibration = &calibration;
    let setup = Setup { machine, workload, calibration, seed: 1, thp, time_limit };
    let elapsed = |workload: &Workload, name: &str| {
        let setup = Setup { workload, ..setup.clone() };
        run(&setup, tree::build(name, machine).unwrap(), None).unwrap().elapsed
    };
    vec![
        ("mainline", elapsed(workload, "mainline")),
        ("interleave", elapsed(&interleaved(workload, machine), "mainline")),
        ("balancenuma", elapsed(workload, "balancenuma")),
        ("best static", best_static(&setup).unwrap().elapsed),
    ]
}

fn assert_bounded(machine: &Machine, workload: &Workload, thp: bool) -> Result<(), TestCaseError> {
    let bound = bound(machine, workload).unwrap();
    for (name, elapsed) in times(machine, workload, thp) {
        prop_assert!(
            bound.elapsed <= elapsed + QUANTA,
            "{name} took {elapsed:?}, the bound is {bound:?} on {machine:?}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_run_is_faster_than_the_bound(
        machine in machine(),
        processes in prop::collection::vec(process(), 1..=2),
    ) {
        assert_bounded(&machine, &workload(processes), true)?;
    }

    #[test]
    fn a_machine_twice_as_fast_halves_the_bound(
        machine in machine(),
        mut processes in prop::collection::vec(process(), 1..=2),
    ) {
        for step in processes.iter_mut().flat_map(|process| &mut process.main.steps) {
            if let Step::Spawn(thread) = step {
                thread.steps.retain(|step| matches!(step, Step::Sweep { .. }));
            }
        }
        let mut fast = machine.clone();
        let performance = fast.performance.as_mut().unwrap();
        let twice = |rate: &mut Bandwidth| rate.0 *= 2;
        twice(&mut performance.controller);
        twice(&mut performance.core_stream);
        twice(&mut performance.links.each);
        performance.controller_of.values_mut().for_each(twice);
        performance.links.except.iter_mut().for_each(|(.., rate)| twice(rate));
        let workload = workload(processes);
        let (slow, fast) = (bound(&machine, &workload).unwrap(), bound(&fast, &workload).unwrap());
        let ratio = slow.elapsed.as_secs_f64() / fast.elapsed.as_secs_f64();
        prop_assert!((ratio - 2.0).abs() < 1e-3, "{slow:?} {fast:?}");
    }

    #[test]
    fn nor_with_random_accesses(
        nodes in 1_u32..4,
        lines in 1_000_u64..1_000_000,
        threads in 1_usize..6,
        compute in 0_u64..200,
        thp in any::<bool>(),
    ) {
        let text = format!("nodes={nodes} cores=2 memory=1GiB llc=8MiB link=100GiB/s");
        let machine = spec::parse(&text).unwrap();
        let size = Bytes::mib(64);
        let part = Part::whole(size);
        let mut steps = vec![Step::Sweep { region: 0, part, passes: 1, access: Access::Clear }];
        let compute = Nanos(compute);
        let random = Step::Random { region: 0, part, lines, access: Access::Read, compute };
        steps.extend(vec![Step::Spawn(Box::new(Thread { steps: vec![random] })); threads]);
        steps.push(Step::Join);
        let policy = MemoryPolicy::Default;
        let regions = vec![Region { name: "memory".into(), size, policy }];
        let process = Process { name: "process".into(), regions, main: Thread { steps } };
        assert_bounded(&machine, &workload(vec![process]), thp)?;
    }
}
