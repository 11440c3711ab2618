use homenode_balance::tree;
use homenode_topology::{Bytes, spec};
use homenode_workload::preset::{Params, find};

use super::*;

/// Mean elapsed time of a small `numa02` over some seeds, with quanta of at most `longest` ns.
fn elapsed(policy: &str, thp: bool, longest: u64) -> f64 {
    let text = "nodes=4 cores=2 threads=2 memory=1GiB controller=5GiB/s stream=3GiB/s link=6GiB/s";
    let machine = spec::parse(text).unwrap();
    let params = Params { size: Some(Bytes::mib(256)), loops: Some(600), ..Params::default() };
    let workload = find("numa02").unwrap().build(&machine, Default::default(), &params).unwrap();
    let calibration = Calibration::shipped().unwrap();
    let seeds = 1..=6;
    let runs = seeds.clone().map(|seed| {
        let time_limit = Nanos::secs(10_000);
        let setup = Setup {
            machine: &machine,
            workload: &workload,
            calibration: &calibration,
            seed,
            thp,
            time_limit,
        };
        let mut run = Run::new(&setup, tree::build(policy, &machine).unwrap(), None).unwrap();
        run.longest = longest;
        to_the_end(run, &setup).unwrap().elapsed.as_secs_f64()
    });
    runs.sum::<f64>() / seeds.count() as f64
}

/// The quantum is fine enough: half of it gives the same times.
#[test]
fn half_the_quantum_changes_little() {
    for (policy, thp) in [("mainline", true), ("balancenuma", true), ("balancenuma", false)] {
        let (whole, half) = (elapsed(policy, thp, QUANTUM), elapsed(policy, thp, QUANTUM / 2));
        let change = half / whole - 1.0;
        assert!(change.abs() < 0.04, "{policy}, thp {thp}: {whole} s, then {half} s");
    }
}
