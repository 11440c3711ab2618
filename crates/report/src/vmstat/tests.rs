use super::{VmstatRow, VmstatRun, VmstatValue};
use crate::mmtests::Edition;

fn run(counters: &[(&str, u64)]) -> VmstatRun {
    VmstatRun {
        elapsed_seconds: 10.0,
        counters: counters.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
    }
}

fn row(name: &str, run: &VmstatRun) -> VmstatValue {
    VmstatRow::all(Edition::Y2013).find(|row| row.name == name).unwrap().value(run)
}

#[test]
fn reclaim_rows() {
    let run = run(&[
        ("pgscan_kswapd_normal", 200),
        ("pgscan_kswapd_dma32", 100),
        ("pgscan_direct_normal", 100),
        ("pgscan_direct_throttle", 999),
        ("pgsteal_kswapd_normal", 200),
        ("pswpout", 3),
        ("nr_vmscan_write", 10),
    ]);
    assert_eq!(row("Kswapd pages scanned", &run), VmstatValue::Count(300));
    assert_eq!(row("Direct pages scanned", &run), VmstatValue::Count(100));
    assert_eq!(row("Kswapd efficiency", &run).print(), "66%");
    assert_eq!(row("Direct efficiency", &run).print(), "0%");
    assert_eq!(row("Kswapd velocity", &run).print(), "30.000");
    assert_eq!(row("Percentage direct scans", &run).print(), "25%");
    assert_eq!(
        (row("Page writes file", &run).number(), row("Page writes anon", &run).number()),
        (7.0, 3.0)
    );
}

#[test]
fn nothing_scanned_is_fully_efficient() {
    let idle = VmstatRun::default();
    assert_eq!(row("Kswapd efficiency", &idle).print(), "100%");
    assert_eq!(row("Kswapd velocity", &idle).print(), "0.000");
    assert_eq!(row("Percentage direct scans", &idle).print(), "0%");
    assert_eq!(row("NUMA hint local percent", &idle).print(), "100");
}

#[test]
fn computed_rows_of_a_mean_follow_from_its_counters() {
    let runs = [run(&[("numa_hint_faults", 1), ("pgfault", 9)]), run(&[("numa_hint_faults", 2)])];
    let mean = VmstatRun::mean(&runs).unwrap();
    assert_eq!(
        (mean.counter("numa_hint_faults"), mean.counter("pgfault"), mean.elapsed_seconds),
        (2, 5, 10.0)
    );
    assert_eq!(VmstatRun::mean(&[]), None);
}

#[test]
fn editions_name_the_block_rows_differently() {
    let names = |edition| VmstatRow::all(edition).map(|row| row.name).collect::<Vec<_>>();
    let (old, new) = (names(Edition::Y2012), names(Edition::Y2013));
    assert_eq!((old.len(), old[0], new[2]), (41, "Page Ins", "Sector Reads"));
    assert!(new.contains(&"Minor Faults") && !old.contains(&"NUMA hint local percent"));
}
