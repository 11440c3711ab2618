//! CPUs of a sysfs tree: which are online, and their cores, sockets and caches.

use std::collections::BTreeMap;

use super::tree::Tree;
use crate::read::MOST_CPUS;
use crate::{Bytes, CoreId, Cpu, CpuId, CpuMask, Node, SocketId};

/// CPUs that exist, by state.
pub(super) struct States {
    pub(super) online: CpuMask,
    pub(super) offline: CpuMask,
}

/// Finds out which CPUs exist and which are online.
pub(super) fn states(tree: &mut Tree<'_>, nodes: &[Node]) -> States {
    let folders: CpuMask = tree.numbered("cpu", "cpu", MOST_CPUS);
    let of_nodes: CpuMask = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
    let summary: Option<CpuMask> = tree.list("cpu/online", MOST_CPUS);
    let present: Option<CpuMask> = tree.list("cpu/present", MOST_CPUS);
    let possible: Option<CpuMask> = tree.list("cpu/possible", MOST_CPUS);
    let mut known = folders.union(&of_nodes);
    if known.is_empty() {
        known = summary.clone().unwrap_or_default();
    }
    let mut online = CpuMask::new();
    for cpu in known.iter() {
        let path = format!("cpu/cpu{}/online", cpu.0);
        let is_online = match tree.number::<u8>(&path) {
            Some(state) => state != 0,
            None if of_nodes.contains(cpu) => true,
            None => summary.as_ref().is_none_or(|summary| summary.contains(cpu)),
        };
        if is_online {
            online.insert(cpu);
        } else if of_nodes.contains(cpu) {
            tree.warn(&path, "a node lists this CPU though it is offline: it is left out");
        }
    }
    if let Some(summary) = summary.filter(|summary| *summary != online) {
        let problem = format!(
            "says `{summary}`, the files of CPUs and nodes say `{online}`: the latter are believed"
        );
        tree.warn("cpu/online", problem);
    }
    for (name, list) in [("cpu/present", &present), ("cpu/possible", &possible)] {
        let absent = list.as_ref().map(|list| online.difference(list));
        if let Some(absent) = absent.filter(|absent| !absent.is_empty()) {
            tree.warn(name, format!("leaves out the CPUs {absent}, which are online"));
        }
    }
    let offline = known.union(&present.unwrap_or_default()).difference(&online);
    States { online, offline }
}

/// Describes the online CPUs, and states the size of each one's last-level cache where it is known. The
/// mask of a cache that is not known is left empty.
pub(super) fn read(
    tree: &mut Tree<'_>,
    online: &CpuMask,
    nodes: &[Node],
) -> (Vec<Cpu>, BTreeMap<CpuId, Bytes>) {
    let mut cpus = Vec::new();
    let mut sizes = BTreeMap::new();
    let mut cores = Cores::default();
    let sockets = Sockets::read(tree, online, nodes);
    let (mut coreless, mut uncached) = (CpuMask::new(), CpuMask::new());
    for id in online.iter() {
        let core = cores.of(tree, id, sockets.packages.get(&id).copied());
        if core.is_none() {
            coreless.insert(id);
        }
        let llc = match llc(tree, id) {
            Some((size, sharing)) => {
                sizes.insert(id, size);
                let mut sharing = sharing.intersection(online);
                sharing.insert(id);
                sharing
            }
            None => {
                uncached.insert(id);
                CpuMask::new()
            }
        };
        let node = nodes.iter().position(|node| node.cpus.contains(id));
        cpus.push(Cpu {
            id,
            node: node.map(|position| nodes[position].id),
            core: cores.number(core.unwrap_or(id)),
            socket: sockets.of(id, node),
            llc,
        });
    }
    let unknowns = [
        (coreless, "cores", "each is taken for a core of its own"),
        (
            sockets.unknown(online),
            "sockets",
            "that of the node's other CPUs is assumed, or one of the node's own",
        ),
        (uncached, "caches", "the CPUs of a node are taken to share one of unknown size"),
    ];
    for (unknown, what, assumed) in unknowns {
        if !unknown.is_empty() {
            tree.warn("cpu", format!("the {what} of the CPUs {unknown} are not stated: {assumed}"));
        }
    }
    (cpus, sizes)
}

/// Packages of the CPUs whose package is stated, and what follows for the others.
struct Sockets {
    packages: BTreeMap<CpuId, u16>,
    /// For each position of a node: a package of its CPUs, if one is stated.
    of_nodes: Vec<Option<u16>>,
    /// The lowest number above all stated packages.
    next: u16,
}

impl Sockets {
    fn read(tree: &mut Tree<'_>, online: &CpuMask, nodes: &[Node]) -> Self {
        let mut packages = BTreeMap::new();
        for cpu in online.iter() {
            if let Some(package) = package(tree, cpu) {
                packages.insert(cpu, package);
            }
        }
        let of_node = |node: &Node| node.cpus.iter().find_map(|cpu| packages.get(&cpu).copied());
        let of_nodes = nodes.iter().map(of_node).collect();
        let next = packages.values().max().map_or(0, |highest| highest.saturating_add(1));
        Self { packages, of_nodes, next }
    }

    fn of(&self, cpu: CpuId, node: Option<usize>) -> SocketId {
        let stated = self.packages.get(&cpu).copied();
        let position = node.unwrap_or(0);
        SocketId(stated.or(self.of_nodes.get(position).copied().flatten()).unwrap_or_else(|| {
            let position = u16::try_from(position).unwrap_or(u16::MAX);
            self.next.saturating_add(position)
        }))
    }

    fn unknown(&self, online: &CpuMask) -> CpuMask {
        online.iter().filter(|cpu| !self.packages.contains_key(cpu)).collect()
    }
}

/// Package of a CPU; the kernel's -1 stands for unknown.
fn package(tree: &mut Tree<'_>, cpu: CpuId) -> Option<u16> {
    let path = format!("cpu/cpu{}/topology/physical_package_id", cpu.0);
    let number: i64 = tree.number(&path)?;
    u16::try_from(number).ok()
}

/// Cores as they come up, each known by its lowest CPU.
#[derive(Default)]
struct Cores {
    by_id: BTreeMap<(u16, u32), CpuId>,
    numbers: BTreeMap<CpuId, CoreId>,
}

impl Cores {
    /// The lowest CPU of the core that `cpu` is a thread of.
    fn of(&mut self, tree: &mut Tree<'_>, cpu: CpuId, package: Option<u16>) -> Option<CpuId> {
        let folder = format!("cpu/cpu{}/topology", cpu.0);
        let path = format!("{folder}/thread_siblings_list");
        let siblings: Option<CpuMask> = tree.list(&path, MOST_CPUS);
        match siblings {
            Some(siblings) if siblings.contains(cpu) => return siblings.first(),
            Some(siblings) => {
                tree.warn(&path, format!("`{siblings}` leaves out CPU {}: ignored", cpu.0));
            }
            None => {}
        }
        let core: u32 = tree.number(&format!("{folder}/core_id"))?;
        Some(*self.by_id.entry((package?, core)).or_insert(cpu))
    }

    /// A number of the core that is unique over the machine.
    fn number(&mut self, lowest: CpuId) -> CoreId {
        let next = CoreId::from(self.numbers.len());
        *self.numbers.entry(lowest).or_insert(next)
    }
}

/// Size of a CPU's last-level cache, and the CPUs that share it.
fn llc(tree: &mut Tree<'_>, cpu: CpuId) -> Option<(Bytes, CpuMask)> {
    let folder = format!("cpu/cpu{}/cache", cpu.0);
    let indexes: crate::Mask<usize> = tree.numbered(&folder, "index", 64);
    let mut levels = Vec::new();
    for index in indexes.iter() {
        if let Some(level) = tree.number::<u8>(&format!("{folder}/index{index}/level")) {
            levels.push((level, index));
        }
    }
    let (_, index) = levels.into_iter().max()?;
    let sharing = tree.list(&format!("{folder}/index{index}/shared_cpu_list"), MOST_CPUS)?;
    let size = tree.text(&format!("{folder}/index{index}/size")).as_deref().and_then(cache_size);
    Some((size.unwrap_or_default(), sharing))
}

/// `18432K`, `8M`.
fn cache_size(text: &str) -> Option<Bytes> {
    let (digits, unit) = match text.strip_suffix('M') {
        Some(digits) => (digits, 1 << 20),
        None => (text.strip_suffix('K')?, 1 << 10),
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(unit).map(Bytes)
}
