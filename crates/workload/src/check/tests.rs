use homenode_topology::{Bytes, Machine, Nanos, NodeMask};

use crate::test_machine::{machine, r810};
use crate::{Access, Error, MemoryPolicy, Part, Problem, Process, Region, Step, Thread, Workload};

fn nodes(list: &str) -> NodeMask {
    list.parse().unwrap()
}

fn bind(list: &str) -> Step {
    Step::SetPolicy(MemoryPolicy::Bind(nodes(list)))
}

fn sweep(start: Bytes, length: Bytes) -> Step {
    let part = Part { start, length };
    Step::Sweep { region: 0, part, passes: 1, access: Access::Clear }
}

fn spawn(steps: Vec<Step>) -> Step {
    Step::Spawn(Box::new(Thread { steps }))
}

fn barrier(id: u32, parties: u32) -> Step {
    Step::Barrier { id, parties }
}

/// One process with one region.
fn workload(size: Bytes, steps: Vec<Step>) -> Workload {
    let region = Region { name: "heap".to_owned(), size, policy: MemoryPolicy::Default };
    let process = Process { name: "p".to_owned(), regions: vec![region], main: Thread { steps } };
    Workload { name: "w".to_owned(), row: "W".to_owned(), processes: vec![process] }
}

fn refused(workload: &Workload, machine: &Machine) -> (String, Problem) {
    match workload.check(machine) {
        Err(Error::Invalid { place, problem, .. }) => (place, problem),
        other => panic!("{other:?}"),
    }
}

fn problem(steps: Vec<Step>) -> (String, Problem) {
    refused(&workload(Bytes::gib(1), steps), &r810())
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let error = |steps| workload(Bytes::gib(1), steps).check(&r810()).unwrap_err().to_string();
    let part = Part { start: Bytes::mib(1000), length: Bytes::mib(100) };
    let random =
        Step::Random { region: 0, part, lines: 1, access: Access::Read, compute: Nanos::ZERO };
    let other_region =
        Step::Sweep { region: 1, part: Part::default(), passes: 1, access: Access::Read };
    insta::assert_snapshot!(
        [
            error(vec![sweep(Bytes::mib(1000), Bytes::mib(100))]),
            error(vec![Step::Join, spawn(vec![]), spawn(vec![Step::Join, random])]),
            error(vec![sweep(Bytes(1), Bytes(u64::MAX))]),
            error(vec![other_region]),
            error(vec![Step::RunOn(nodes("2-5"))]),
            error(vec![Step::RunOn(NodeMask::new())]),
            error(vec![bind("7")]),
            error(vec![spawn(vec![spawn(vec![barrier(0, 0)])])]),
            error(vec![barrier(3, 2)]),
        ]
        .join("\n"),
        @r"
    w: process `p`, first thread, step 1: reaches to byte 1153433600 of region `heap`, which has 1073741824
    w: process `p`, thread 2, step 2: reaches to byte 1153433600 of region `heap`, which has 1073741824
    w: process `p`, first thread, step 1: reaches to byte 18446744073709551615 of region `heap`, which has 1073741824
    w: process `p`, first thread, step 1: names region 1, counted from 0, of a process with 1
    w: process `p`, first thread, step 1: names nodes 4-5, which do not exist; the machine has 0-3
    w: process `p`, first thread, step 1: runs on nodes ``, none of which has a CPU; nodes 0-3 have some
    w: process `p`, first thread, step 1: names nodes 7, which do not exist; the machine has 0-3
    w: process `p`, thread 1.1, step 1: is a barrier of 0 parties, expected at least 1
    w: process `p`, barrier 3: can never be met: 1 of 2 parties wait there and no other comes
    "
    );
}

#[test]
fn steps_that_access_nothing_are_refused() {
    let whole = Part::whole(Bytes::gib(1));
    let (access, compute) = (Access::Read, Nanos::ZERO);
    for step in [
        sweep(Bytes(1), Bytes::ZERO),
        Step::Sweep { region: 0, part: whole, passes: 0, access },
        Step::Random { region: 0, part: whole, lines: 0, access, compute },
    ] {
        assert_eq!(problem(vec![step]).1, Problem::NoAccess);
    }
}

#[test]
fn machines_and_workloads_without_anything_are_refused() {
    let something = workload(Bytes::gib(1), vec![]);
    let without = |machine| refused(&something, &machine).1;
    assert_eq!(without(machine(&[(0, 0..0, 4)])), Problem::NoCpus);
    assert_eq!(without(machine(&[(0, 0..4, 0)])), Problem::NoMemory);
    let nothing = Workload { processes: vec![], ..something };
    assert_eq!(refused(&nothing, &r810()).1, Problem::NoProcesses);
    assert_eq!(refused(&workload(Bytes::ZERO, vec![]), &r810()).1, Problem::EmptyRegion);
}

#[test]
fn affinity_needs_a_cpu_and_binding_needs_memory() {
    let odd = machine(&[(0, 0..4, 4), (2, 4..4, 4), (4, 4..8, 0)]);
    let check = |step| workload(Bytes::gib(1), vec![step]).check(&odd);
    let refuse = |step| refused(&workload(Bytes::gib(1), vec![step]), &odd).1;
    check(Step::RunOn(nodes("0,2"))).unwrap();
    check(bind("2,4")).unwrap();
    let (cpus, memory) = (nodes("0,4"), nodes("0,2"));
    assert_eq!(
        refuse(Step::RunOn(nodes("2"))),
        Problem::NodesWithoutCpus { nodes: nodes("2"), with: cpus }
    );
    assert_eq!(refuse(bind("4")), Problem::NodesWithoutMemory { nodes: nodes("4"), with: memory });
    let (missing, present) = (nodes("1"), nodes("0,2,4"));
    let unknown = Problem::UnknownNodes { nodes: missing, machine: present };
    assert_eq!(refuse(Step::RunOn(nodes("0-1"))), unknown);
    assert_eq!(refuse(bind("1-2")), unknown);
}

#[test]
fn the_policy_of_a_region_is_checked_too() {
    let mut bad = workload(Bytes::gib(1), vec![]);
    bad.processes[0].regions[0].policy =
        MemoryPolicy::MigrateOnFault(Box::new(MemoryPolicy::Interleave(nodes("9"))));
    let (place, problem) = refused(&bad, &r810());
    assert_eq!(place, "process `p`, region `heap`");
    assert!(matches!(problem, Problem::UnknownNodes { .. }));
}

#[test]
fn regions_fit_into_the_machine_whoever_touches_them() {
    workload(Bytes::gib(64), vec![]).check(&r810()).unwrap();
    let one_byte_more = Bytes(Bytes::gib(64).0 + 1);
    let (place, problem) = refused(&workload(one_byte_more, vec![]), &r810());
    assert_eq!(place, "machine `test`");
    let needed = Bytes(Bytes::gib(64).0 + 4096);
    let (available, nodes) = (Bytes::gib(64), nodes("0-3"));
    assert_eq!(problem, Problem::TooLarge { needed, available, nodes });
}

#[test]
fn sizes_that_overflow_a_sum_are_too_large() {
    let mut huge = workload(Bytes(u64::MAX), vec![]);
    huge.processes.push(huge.processes[0].clone());
    assert_eq!(huge.memory(), Bytes(u64::MAX));
    assert!(matches!(refused(&huge, &r810()).1, Problem::TooLarge { .. }));
}

#[test]
fn bound_memory_fits_where_it_is_bound() {
    let gib = |n| Bytes::gib(n);
    let both = |a: &str, first, b: &str, second| {
        let steps = vec![bind(a), sweep(gib(0), first), bind(b), sweep(first, second)];
        workload(gib(40), steps).check(&r810())
    };
    both("0", gib(16), "1", gib(16)).unwrap();
    assert!(both("0", gib(17), "1", gib(1)).is_err());
    assert!(both("0", gib(10), "0", gib(7)).is_err());
    // Each set alone holds its part; node 0 and nodes 0-1 together do not hold both.
    both("0-1", gib(20), "0", gib(12)).unwrap();
    assert!(both("0-1", gib(20), "0", gib(13)).is_err());
}

#[test]
fn only_the_first_touch_of_a_page_needs_memory() {
    let all = sweep(Bytes::ZERO, Bytes::gib(20));
    // Touched before the binding, by the same thread or by its creator before it was created.
    workload(Bytes::gib(20), vec![all.clone(), bind("0"), all.clone()]).check(&r810()).unwrap();
    let before = vec![all.clone(), bind("0"), spawn(vec![all.clone()])];
    workload(Bytes::gib(20), before).check(&r810()).unwrap();
    // Inherited, and touched by nobody before.
    let inherited = vec![bind("0"), spawn(vec![all.clone()]), Step::Join];
    assert!(matches!(problem_of(inherited), Problem::TooLarge { .. }));
    // Either of two threads may be first, one of them unbound.
    let race = vec![spawn(vec![bind("0"), all.clone()]), spawn(vec![all])];
    workload(Bytes::gib(20), race).check(&r810()).unwrap();
}

fn problem_of(steps: Vec<Step>) -> Problem {
    refused(&workload(Bytes::gib(20), steps), &r810()).1
}

#[test]
fn interleaved_and_preferred_memory_goes_elsewhere_when_a_node_is_full() {
    let prefers = MemoryPolicy::Preferred(homenode_topology::NodeId(1));
    for policy in [MemoryPolicy::Interleave(nodes("0")), prefers] {
        let steps = vec![Step::SetPolicy(policy), sweep(Bytes::ZERO, Bytes::gib(40))];
        workload(Bytes::gib(40), steps).check(&r810()).unwrap();
    }
}

#[test]
fn barriers_that_are_met_pass() {
    let meet = || spawn(vec![barrier(0, 3), Step::Compute(Nanos(1)), barrier(0, 3), barrier(1, 3)]);
    let with_main = vec![meet(), meet(), barrier(0, 3), barrier(0, 3), barrier(1, 3), Step::Join];
    workload(Bytes::gib(1), with_main).check(&r810()).unwrap();
    // Four threads meet in twos.
    let pairs = (0..4).map(|_| spawn(vec![barrier(0, 2)])).collect();
    workload(Bytes::gib(1), pairs).check(&r810()).unwrap();
}

#[test]
fn barriers_that_block_for_ever_are_refused() {
    let never = |waiting, parties| Problem::NeverMet { waiting, parties };
    let at = |id: u32| format!("process `p`, barrier {id}");
    let few = vec![spawn(vec![barrier(4, 3)]), spawn(vec![barrier(4, 3)]), Step::Join];
    assert_eq!(problem(few), (at(4), never(2, 3)));
    // The creator joins before it comes to the barrier.
    let joined = vec![spawn(vec![barrier(0, 2)]), Step::Join, barrier(0, 2)];
    assert_eq!(problem(joined), (at(0), never(1, 2)));
    // Each waits where the other does not.
    let crossed = [[0, 1], [1, 0]].map(|[a, b]| spawn(vec![barrier(a, 2), barrier(b, 2)])).to_vec();
    assert_eq!(problem(crossed), (at(0), never(1, 2)));
    let differ = vec![spawn(vec![barrier(0, 2)]), barrier(0, 1)];
    assert!(matches!(problem(differ).1, Problem::PartiesDiffer { .. }));
}
