use homenode_sim::Calibration;
use homenode_topology::{Bandwidth, Bytes, Machine, presets, spec};
use homenode_workload::{
    Build,
    preset::{Params, find},
};

use super::*;
use crate::{BoundKind, bound};

fn r810() -> Machine {
    let mut machine = presets::find("r810").unwrap();
    machine.performance.as_mut().unwrap().controller = Bandwidth((4.6 * 1_073_741_824.0) as u64);
    machine
}

fn elapsed(setup: &Setup<'_>, tree: &str) -> Nanos {
    run(setup, tree::build(tree, setup.machine).unwrap(), None).unwrap().elapsed
}

fn setup<'a>(
    machine: &'a Machine,
    workload: &'a Workload,
    calibration: &'a Calibration,
) -> Setup<'a> {
    let time_limit = Nanos::secs(10_000);
    Setup { machine, workload, calibration, seed: 0, thp: true, time_limit }
}

/// The bound, the best static placement and interleave of a preset, in this order of time; and the time
/// as the program is written.
fn ladder(machine: &Machine, name: &str, params: &Params) -> [f64; 4] {
    let calibration = Calibration::shipped().unwrap();
    let build = |build| find(name).unwrap().build(machine, build, params).unwrap();
    let (written, spread) = (build(Build::AsWritten), build(Build::Interleave));
    let bound = bound(machine, &written).unwrap();
    let best = best_static(&setup(machine, &written, &calibration)).unwrap();
    let interleave = elapsed(&setup(machine, &spread, &calibration), "interleave");
    let mainline = elapsed(&setup(machine, &written, &calibration), "mainline");
    assert!(best.tried.len() <= 4 && best.tried.iter().any(|tried| tried.elapsed.is_some()));
    assert_eq!(best.workload.swept(), written.swept());
    let times = [bound.elapsed, best.elapsed, interleave, mainline].map(Nanos::as_secs_f64);
    println!("{name}: {times:?}, {} of {:?}", best.description, best.tried);
    assert!(times[0] <= times[1] && times[1] <= times[2] && times[1] <= times[3], "{times:?}");
    times
}

#[test]
fn numa01_on_the_machine_of_the_published_tables() {
    let [bound, best, interleave, mainline] = ladder(&r810(), "numa01", &Params::default());
    assert!((bound / 399.0 - 1.0).abs() < 0.01);
    assert!(best < 1.25 * bound && interleave < 1.3 * bound, "{best} {interleave}");
    assert!(mainline > 3.0 * bound, "{mainline}");
}

#[test]
fn slices_are_found_and_put_beside_their_threads() {
    for name in ["numa01-thread-alloc", "numa02", "numa02-smt"] {
        let [bound, best, ..] = ladder(&r810(), name, &Params::default());
        assert!(best < 1.2 * bound, "{name}: {best} against {bound}");
    }
}

#[test]
fn one_node_leaves_nothing_to_gain() {
    let machine = spec::parse("nodes=1 cores=8 controller=4GiB/s stream=4GiB/s").unwrap();
    let params = Params { loops: Some(40), ..Params::default() };
    let [bound, best, _, mainline] = ladder(&machine, "numa02", &params);
    assert!(mainline / best < 1.01 && mainline / bound < 1.15, "{mainline} {best} {bound}");
}

#[test]
fn slow_links_keep_each_process_on_few_nodes() {
    // Both processes on all nodes would send three quarters of their traffic over links of 0.2 GiB/s.
    let machine =
        spec::parse("nodes=2 cores=8 memory=8GiB controller=4GiB/s stream=2GiB/s link=0.2GiB/s")
            .unwrap();
    let params = Params { size: Some(Bytes::mib(256)), loops: Some(20), ..Params::default() };
    let [bound, best, interleave, _] = ladder(&machine, "numa01", &params);
    assert!(best < 1.3 * bound && interleave > 2.0 * best, "{bound} {best} {interleave}");
}

#[test]
fn slow_controllers_get_less() {
    let machine = spec::parse(
        "nodes=2 cores=8 memory=8GiB controller@0=6GiB/s controller@1=2GiB/s stream=2GiB/s \
         link=4GiB/s",
    )
    .unwrap();
    let params = Params { size: Some(Bytes::mib(512)), loops: Some(20), ..Params::default() };
    let [bound, best, interleave, _] = ladder(&machine, "numa01", &params);
    assert!(best < 0.9 * interleave, "{bound} {best} {interleave}");
}

#[test]
fn memory_that_does_not_fit_where_it_should_is_placed_elsewhere() {
    // Node 1 holds 1 GiB of the 4.
    let machine =
        spec::parse("nodes=2 cores=4 memory@0=8GiB memory@1=1GiB controller=4GiB/s").unwrap();
    let params = Params { size: Some(Bytes::gib(4)), loops: Some(5), ..Params::default() };
    let load = find("numa02").unwrap().build(&machine, Build::AsWritten, &params).unwrap();
    let calibration = Calibration::shipped().unwrap();
    let best = best_static(&setup(&machine, &load, &calibration)).unwrap();
    assert!(best.run.processes[0].resident[1] * 4096 <= 1 << 30);
    assert!(best.elapsed <= elapsed(&setup(&machine, &load, &calibration), "mainline"));
    assert_ne!(bound(&machine, &load).unwrap().kind, BoundKind::Chain);
}

#[test]
fn the_same_inputs_give_the_same_placement() {
    let machine = r810();
    let calibration = Calibration::shipped().unwrap();
    let params = Params { loops: Some(4), ..Params::default() };
    let load = find("numa01").unwrap().build(&machine, Build::AsWritten, &params).unwrap();
    let once = best_static(&setup(&machine, &load, &calibration)).unwrap();
    let again = best_static(&Setup { seed: 7, ..setup(&machine, &load, &calibration) }).unwrap();
    assert_eq!((once.run, once.workload, once.tried), (again.run, again.workload, again.tried));
}
