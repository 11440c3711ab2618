//! Steps one by one: parts inside regions, nodes that exist and can serve.

use homenode_topology::{Machine, NodeMask};

use super::Found;
use crate::{MemoryPolicy, Part, Problem, Process, Step, Thread};

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
        let checked = match step {
            Step::Sweep { region, part, .. } | Step::Random { region, part, .. } => {
                inside(process, *region, *part)
            }
            Step::SetPolicy(new) => policy(new, machine),
            Step::RunOn(nodes) => run_on(nodes, machine),
            Step::Barrier { parties: 0, .. } => Err(Problem::NoParties),
            Step::Spawn(child) => {
                created += 1;
                let name = format!("{children}{created}");
                thread(process, child, &name, &format!("{name}."), machine)?;
                Ok(())
            }
            Step::Compute(_) | Step::Sleep(_) | Step::Join | Step::Barrier { .. } => Ok(()),
        };
        checked.map_err(|problem| (format!("{name}, step {}", i + 1), problem))?;
    }
    Ok(())
}

fn inside(process: &Process, region: usize, part: Part) -> Result<(), Problem> {
    let regions = process.regions.len();
    let region = process.regions.get(region).ok_or(Problem::UnknownRegion { region, regions })?;
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
pub(super) fn policy(policy: &MemoryPolicy, machine: &Machine) -> Result<(), Problem> {
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
