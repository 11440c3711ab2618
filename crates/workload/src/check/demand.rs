//! Memory a workload needs, and the nodes that may hold it.

use std::collections::BTreeMap;

use homenode_topology::{Bytes, Machine, NodeId, NodeMask, PAGE};

use crate::{MemoryPolicy, Part, Problem, Process, Step, Thread, Workload};

/// Nodes that may hold a page, in ascending order.
type Holders = Vec<NodeId>;

/// All regions together fit into the machine, and what is bound fits where it is bound to.
///
/// Which thread touches a page first is known only where one step is certainly before the other; a page
/// counts as bound to the nodes that any of its possible first touchers may use. So what is refused
/// here could not have run, while a bad race may still fill a node.
pub(super) fn check(workload: &Workload, machine: &Machine) -> Result<(), Problem> {
    let all: Holders = machine.memory_nodes().iter().collect();
    let regions = workload.processes.iter().flat_map(|process| &process.regions);
    let whole: u128 =
        regions.map(|region| u128::from(region.size.pages()) * u128::from(PAGE.0)).sum();
    fits(whole, &all, machine)?;

    let mut needs: BTreeMap<Holders, u128> = BTreeMap::new();
    for process in &workload.processes {
        for (holders, bytes) in process_needs(process, machine) {
            *needs.entry(holders).or_default() += bytes;
        }
    }
    for holders in needs.keys() {
        let inside = |other: &Holders| other.iter().all(|node| holders.contains(node));
        let bytes = needs.iter().filter(|(other, _)| inside(other)).map(|(_, bytes)| bytes).sum();
        fits(bytes, holders, machine)?;
    }
    Ok(())
}

fn fits(needed: u128, holders: &[NodeId], machine: &Machine) -> Result<(), Problem> {
    let memory = |&node: &NodeId| machine.node(node).map_or(0, |node| u128::from(node.memory.0));
    let available: u128 = holders.iter().map(memory).sum();
    if needed <= available {
        return Ok(());
    }
    let bytes = |n: u128| Bytes(u64::try_from(n).unwrap_or(u64::MAX));
    Err(Problem::TooLarge {
        needed: bytes(needed),
        available: bytes(available),
        nodes: holders.iter().copied().collect(),
    })
}

/// Bytes of a process by the nodes that may hold them.
fn process_needs(process: &Process, machine: &Machine) -> BTreeMap<Holders, u128> {
    let memory = machine.memory_nodes();
    let mut touches: Vec<Touches> = process.regions.iter().map(|_| Touches::default()).collect();
    let start = Walk { policy: &MemoryPolicy::Default, done: vec![Vec::new(); touches.len()] };
    walk(process, &process.main, start, &memory, &mut touches);
    let mut needs = BTreeMap::new();
    for touches in touches {
        touches.add_to(&mut needs);
    }
    needs
}

/// What is certain when a thread takes a step.
#[derive(Clone)]
struct Walk<'a> {
    policy: &'a MemoryPolicy,
    /// For each region, the parts that have certainly been touched.
    done: Vec<Vec<Part>>,
}

fn walk<'a>(
    process: &'a Process,
    thread: &'a Thread,
    mut now: Walk<'a>,
    memory: &NodeMask,
    touches: &mut [Touches],
) {
    for step in &thread.steps {
        match step {
            Step::SetPolicy(policy) => now.policy = policy,
            Step::Spawn(child) => walk(process, child, now.clone(), memory, touches),
            Step::Sweep { region, part, .. } | Step::Random { region, part, .. } => {
                let own = &process.regions[*region].policy;
                let policy = if *own == MemoryPolicy::Default { now.policy } else { own };
                let holders = match policy.placement() {
                    MemoryPolicy::Bind(nodes) => nodes.intersection(memory),
                    _ => memory.clone(),
                };
                for new in untouched(*part, &now.done[*region]) {
                    touches[*region].add(new, &holders);
                    now.done[*region].push(new);
                }
            }
            _ => {}
        }
    }
}

/// What of a part is in none of the others.
fn untouched(part: Part, done: &[Part]) -> Vec<Part> {
    let between = |start: Bytes, end: Bytes| Part { start, length: end.saturating_sub(start) };
    let mut left = vec![part];
    for old in done {
        left = left
            .into_iter()
            .flat_map(|new| {
                [
                    between(new.start, new.end().min(old.start)),
                    between(new.start.max(old.end()), new.end()),
                ]
            })
            .filter(|new| new.length > Bytes::ZERO)
            .collect();
    }
    left
}

/// Possible first touches of a region: where one starts (+1) or ends (-1), and who may hold it.
#[derive(Default)]
struct Touches {
    edges: BTreeMap<u64, BTreeMap<Holders, i64>>,
}

impl Touches {
    fn add(&mut self, part: Part, holders: &NodeMask) {
        let holders: Holders = holders.iter().collect();
        let starts = self.edges.entry(part.start.0).or_default();
        *starts.entry(holders.clone()).or_default() += 1;
        *self.edges.entry(part.end().0).or_default().entry(holders).or_default() -= 1;
    }

    /// Adds the bytes of each stretch under the union of all who may hold it.
    fn add_to(self, needs: &mut BTreeMap<Holders, u128>) {
        let mut open: BTreeMap<Holders, i64> = BTreeMap::new();
        let mut from = 0;
        for (at, changes) in self.edges {
            let union: NodeMask = open
                .iter()
                .filter(|(_, n)| **n > 0)
                .flat_map(|(holders, _)| holders)
                .copied()
                .collect();
            if !union.is_empty() {
                *needs.entry(union.iter().collect()).or_default() += u128::from(at - from);
            }
            for (holders, change) in changes {
                *open.entry(holders).or_default() += change;
            }
            open.retain(|_, n| *n > 0);
            from = at;
        }
    }
}
