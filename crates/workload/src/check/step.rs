//! Steps one by one: parts inside regions, nodes that exist and can serve.

use homenode_topology::{Bytes, Machine, NodeMask};

use super::Found;
use crate::{MemoryPolicy, Part, Problem, Process, Region, Step, Thread};

/// Checks every step of every thread of a process.
pub(super) fn check(process: &Process, machine: &Machine) -> Result<(), Found> {
    thread(process, &process.main, "first thread", "thread ", machine)
}

/// `name` says which thread this is; its children are called `children` and their number.
fn thread(
    process: &Process,
    this: &Thread,
    name: &str,
    children: &str,
    machine: &Machine,
) -> Result<(), Found> {
    let mut created = 0;
    for (i, step) in this.steps.iter().enumerate() {
        if let Step::Spawn(child) = step {
            created += 1;
            let name = format!("{children}{created}");
            thread(process, child, &name, &format!("{name}."), machine)?;
        }
        let checked = alone(step, &process.regions, machine);
        checked.map_err(|problem| (format!("{name}, step {}", i + 1), problem))?;
    }
    Ok(())
}

/// Checks a step of a process with these regions by itself.
pub(crate) fn alone(step: &Step, regions: &[Region], machine: &Machine) -> Result<(), Problem> {
    match step {
        Step::Sweep { passes: 0, .. } | Step::Random { lines: 0, .. } => Err(Problem::NoAccess),
        Step::Sweep { region, part, .. } | Step::Random { region, part, .. } => {
            inside(regions, *region, *part)
        }
        Step::SetPolicy(new) => policy(new, machine),
        Step::RunOn(nodes) => run_on(nodes, machine),
        Step::Barrier { parties: 0, .. } => Err(Problem::NoParties),
        Step::Barrier { .. } | Step::Compute(_) | Step::Sleep(_) | Step::Spawn(_) | Step::Join => {
            Ok(())
        }
    }
}

fn inside(regions: &[Region], region: usize, part: Part) -> Result<(), Problem> {
    let unknown = Problem::UnknownRegion { region, regions: regions.len() };
    let region = regions.get(region).ok_or(unknown)?;
    if part.length == Bytes::ZERO {
        return Err(Problem::NoAccess);
    }
    if part.end() > region.size {
        let (region, size) = (region.name.clone(), region.size.0);
        return Err(Problem::OutsideRegion { region, size, end: part.end().0 });
    }
    Ok(())
}

fn run_on(nodes: &NodeMask, machine: &Machine) -> Result<(), Problem> {
    known(nodes, machine)?;
    if nodes.intersection(&machine.cpu_nodes()).is_empty() {
        let with = machine.cpu_nodes();
        return Err(Problem::NodesWithoutCpus { nodes: nodes.clone(), with });
    }
    Ok(())
}

/// Nodes of a policy exist, and one at least has memory.
pub(crate) fn policy(policy: &MemoryPolicy, machine: &Machine) -> Result<(), Problem> {
    let nodes = match policy.placement() {
        MemoryPolicy::Bind(nodes) | MemoryPolicy::Interleave(nodes) => nodes.clone(),
        MemoryPolicy::Preferred(node) => [*node].into_iter().collect(),
        MemoryPolicy::Default | MemoryPolicy::Local | MemoryPolicy::MigrateOnFault(_) => {
            return Ok(());
        }
    };
    known(&nodes, machine)?;
    if nodes.intersection(&machine.memory_nodes()).is_empty() {
        let with = machine.memory_nodes();
        return Err(Problem::NodesWithoutMemory { nodes, with });
    }
    Ok(())
}

fn known(nodes: &NodeMask, machine: &Machine) -> Result<(), Problem> {
    let machine: NodeMask = machine.nodes.iter().map(|node| node.id).collect();
    if nodes.is_subset(&machine) {
        return Ok(());
    }
    Err(Problem::UnknownNodes { nodes: nodes.difference(&machine), machine })
}
