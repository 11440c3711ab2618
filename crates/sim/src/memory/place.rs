//! On which node a page lands at its first touch.

use homenode_workload::MemoryPolicy;

use super::Pool;
use crate::hardware::Layout;

/// The node for `pages` new base pages under a policy, first touched from node `here` at page `index`
/// of its mapping; `None` if no allowed node has room.
pub(crate) fn place(
    policy: &MemoryPolicy,
    here: usize,
    index: u64,
    pages: u64,
    pool: &Pool,
    layout: &Layout,
) -> Option<usize> {
    let has_room = |&node: &usize| pool.free(node) >= pages;
    let nearest = |allowed: &dyn Fn(usize) -> bool| {
        layout.zonelist[here].iter().copied().filter(|&node| allowed(node)).find(has_room)
    };
    match policy.placement() {
        MemoryPolicy::Bind(set) => nearest(&|node| set.contains(layout.nodes[node])),
        MemoryPolicy::Interleave(set) => {
            let nodes: Vec<usize> = set.iter().filter_map(|id| layout.node_slot(id)).collect();
            let turn = usize::try_from(index / pages).unwrap_or(0) % nodes.len().max(1);
            let in_turn = nodes.iter().cycle().skip(turn).take(nodes.len()).copied();
            in_turn.clone().find(has_room).or_else(|| nearest(&|_| true))
        }
        MemoryPolicy::Preferred(id) => {
            layout.node_slot(*id).filter(has_room).or_else(|| nearest(&|_| true))
        }
        MemoryPolicy::Default | MemoryPolicy::Local | MemoryPolicy::MigrateOnFault(_) => {
            nearest(&|_| true)
        }
    }
}

#[cfg(test)]
mod tests;
