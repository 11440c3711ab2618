//! Memory of the nodes of a sysfs tree.

use std::collections::BTreeMap;

use super::tree::Tree;
use crate::{Bytes, NodeId, PAGE};

/// More memory in a node is taken for damage, so that sums cannot overflow: 1 PiB.
const LARGEST: u64 = 1 << 50;

/// Memory by node in `proc/zoneinfo`, for trees that were captured without `meminfo`.
pub(super) struct Zones(BTreeMap<NodeId, Bytes>);

impl Zones {
    pub(super) fn read(tree: &mut Tree<'_>) -> Self {
        let text = tree.text_below_root("proc/zoneinfo").unwrap_or_default();
        let mut zones = BTreeMap::new();
        let mut node = None;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("Node"), Some(id)) => {
                    node = id.trim_end_matches(',').parse().ok().map(NodeId);
                }
                (Some("managed"), Some(pages)) => {
                    let pages: Option<u64> = pages.parse().ok();
                    let size = pages.and_then(|pages| pages.checked_mul(PAGE.0));
                    if let (Some(node), Some(size)) = (node, size) {
                        let memory: &mut Bytes = zones.entry(node).or_default();
                        memory.0 = memory.0.saturating_add(size).min(LARGEST);
                    }
                }
                _ => {}
            }
        }
        Self(zones)
    }
}

/// Memory of a node, zero if it has none or nothing says how much.
pub(super) fn of_node(tree: &mut Tree<'_>, id: NodeId, zones: &Zones) -> Bytes {
    let path = format!("node/node{}/meminfo", id.0);
    let problem = match tree.text(&path) {
        Some(text) => match total(&text) {
            Some(memory) => return memory,
            None => "has no usable line `MemTotal: N kB`",
        },
        None => "missing",
    };
    match zones.0.get(&id) {
        Some(&memory) => {
            tree.warn(&path, format!("{problem}: {memory} by proc/zoneinfo"));
            memory
        }
        None => {
            tree.warn(&path, format!("{problem}: the node is taken to have no memory"));
            Bytes::ZERO
        }
    }
}

/// Memory of a machine without nodes.
pub(super) fn of_machine(tree: &mut Tree<'_>) -> Bytes {
    let memory = tree.text_below_root("proc/meminfo").as_deref().and_then(total);
    if memory.is_none() {
        tree.warn("proc/meminfo", "has no usable line `MemTotal: N kB`: the memory is unknown");
    }
    memory.unwrap_or_default()
}

/// `MemTotal` of `meminfo`, of a node (`Node 0 MemTotal: 16 kB`) or of the machine.
fn total(meminfo: &str) -> Option<Bytes> {
    let value = meminfo.lines().find_map(|line| Some(line.split_once("MemTotal:")?.1))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024).filter(|&bytes| bytes <= LARGEST).map(Bytes)
}
