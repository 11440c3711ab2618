//! Random machines for property tests, odd ones included.
//!
//! Every machine has 1 to 6 nodes with gaps in their ids, at least one online CPU and at least one node
//! with memory; it may have nodes without CPUs or without memory, offline CPUs, CPUs of no node, and
//! distances that differ by direction. Memory is small (1 to 64 MiB a node) so that tests are fast.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::subsequence;

use crate::{
    Bandwidth, Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, LOCAL_DISTANCE, LinkRates, Machine,
    Node, NodeId, Performance, Smt, SocketId,
};

const MOST_NODES: usize = 6;
const HIGHEST_NODE: u16 = 9;
const MOST_CORES: usize = 4;

/// One node before its CPUs are numbered.
#[derive(Clone, Debug)]
struct Draft {
    id: NodeId,
    cores: usize,
    memory: Bytes,
}

/// Random machines as the module describes, all CPUs on a node and online.
pub fn machine() -> impl Strategy<Value = Machine> {
    let ids = subsequence((0..=HIGHEST_NODE).collect::<Vec<_>>(), 1..=MOST_NODES);
    ids.prop_flat_map(|ids| {
        let count = ids.len();
        let cores = vec(0..=MOST_CORES, count);
        let memory = vec(0..=64u64, count);
        let distances = vec(LOCAL_DISTANCE + 1..=60, count * count);
        (Just(ids), cores, memory, 1..=2usize, any::<bool>(), distances, performance(count))
    })
    .prop_map(|(ids, cores, memory, threads, adjacent, distances, performance)| {
        let mut drafts: Vec<Draft> = ids
            .iter()
            .zip(cores.iter().zip(&memory))
            .map(|(&id, (&cores, &memory))| Draft {
                id: NodeId(id),
                cores,
                memory: Bytes::mib(memory),
            })
            .collect();
        make_usable(&mut drafts);
        let performance = for_nodes(performance, &drafts);
        build(&drafts, threads, adjacent, &distances, performance)
    })
}

/// Random machines of [`machine`] in which some CPUs are offline or belong to no node. One CPU at least
/// stays as it is.
pub fn machine_with_stray_cpus() -> impl Strategy<Value = Machine> {
    let fates = vec(0..8u8, MOST_NODES * MOST_CORES * 2);
    (machine(), fates).prop_map(|(mut machine, fates)| {
        let fate_of =
            |cpu: CpuId| if cpu.0 == 0 { u8::MAX } else { fates[cpu.index() % fates.len()] };
        machine.offline = machine.online().iter().filter(|&cpu| fate_of(cpu) == 0).collect();
        machine.cpus.retain(|cpu| fate_of(cpu.id) != 0);
        for cpu in &mut machine.cpus {
            cpu.llc = cpu.llc.difference(&machine.offline);
            if fate_of(cpu.id) == 1 {
                cpu.node = None;
            }
        }
        for node in &mut machine.nodes {
            node.cpus = cpus_of(&machine.cpus, node.id);
        }
        machine
    })
}

/// Sees to it that a CPU and some memory exist, and that no node has neither.
fn make_usable(drafts: &mut [Draft]) {
    for draft in drafts.iter_mut() {
        if draft.cores == 0 && draft.memory == Bytes::ZERO {
            draft.memory = Bytes::mib(1);
        }
    }
    if drafts.iter().all(|draft| draft.cores == 0) {
        drafts[0].cores = 1;
    }
    if drafts.iter().all(|draft| draft.memory == Bytes::ZERO) {
        drafts[0].memory = Bytes::mib(8);
    }
}

fn build(
    drafts: &[Draft],
    threads: usize,
    adjacent: bool,
    distances: &[u16],
    performance: Performance,
) -> Machine {
    let cores: usize = drafts.iter().map(|draft| draft.cores).sum();
    let mut cpus = Vec::new();
    let mut core = 0;
    for (socket, draft) in drafts.iter().enumerate() {
        for _ in 0..draft.cores {
            for thread in 0..threads {
                let id = if adjacent { core * threads + thread } else { thread * cores + core };
                cpus.push(Cpu {
                    id: CpuId::from(id),
                    node: Some(draft.id),
                    core: CoreId::from(core),
                    socket: SocketId::from(socket),
                    llc: CpuMask::new(),
                });
            }
            core += 1;
        }
    }
    cpus.sort_by_key(|cpu| cpu.id);
    for index in 0..cpus.len() {
        cpus[index].llc =
            cpus.iter().filter(|cpu| cpu.node == cpus[index].node).map(|cpu| cpu.id).collect();
    }
    let mut table = Distances::new();
    for (i, from) in drafts.iter().enumerate() {
        for (j, to) in drafts.iter().enumerate() {
            let distance = if i == j { LOCAL_DISTANCE } else { distances[i * drafts.len() + j] };
            table.set(from.id, to.id, distance);
        }
    }
    let nodes = drafts.iter().map(|draft| Node {
        id: draft.id,
        cpus: cpus_of(&cpus, draft.id),
        memory: draft.memory,
        llc: if draft.cores == 0 { Bytes::ZERO } else { Bytes::mib(1) },
    });
    Machine {
        name: "random".to_owned(),
        nodes: nodes.collect(),
        cpus,
        offline: CpuMask::new(),
        distances: table,
        performance: Some(performance),
    }
}

fn cpus_of(cpus: &[Cpu], node: NodeId) -> CpuMask {
    cpus.iter().filter(|cpu| cpu.node == Some(node)).map(|cpu| cpu.id).collect()
}

/// Random performance; node ids in it are positions until [`for_nodes`] replaces them.
fn performance(nodes: usize) -> impl Strategy<Value = Performance> {
    let position = || (0..nodes).prop_map(NodeId::from);
    let controllers = vec((position(), rate(1..=20)), 0..=2);
    let links = vec((position(), position(), rate(1..=20)), 0..=3);
    let rates = (rate(1..=40), rate(1..=10), rate(1..=20));
    let times = (50..=200u32, 0..=200u32, 0..=50u32);
    (rates, times, controllers, links, 10..=13u32).prop_map(
        |(
            (controller, core_stream, each),
            (local, further, queue),
            controllers,
            links,
            full_core,
        )| {
            Performance {
                controller,
                controller_of: controllers.into_iter().collect(),
                core_stream,
                local_latency_ns: f64::from(local),
                remote_latency_ns: f64::from(local + further),
                links: LinkRates { each, except: links },
                queue_ns: f64::from(queue),
                smt: Smt { full_core: f64::from(full_core) / 10.0 },
                clock_mhz: 2000,
                sources: vec!["all: random".to_owned()],
            }
        },
    )
}

fn rate(gib: RangeInclusive<u64>) -> impl Strategy<Value = Bandwidth> {
    gib.prop_map(|gib| Bandwidth(gib << 30))
}

/// Replaces positions by the ids of the nodes; a link leads to another node and is stated once.
fn for_nodes(mut performance: Performance, drafts: &[Draft]) -> Performance {
    let id = |position: NodeId| drafts[position.index()].id;
    performance.controller_of =
        performance.controller_of.into_iter().map(|(node, rate)| (id(node), rate)).collect();
    let links: BTreeMap<(NodeId, NodeId), Bandwidth> = performance
        .links
        .except
        .into_iter()
        .filter(|(from, to, _)| from != to)
        .map(|(from, to, rate)| ((id(from), id(to)), rate))
        .collect();
    performance.links.except =
        links.into_iter().map(|((from, to), rate)| (from, to, rate)).collect();
    performance
}

#[cfg(test)]
mod tests;
