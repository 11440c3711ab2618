use homenode_topology::spec;
use homenode_workload::{
    Access, Build,
    preset::{Params, find},
};

use super::*;
use crate::demand::needs;
use crate::placement::{even, free, interleaved, local};
use crate::segment::segments;

fn nodes(list: &str) -> NodeMask {
    list.parse().unwrap()
}

fn ids(count: u16) -> Vec<NodeId> {
    (0..count).map(NodeId).collect()
}

/// The bytes a cut gives to each node, in MiB.
fn given(pieces: &[Piece], count: u16) -> Vec<f64> {
    let part = |node, piece: &Piece| {
        let share = (piece.end - piece.start) as f64 / piece.nodes.len() as f64 / 1_048_576.0;
        if piece.nodes.contains(node) { share } else { 0.0 }
    };
    ids(count).into_iter().map(|node| pieces.iter().map(|piece| part(node, piece)).sum()).collect()
}

#[test]
fn layers_give_each_node_its_share() {
    let mib = 1 << 20;
    let pieces = layers(0, 64 * mib, &[2.0, 1.0, 1.0], &ids(3));
    assert_eq!(pieces.len(), 2);
    assert_eq!((pieces[0].nodes.clone(), pieces[1].nodes.clone()), (nodes("0-2"), nodes("0")));
    assert_eq!(given(&pieces, 3), [32.0, 16.0, 16.0]);
    assert_eq!(layers(0, mib, &[0.0, 3.0], &ids(2)).len(), 1);
    let uneven = layers(10 * mib, 210 * mib, &[0.0, 1.0, 4.0, 5.0], &ids(4));
    for (given, wanted) in given(&uneven, 4).into_iter().zip([0.0_f64, 20.0, 80.0, 100.0]) {
        assert!((given - wanted).abs() <= 2.0, "{given} MiB, not {wanted} MiB");
    }
}

#[test]
fn slices_become_regions_of_their_owners_nodes() {
    let machine = spec::parse("nodes=2 cores=2 memory=4GiB").unwrap();
    let params = Params { size: Some(Bytes::mib(64)), loops: Some(7), ..Params::default() };
    let load = find("numa01-thread-alloc").unwrap();
    let load = load.build(&machine, Build::AsWritten, &params).unwrap();
    let speed = Speed::new(&machine).unwrap();
    let needs = needs(&load, &speed);
    let segments = segments(&load, &needs, &speed);
    assert_eq!(segments.len(), 4);
    let seats = even(&needs, &speed);
    let new = rewrite(&load, &segments, &local(seats, &segments, &speed), &speed).unwrap();
    new.check(&machine).unwrap();
    // Two threads a process; the first process is on node 0, the second on node 1.
    for (process, node) in new.processes.iter().zip(["0", "1"]) {
        assert_eq!(process.regions.len(), 1);
        assert_eq!(process.regions[0].policy, MemoryPolicy::Bind(nodes(node)));
        let Step::Spawn(thread) = &process.main.steps[0] else { panic!() };
        let whole = Part::whole(Bytes::mib(64));
        let slice = Part::slice(Bytes::mib(64), 0, 2);
        let sweep = |part, passes| Step::Sweep { region: 0, part, passes, access: Access::Clear };
        assert_eq!(thread.steps, [Step::RunOn(nodes(node)), sweep(whole, 1), sweep(slice, 7)]);
    }
}

#[test]
fn a_sweep_over_several_regions_keeps_its_order() {
    let machine = spec::parse("nodes=2 cores=2 memory=4GiB").unwrap();
    let params = Params { size: Some(Bytes::mib(64)), loops: Some(3), ..Params::default() };
    let load = find("numa01").unwrap().build(&machine, Build::AsWritten, &params).unwrap();
    let speed = Speed::new(&machine).unwrap();
    let needs = needs(&load, &speed);
    let segments = segments(&load, &needs, &speed);
    let mut placement = interleaved(free(&needs), &segments, &speed);
    placement.shares = vec![vec![3.0, 1.0]; segments.len()];
    let new = rewrite(&load, &segments, &placement, &speed).unwrap();
    new.check(&machine).unwrap();
    assert_eq!((new.swept(), new.memory()), (load.swept(), load.memory()));
    let Step::Spawn(thread) = &new.processes[0].main.steps[0] else { panic!() };
    let order: Vec<usize> = thread
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Sweep { region, passes: 1, .. } => Some(*region),
            _ => None,
        })
        .collect();
    assert_eq!(order, [0, 1, 0, 1, 0, 1, 0, 1]);
}
