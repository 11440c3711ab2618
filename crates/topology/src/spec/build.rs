//! From the items of a one-line description to the machine.

use std::collections::BTreeMap;

use super::item::{Item, Piece};
use super::{Error, Performance, distance, value};
use crate::read::{MOST_CPUS, MOST_NODES, share_llc_by_node};
use crate::{
    Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, Machine, Node, NodeId, NodeMask, SocketId,
};

/// What is said of one node.
#[derive(Clone, Copy)]
struct Shape {
    cores: usize,
    threads: usize,
    memory: Bytes,
    llc: Bytes,
}

const UNSTATED: Shape = Shape { cores: 1, threads: 1, memory: Bytes::gib(16), llc: Bytes::mib(16) };

/// Everything that is said, each item applied over the defaults.
struct Draft<'a> {
    whole: Piece<'a>,
    shapes: BTreeMap<NodeId, Shape>,
    sockets: Option<Piece<'a>>,
    offline: Option<Piece<'a>>,
    distances: Distances,
    performance: Performance,
}

pub(super) fn machine(text: &str, items: &[Item<'_>]) -> Result<Machine, Error> {
    let nodes = nodes(items)?;
    let mut draft = Draft {
        whole: Piece { whole: text, text, at: 0 },
        shapes: nodes.iter().map(|id| (id, UNSTATED)).collect(),
        sockets: None,
        offline: None,
        distances: distance::default(&nodes),
        performance: Performance::generic(),
    };
    for item in items.iter().filter(|item| item.scope.is_none()) {
        draft.apply_to_all(&nodes, *item)?;
    }
    for item in items {
        if let Some(scope) = item.scope {
            draft.apply_to(scope, &nodes, *item)?;
        }
    }
    draft.build()
}

/// The nodes there are; all other items refer to them.
fn nodes(items: &[Item<'_>]) -> Result<NodeMask, Error> {
    let Some(item) = items.iter().find(|item| item.key.text == "nodes") else {
        return Ok([NodeId(0)].into_iter().collect());
    };
    let value = item.value;
    if !value.text.contains(['-', ',']) {
        let count = value::count(value, 1, MOST_NODES)?;
        return Ok((0..count).map(NodeId::from).collect());
    }
    let nodes: NodeMask = list(value)?;
    match nodes.last() {
        Some(last) if last.index() < MOST_NODES => Ok(nodes),
        _ => Err(value.expected(&format!("node ids below {MOST_NODES}"))),
    }
}

/// A list in the kernel's syntax.
fn list<I: Copy + From<usize> + Into<usize>>(piece: Piece<'_>) -> Result<crate::Mask<I>, Error> {
    let list: crate::Mask<I> =
        piece.text.parse().map_err(|_| piece.expected("a list such as `0-3,8`"))?;
    if list.is_empty() { Err(piece.expected("a list such as `0-3,8`")) } else { Ok(list) }
}

/// Nodes that a scope names; each must be there.
fn scope_nodes(scope: Piece<'_>, nodes: &NodeMask) -> Result<NodeMask, Error> {
    let named: NodeMask = list(scope)?;
    match named.difference(nodes).first() {
        None => Ok(named),
        Some(absent) => Err(scope.wrong(format!("there is no node {}; nodes: {nodes}", absent.0))),
    }
}

/// Ordered pairs that a scope names, `0-1>4`; a node is no pair with itself.
fn scope_pairs(scope: Piece<'_>, nodes: &NodeMask) -> Result<Vec<(NodeId, NodeId)>, Error> {
    let (from, to) = scope.split_once('>').ok_or_else(|| {
        scope.expected("a pair of nodes such as `0>1`, or of lists such as `0-1>2`")
    })?;
    let (from, to) = (scope_nodes(from, nodes)?, scope_nodes(to, nodes)?);
    let pairs: Vec<_> = from
        .iter()
        .flat_map(|from| to.iter().map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
        .collect();
    if pairs.is_empty() { Err(scope.expected("two different nodes")) } else { Ok(pairs) }
}

impl Shape {
    /// Sets what `key` stands for; `None` if it is no property of a node.
    fn set(&mut self, key: &str, value: Piece<'_>) -> Option<Result<(), Error>> {
        Some(match key {
            "cores" => value::count(value, 0, MOST_CPUS).map(|n| self.cores = n),
            "threads" => value::count(value, 1, 16).map(|n| self.threads = n),
            "memory" => value::size(value).map(|size| self.memory = size),
            "llc" => value::size(value).map(|size| self.llc = size),
            _ => return None,
        })
    }
}

impl<'a> Draft<'a> {
    fn apply_to_all(&mut self, nodes: &NodeMask, item: Item<'a>) -> Result<(), Error> {
        let value = item.value;
        let performance = &mut self.performance;
        match item.key.text {
            "sockets" => self.sockets = Some(value),
            "offline" => self.offline = Some(value),
            "distance" => self.distances = distance::all(value, nodes)?,
            "controller" => performance.controller = value::rate(value)?,
            "link" => performance.links.each = value::rate(value)?,
            "stream" => performance.core_stream = value::rate(value)?,
            "latency" => {
                (performance.local_latency_ns, performance.remote_latency_ns) =
                    value::latencies(value)?;
            }
            "queue" => performance.queue_ns = value::nanoseconds(value)?,
            "smt" => performance.smt.full_core = value::decimal(value, 0.5, 16.0)?,
            "clock" => performance.clock_mhz = value::clock(value)?,
            key => {
                for shape in self.shapes.values_mut() {
                    shape.set(key, value).transpose()?;
                }
            }
        }
        Ok(())
    }

    fn apply_to(
        &mut self,
        scope: Piece<'a>,
        nodes: &NodeMask,
        item: Item<'a>,
    ) -> Result<(), Error> {
        let value = item.value;
        match item.key.text {
            "distance" => {
                let distance = distance::figure(value)?;
                for (from, to) in scope_pairs(scope, nodes)? {
                    self.distances.set(from, to, distance);
                }
            }
            "link" => {
                let rate = value::rate(value)?;
                let except = &mut self.performance.links.except;
                for (from, to) in scope_pairs(scope, nodes)? {
                    except.retain(|&(f, t, _)| (f, t) != (from, to));
                    except.push((from, to, rate));
                }
            }
            "controller" => {
                let rate = value::rate(value)?;
                let named = scope_nodes(scope, nodes)?;
                self.performance.controller_of.extend(named.iter().map(|id| (id, rate)));
            }
            key => {
                let named = scope_nodes(scope, nodes)?;
                for (_, shape) in self.shapes.iter_mut().filter(|(id, _)| named.contains(**id)) {
                    match shape.set(key, value) {
                        Some(done) => done?,
                        None => {
                            return Err(scope.wrong(format!("`{key}` holds for the whole machine")));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn build(self) -> Result<Machine, Error> {
        let cpus: usize = self.shapes.values().map(|shape| shape.cores * shape.threads).sum();
        if cpus == 0 || cpus > MOST_CPUS {
            return Err(self
                .whole
                .wrong(format!("the machine has {cpus} CPUs: at most {MOST_CPUS}, at least 1")));
        }
        let mut cpus = number(&self.cores()?);
        let offline = match self.offline {
            None => CpuMask::new(),
            Some(piece) => offline(piece, &cpus)?,
        };
        cpus.retain(|cpu| !offline.contains(cpu.id));
        share_llc_by_node(&mut cpus);
        let nodes = self.shapes.iter().map(|(&id, shape)| Node {
            id,
            cpus: cpus.iter().filter(|cpu| cpu.node == Some(id)).map(|cpu| cpu.id).collect(),
            memory: shape.memory,
            llc: shape.llc,
        });
        Ok(Machine {
            name: self.whole.text.split_whitespace().collect::<Vec<_>>().join(" "),
            nodes: nodes.collect(),
            cpus,
            offline,
            distances: self.distances,
            performance: Some(self.performance),
        })
    }

    /// Node, socket and threads of each core, in the order of core numbers.
    fn cores(&self) -> Result<Vec<(NodeId, SocketId, usize)>, Error> {
        let with_cpus: Vec<(NodeId, Shape)> = self
            .shapes
            .iter()
            .filter(|(_, shape)| shape.cores > 0)
            .map(|(&id, &shape)| (id, shape))
            .collect();
        let nodes = with_cpus.len();
        let sockets = match self.sockets {
            None => nodes,
            Some(piece) => {
                let sockets = value::count(piece, 1, MOST_CPUS)?;
                let fits = nodes.is_multiple_of(sockets)
                    || sockets.is_multiple_of(nodes)
                        && with_cpus
                            .iter()
                            .all(|(_, shape)| shape.cores.is_multiple_of(sockets / nodes));
                if !fits {
                    return Err(piece.wrong(format!(
                        "{nodes} nodes with CPUs cannot be shared evenly by {sockets} sockets"
                    )));
                }
                sockets
            }
        };
        let mut cores = Vec::new();
        for (index, (id, shape)) in with_cpus.into_iter().enumerate() {
            for core in 0..shape.cores {
                let within = core * sockets.div_ceil(nodes) / shape.cores;
                let socket = SocketId::from(index * sockets / nodes + within);
                cores.push((id, socket, shape.threads));
            }
        }
        Ok(cores)
    }
}

/// Numbers the CPUs: the first threads of all cores, then the second threads, and so on.
fn number(cores: &[(NodeId, SocketId, usize)]) -> Vec<Cpu> {
    let most_threads = cores.iter().map(|&(_, _, threads)| threads).max().unwrap_or(0);
    let threads = (0..most_threads).flat_map(|thread| {
        cores.iter().enumerate().filter(move |(_, (_, _, threads))| thread < *threads)
    });
    let cpus = threads.enumerate().map(|(cpu, (core, &(node, socket, _)))| Cpu {
        id: CpuId::from(cpu),
        node: Some(node),
        core: CoreId::from(core),
        socket,
        llc: CpuMask::new(),
    });
    cpus.collect()
}

fn offline(piece: Piece<'_>, cpus: &[Cpu]) -> Result<CpuMask, Error> {
    let offline: CpuMask = list(piece)?;
    let all: CpuMask = cpus.iter().map(|cpu| cpu.id).collect();
    if !offline.is_subset(&all) {
        return Err(piece.wrong(format!("the machine has no other CPUs than {all}")));
    }
    if offline == all {
        return Err(piece.wrong("at least one CPU must stay online"));
    }
    Ok(offline)
}
