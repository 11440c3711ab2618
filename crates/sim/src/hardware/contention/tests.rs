use homenode_topology::spec;
use proptest::prelude::*;

use super::{Contention, Layout};

const LOCAL_SHARE: f64 = 0.25;

fn contention(text: &str) -> Contention {
    let machine = spec::parse(text).unwrap();
    let layout = Layout::new(&machine);
    Contention::new(&machine, machine.performance.as_ref().unwrap(), &layout, LOCAL_SHARE)
}

/// Two nodes, controllers of 10 and links of 4 GB/s, one stream of 5 GB/s.
fn two_nodes() -> Contention {
    contention(
        "nodes=2 cores=8 controller=10GB/s link=4GB/s stream=5GB/s latency=100/150ns queue=10ns",
    )
}

fn solved(mut contention: Contention, demand: &[f64]) -> Contention {
    let capacity = contention.controllers().to_vec();
    contention.solve(demand, &capacity);
    contention
}

/// Bytes a nanosecond that a node's controllers serve.
fn load(contention: &Contention, demand: &[f64], to: usize) -> f64 {
    let nodes = contention.controllers().len();
    (0..nodes).map(|from| demand[from * nodes + to] * contention.rate(from, to)).sum()
}

#[test]
fn a_lone_stream_runs_at_the_speed_of_its_core() {
    let idle = two_nodes();
    assert!((idle.rate(0, 0) - 5.0).abs() < 1e-6, "{}", idle.rate(0, 0));
    assert!((idle.latency(0, 0) - 100.0).abs() < 1e-6);
    let remote = 5.0 * 100.0 / 150.0;
    assert!((idle.rate(0, 1) - remote).abs() < 1e-6, "{}", idle.rate(0, 1));
}

#[test]
fn latency_follows_the_directed_distance() {
    let idle = contention("nodes=2 distance@0>1=20 distance@1>0=40 latency=100/150ns");
    assert!((idle.latency(0, 1) - 150.0).abs() < 1e-6);
    assert!((idle.latency(1, 0) - 250.0).abs() < 1e-6);
}

#[test]
fn a_saturated_controller_serves_exactly_its_rate() {
    for streams in [20.0, 100.0, 1000.0] {
        let demand = [streams, 0.0, 0.0, 0.0];
        let full = solved(two_nodes(), &demand);
        let load = load(&full, &demand, 0);
        assert!(load <= 10.0 + 1e-6 && load > 9.0, "{streams} streams get {load}");
    }
    let demand = [1e6, 0.0, 0.0, 0.0];
    assert!((load(&solved(two_nodes(), &demand), &demand, 0) - 10.0).abs() < 1e-3);
}

#[test]
fn a_busy_controller_serves_its_own_node_first() {
    let demand = [4.0, 0.0, 4.0, 0.0];
    let wide = contention(
        "nodes=2 cores=8 controller=10GB/s link=40GB/s stream=5GB/s latency=100/100ns queue=10ns",
    );
    let busy = solved(wide.clone(), &demand);
    assert!((wide.rate(0, 0) - wide.rate(1, 0)).abs() < 1e-6, "alike while idle");
    let ratio = busy.rate(0, 0) / busy.rate(1, 0);
    assert!(ratio > 1.5 && ratio < 1.0 / LOCAL_SHARE, "{ratio}");
}

#[test]
fn a_link_caps_its_class_and_leaves_the_rest_to_others() {
    let demand = [1.0, 0.0, 6.0, 0.0];
    let busy = solved(two_nodes(), &demand);
    assert!((6.0 * busy.rate(1, 0) - 4.0).abs() < 1e-6, "the link carries 4 GB/s");
    let alone = solved(two_nodes(), &[1.0, 0.0, 0.0, 0.0]).rate(0, 0);
    assert!(busy.rate(0, 0) > 0.9 * alone.min(6.0), "{} of {alone}", busy.rate(0, 0));
}

/// No queueing below saturation is a limit of the model, not an absence of limits.
#[test]
fn a_controller_without_queueing_delay_is_still_limited() {
    let demand = [8.0, 0.0, 0.0, 0.0];
    let sharp = contention("nodes=2 cores=8 controller=10GB/s stream=5GB/s queue=0ns");
    let load = load(&solved(sharp, &demand), &demand, 0);
    assert!((load - 10.0).abs() < 0.01, "{load}");
}

#[test]
fn a_copy_waits_for_its_read_and_its_write() {
    let idle = two_nodes();
    let (read, write) = (idle.rate(0, 0), idle.rate(0, 1));
    assert!((1.0 / idle.copy_rate(0, 0, 1) - 1.0 / read - 1.0 / write).abs() < 1e-9);
}

proptest! {
    /// Load never exceeds the capacity of a controller or link, and more demand slows everybody.
    #[test]
    fn rates_stay_within_capacity_and_fall_with_demand(
        machine in homenode_topology::arbitrary::machine(),
        streams in prop::collection::vec(prop_oneof![Just(0.0), 0.01..50.0f64], 36),
        more in 0usize..36,
    ) {
        let layout = Layout::new(&machine);
        let performance = machine.performance.as_ref().unwrap();
        let fresh = Contention::new(&machine, performance, &layout, LOCAL_SHARE);
        let nodes = layout.nodes.len();
        let mut demand = streams[..nodes * nodes].to_vec();
        let before = solved(fresh.clone(), &demand);
        for to in 0..nodes {
            prop_assert!(load(&before, &demand, to) <= before.controllers()[to] * (1.0 + 1e-5));
            for from in 0..nodes {
                let class = from * nodes + to;
                let flow = before.rate(from, to) * demand[class];
                prop_assert!(before.rate(from, to) > 0.0);
                prop_assert!(demand[class] < 1.0 || flow <= before.links()[class] * (1.0 + 1e-9));
            }
        }
        demand[more % (nodes * nodes)] += 1.0;
        let after = solved(before.clone(), &demand);
        for class in 0..nodes * nodes {
            let (from, to) = (class / nodes, class % nodes);
            prop_assert!(after.rate(from, to) <= before.rate(from, to) * (1.0 + 1e-5));
        }
    }

    /// The root found does not depend on where the search starts.
    #[test]
    fn the_last_load_does_not_matter(first in 0.0..200.0f64, then in 0.0..200.0f64) {
        let demand = [then, 0.0, then / 3.0, 0.0];
        let cold = solved(two_nodes(), &demand);
        let warm = solved(solved(two_nodes(), &[first, 0.0, 0.0, 0.0]), &demand);
        prop_assert!((warm.rate(0, 0) / cold.rate(0, 0) - 1.0).abs() < 1e-4);
        prop_assert!((warm.rate(1, 0) / cold.rate(1, 0) - 1.0).abs() < 1e-4);
    }
}
