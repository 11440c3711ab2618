//! Nodes of a sysfs tree: their CPUs, memory and distances.

use super::memory;
use super::tree::Tree;
use crate::read::{MOST_CPUS, MOST_NODES};
use crate::{Bytes, CpuMask, Distances, LOCAL_DISTANCE, Node, NodeId, NodeMask};

/// Nodes as their folders describe them, with all the CPUs they list.
pub(super) fn read(tree: &mut Tree<'_>) -> Vec<Node> {
    let folders: NodeMask = tree.numbered("node", "node", MOST_NODES);
    let zones = memory::Zones::read(tree);
    let mut taken = CpuMask::new();
    let mut nodes = Vec::new();
    for id in folders.iter() {
        let folder = format!("node/node{}", id.0);
        let listed = match tree.list(&format!("{folder}/cpulist"), MOST_CPUS) {
            Some(cpus) => cpus,
            None => tree.numbered(&folder, "cpu", MOST_CPUS),
        };
        let twice = listed.intersection(&taken);
        if !twice.is_empty() {
            let problem =
                format!("CPUs {twice} are listed by a lower node too: they are left to that one");
            tree.warn(&format!("{folder}/cpulist"), problem);
        }
        let cpus = listed.difference(&taken);
        taken = taken.union(&listed);
        let memory = memory::of_node(tree, id, &zones);
        nodes.push(Node { id, cpus, memory, llc: Bytes::ZERO });
    }
    nodes
}

/// The node of a kernel that knows of no nodes.
pub(super) fn lone(tree: &mut Tree<'_>, cpus: CpuMask) -> Vec<Node> {
    tree.warn("node", "no folder `nodeN`: taken for one node with all CPUs and all memory");
    vec![Node { id: NodeId(0), cpus, memory: memory::of_machine(tree), llc: Bytes::ZERO }]
}

/// Warns where a summary list says otherwise than the nodes' own files, which are believed.
pub(super) fn check_summaries(tree: &mut Tree<'_>, nodes: &[Node], online: Option<&NodeMask>) {
    let all: NodeMask = nodes.iter().map(|node| node.id).collect();
    let with_cpus: NodeMask = nodes.iter().filter(|n| !n.cpus.is_empty()).map(|n| n.id).collect();
    let with_memory: NodeMask =
        nodes.iter().filter(|n| n.memory > Bytes::ZERO).map(|n| n.id).collect();
    let has_cpu = tree.list("node/has_cpu", MOST_NODES);
    let has_memory = tree.list("node/has_memory", MOST_NODES);
    let claims = [
        ("node/online", "are online", online, &all),
        ("node/has_cpu", "have CPUs", has_cpu.as_ref(), &with_cpus),
        ("node/has_memory", "have memory", has_memory.as_ref(), &with_memory),
    ];
    for (path, meaning, claim, truth) in claims {
        if let Some(claim) = claim.filter(|&claim| claim != truth) {
            let (claim, truth) = (shown(claim), shown(truth));
            let problem = format!(
                "says that the nodes {claim} {meaning}, their folders say {truth}: the folders are believed"
            );
            tree.warn(path, problem);
        }
    }
    if let Some(possible) = tree.list::<NodeId>("node/possible", MOST_NODES) {
        let impossible = all.difference(&possible);
        if !impossible.is_empty() {
            tree.warn(
                "node/possible",
                format!("leaves out the nodes {impossible}, which are there"),
            );
        }
    }
}

fn shown(nodes: &NodeMask) -> String {
    if nodes.is_empty() { "(none)".to_owned() } else { format!("`{nodes}`") }
}

/// Distances from each node's own row: one figure for each online node, in ascending order.
pub(super) fn distances(
    tree: &mut Tree<'_>,
    nodes: &[Node],
    online: Option<&NodeMask>,
) -> Distances {
    let here: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let online: Vec<NodeId> = online.map(|online| online.iter().collect()).unwrap_or_default();
    let mut distances = Distances::new();
    for &from in &here {
        let path = format!("node/node{}/distance", from.0);
        let Some(text) = tree.text(&path) else {
            if here.len() > 1 {
                tree.warn(&path, "missing: 10 to itself and 20 to others is assumed");
            }
            continue;
        };
        let Ok(row) = text.split_whitespace().map(str::parse).collect::<Result<Vec<u16>, _>>()
        else {
            tree.warn(&path, format!("expected distances, found `{text}`: 10 and 20 are assumed"));
            continue;
        };
        let columns = match row.len() {
            n if n == here.len() => &here,
            n if n == online.len() => &online,
            n => {
                let problem =
                    format!("expected {} distances, found {n}: 10 and 20 are assumed", here.len());
                tree.warn(&path, problem);
                continue;
            }
        };
        for (&to, &distance) in columns.iter().zip(&row).filter(|(to, _)| here.contains(to)) {
            if distance < LOCAL_DISTANCE {
                let problem = format!("the distance {distance} to {to} is below 10: ignored");
                tree.warn(&path, problem);
            } else {
                distances.set(from, to, distance);
            }
        }
    }
    distances
}
