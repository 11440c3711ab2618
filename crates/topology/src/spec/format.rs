//! The one-line description of a machine.

use std::collections::{BTreeMap, BTreeSet};

use super::{Performance, parse, value};
use crate::{
    Bandwidth, Bytes, CoreId, Distances, LOCAL_DISTANCE, Machine, NodeId, NodeMask, SocketId,
};

/// The description that [`parse`] turns into this machine, apart from its name and the sources of its
/// figures; `None` if there is none (CPUs of no node, another numbering or cache layout, offline CPUs).
/// A machine without performance is given none, so that it gets the assumed one.
#[must_use]
pub fn format(machine: &Machine) -> Option<String> {
    let nodes: NodeMask = machine.nodes.iter().map(|node| node.id).collect();
    let mut items = vec![format!("nodes={}", shown_nodes(&nodes))];
    let sockets: BTreeSet<SocketId> = machine.cpus.iter().map(|cpu| cpu.socket).collect();
    if sockets.len() != machine.cpu_nodes().len() {
        items.push(format!("sockets={}", sockets.len()));
    }
    let cores = |id| cores(machine, id).len();
    let threads = |id| match cores(id) {
        0 => None,
        cores => Some(machine.node(id)?.cpus.len() / cores),
    };
    let size = |size: Bytes| value::shown_size(size.0);
    per_node(&mut items, "cores", &nodes, |id| Some(cores(id).to_string()));
    per_node(&mut items, "threads", &nodes, |id| threads(id).map(|n| n.to_string()));
    per_node(&mut items, "memory", &nodes, |id| machine.node(id).map(|node| size(node.memory)));
    per_node(&mut items, "llc", &nodes, |id| machine.node(id).map(|node| size(node.llc)));
    items.push(format!("distance={}", shown_distances(&machine.distances, &nodes)));
    if let Some(performance) = &machine.performance {
        add_performance(&mut items, performance);
    }
    let line = items.join(" ");
    let same = parse(&line)
        .is_ok_and(|parsed| comparable(parsed, machine) == comparable(machine.clone(), machine));
    same.then_some(line)
}

/// A machine without what a description does not state. `like` tells whether performance is stated.
fn comparable(mut machine: Machine, like: &Machine) -> Machine {
    machine.name.clear();
    let nodes: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
    let stated = std::mem::take(&mut machine.distances);
    for &from in &nodes {
        for &to in &nodes {
            machine.distances.set(from, to, stated.get(from, to));
        }
    }
    machine.performance = machine.performance.filter(|_| like.performance.is_some());
    if let Some(performance) = &mut machine.performance {
        performance.sources.clear();
        performance.links.except.sort_by_key(|&(from, to, _)| (from, to));
    }
    machine
}

fn cores(machine: &Machine, node: NodeId) -> BTreeSet<CoreId> {
    machine.cpus.iter().filter(|cpu| cpu.node == Some(node)).map(|cpu| cpu.core).collect()
}

fn shown_nodes(nodes: &NodeMask) -> String {
    let list = nodes.to_string();
    match nodes.last() {
        Some(last) if last.index() + 1 == nodes.len() => nodes.len().to_string(),
        Some(last) if nodes.len() == 1 => format!("{list}-{}", last.0),
        _ => list,
    }
}

/// Adds `key=` with the value of most nodes, and `key@list=` for each other value.
fn per_node(
    items: &mut Vec<String>,
    key: &str,
    nodes: &NodeMask,
    value_of: impl Fn(NodeId) -> Option<String>,
) {
    let mut groups: BTreeMap<String, NodeMask> = BTreeMap::new();
    for id in nodes.iter() {
        if let Some(value) = value_of(id) {
            groups.entry(value).or_default().insert(id);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, nodes)| (std::cmp::Reverse(nodes.len()), nodes.first()));
    for (index, (value, nodes)) in groups.iter().enumerate() {
        items.push(if index == 0 {
            format!("{key}={value}")
        } else {
            format!("{key}@{nodes}={value}")
        });
    }
}

fn shown_distances(distances: &Distances, nodes: &NodeMask) -> String {
    let pairs = || nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to)));
    let local = nodes.first().map_or(LOCAL_DISTANCE, |id| distances.get(id, id));
    let remote =
        pairs().find(|(from, to)| from != to).map_or(20, |(from, to)| distances.get(from, to));
    if pairs().all(|(from, to)| distances.get(from, to) == if from == to { local } else { remote })
    {
        return format!("{local}/{remote}");
    }
    let row = |from| {
        let row = nodes.iter().map(|to| distances.get(from, to).to_string());
        row.collect::<Vec<_>>().join(",")
    };
    nodes.iter().map(row).collect::<Vec<_>>().join(";")
}

fn add_performance(items: &mut Vec<String>, performance: &Performance) {
    let rate = |rate: Bandwidth| value::shown_size(rate.0) + "/s";
    items.push(format!("controller={}", rate(performance.controller)));
    for (node, &exception) in &performance.controller_of {
        items.push(format!("controller@{}={}", node.0, rate(exception)));
    }
    items.push(format!("link={}", rate(performance.links.each)));
    for &(from, to, exception) in &performance.links.except {
        items.push(format!("link@{}>{}={}", from.0, to.0, rate(exception)));
    }
    items.push(format!("stream={}", rate(performance.core_stream)));
    items.push(format!(
        "latency={}/{}ns",
        performance.local_latency_ns, performance.remote_latency_ns
    ));
    items.push(format!("queue={}ns", performance.queue_ns));
    items.push(format!("smt={}", performance.smt.full_core));
    items.push(format!("clock={}MHz", performance.clock_mhz));
}
