//! Machines from a sysfs tree, live or captured: `sys/devices/system/{cpu,node}` below any root.
//!
//! What single files say of one CPU or node counts more than the kernel's summary lists (`online`,
//! `has_cpu`, ...); where they contradict each other there is a warning. Files that are missing or damaged
//! are worked around with a warning too: only a folder without any CPU is an error.
//!
//! | property | from | if that is missing |
//! |---|---|---|
//! | CPUs | folders `cpu/cpuN`, and `node/nodeN/cpulist` | `cpu/online` |
//! | online | `cpu/cpuN/online`, else listed by a node | `cpu/online`, else yes |
//! | nodes | folders `node/nodeN` | one node 0 with all CPUs |
//! | node of a CPU | `node/nodeN/cpulist`, else links `node/nodeN/cpuM` | none |
//! | memory | `node/nodeN/meminfo` | managed pages in `proc/zoneinfo`; of a lone node, `proc/meminfo` |
//! | distances | `node/nodeN/distance`, one figure for each online node | 10 and 20 |
//! | cores | `topology/thread_siblings_list`, else `physical_package_id` and `core_id` | each CPU its own |
//! | sockets | `topology/physical_package_id` | one a node |
//! | last-level cache | the highest `cache/indexN/level` | one for a node's CPUs in a socket, of unknown size |

mod cpus;
mod memory;
mod nodes;
mod tree;

use std::path::Path;

use crate::read::{MOST_NODES, Read, share_llc_by_node, warn_of_asymmetry};
use crate::{CpuMask, Error, Machine};
use tree::Tree;

/// Reads the tree below `root`: `/` for this machine, or a folder with a captured `sys/devices/system`.
///
/// # Errors
/// [`Error::Io`] if `root` cannot be listed, [`Error::NotSysfs`] if there is no CPU below it.
pub fn read(root: &Path) -> Result<Read, Error> {
    std::fs::read_dir(root).map_err(|cause| Error::Io { path: root.to_owned(), cause })?;
    let mut tree = Tree::new(root);
    let mut nodes = nodes::read(&mut tree);
    let states = cpus::states(&mut tree, &nodes);
    if states.online.is_empty() {
        return Err(Error::NotSysfs { root: root.to_owned() });
    }
    if nodes.is_empty() {
        nodes = nodes::lone(&mut tree, states.online.clone());
    }
    let (mut cpus, llc_sizes) = cpus::read(&mut tree, &states.online, &nodes);
    share_llc_by_node(&mut cpus);
    for node in &mut nodes {
        node.cpus = cpus.iter().filter(|cpu| cpu.node == Some(node.id)).map(|cpu| cpu.id).collect();
        let sizes = node.cpus.iter().filter_map(|cpu| llc_sizes.get(&cpu).copied());
        node.llc = sizes.max().unwrap_or_default();
    }
    let online = tree.list("node/online", MOST_NODES);
    nodes::check_summaries(&mut tree, &nodes, online.as_ref());
    let distances = nodes::distances(&mut tree, &nodes, online.as_ref());
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    warn_of_asymmetry(&ids, &distances, "node", &mut tree.warnings);
    warn_of_stray_cpus(
        &mut tree,
        &cpus.iter().filter(|cpu| cpu.node.is_none()).map(|cpu| cpu.id).collect(),
    );
    let machine = Machine {
        name: root.display().to_string(),
        nodes,
        cpus,
        offline: states.offline,
        distances,
        performance: None,
    };
    Ok(Read { machine, warnings: tree.warnings })
}

fn warn_of_stray_cpus(tree: &mut Tree<'_>, stray: &CpuMask) {
    if !stray.is_empty() {
        tree.warn("cpu", format!("no node lists the online CPUs {stray}: they belong to none"));
    }
}

#[cfg(test)]
mod tests;
