//! Counts of accesses by virtual CPU and node of the memory.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::options::Node;

/// Where physical addresses as QEMU's plugin API gives them belong.
pub(crate) struct Map {
    /// Start and end of each node's memory, in the API's addresses.
    spans: Vec<(u64, u64)>,
    /// Node of each virtual CPU.
    cpus: Vec<Option<usize>>,
}

impl Map {
    /// `stride` is 2 where the API counts a block's offset twice (QEMU up to 8), else 1.
    pub(crate) fn new(nodes: &[Node], stride: u64) -> Self {
        let mut start = 0;
        let spans = nodes
            .iter()
            .map(|node| {
                let span = (start * stride, start * stride + node.bytes);
                start += node.bytes;
                span
            })
            .collect();
        let mut cpus = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if let Some((first, last)) = node.cpus {
                cpus.resize(cpus.len().max(last + 1), None);
                cpus[first..=last].fill(Some(index));
            }
        }
        Self { spans, cpus }
    }

    /// The node that holds this address.
    pub(crate) fn node(&self, address: u64) -> Option<usize> {
        self.spans.iter().position(|&(start, end)| (start..end).contains(&address))
    }

    /// The node of a virtual CPU.
    pub(crate) fn node_of_cpu(&self, cpu: usize) -> Option<usize> {
        self.cpus.get(cpu).copied().flatten()
    }
}

/// Accesses of one virtual CPU; on cache lines of its own, since only its thread writes here.
#[repr(align(128))]
struct CpuCounts {
    loads: Vec<AtomicU64>,
    stores: Vec<AtomicU64>,
    elsewhere: AtomicU64,
}

/// All counts since the start.
pub(crate) struct Counts {
    cpus: Vec<CpuCounts>,
}

/// A copy of the counts at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Accesses by CPU and node.
    by_cpu: Vec<Vec<u64>>,
    stores: u64,
    elsewhere: u64,
}

/// Adds one; exact because each counter has one writer.
fn bump(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

impl Counts {
    /// Zeroes for the CPUs and nodes of `map`.
    pub(crate) fn new(map: &Map) -> Self {
        let zeroes = || map.spans.iter().map(|_| AtomicU64::new(0)).collect();
        let cpu = |_| CpuCounts { loads: zeroes(), stores: zeroes(), elsewhere: AtomicU64::new(0) };
        Self { cpus: map.cpus.iter().map(cpu).collect() }
    }

    /// Counts one access; memory on no node counts as `elsewhere`.
    pub(crate) fn add(&self, cpu: usize, node: Option<usize>, store: bool) {
        let Some(counts) = self.cpus.get(cpu) else { return };
        let by_node = if store { &counts.stores } else { &counts.loads };
        bump(node.and_then(|node| by_node.get(node)).unwrap_or(&counts.elsewhere));
    }

    /// The counts now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for cpu in &self.cpus {
            let pairs = cpu.loads.iter().zip(&cpu.stores);
            snapshot.by_cpu.push(pairs.map(|(l, s)| l.load(Relaxed) + s.load(Relaxed)).collect());
            snapshot.stores += cpu.stores.iter().map(|count| count.load(Relaxed)).sum::<u64>();
            snapshot.elsewhere += cpu.elsewhere.load(Relaxed);
        }
        snapshot
    }
}

impl Snapshot {
    /// Local and remote accesses, their ratio, and the counts of each CPU by node since `before`, as
    /// `key=value` words.
    pub(crate) fn since(&self, before: &Self, map: &Map) -> String {
        let (mut local, mut remote) = (0, 0);
        let mut by_cpu = String::new();
        for (cpu, counts) in self.by_cpu.iter().enumerate() {
            let earlier = before.by_cpu.get(cpu);
            let _ = write!(by_cpu, " cpu{cpu}=");
            for (node, &count) in counts.iter().enumerate() {
                let count = count - earlier.and_then(|earlier| earlier.get(node)).unwrap_or(&0);
                if map.node_of_cpu(cpu) == Some(node) {
                    local += count;
                } else {
                    remote += count;
                }
                let _ = write!(by_cpu, "{}{count}", if node == 0 { "" } else { "," });
            }
        }
        let total = local + remote;
        let ratio = if total == 0 { 0.0 } else { local as f64 / total as f64 };
        format!(
            "local={local} remote={remote} ratio={ratio:.4} stores={} elsewhere={}{by_cpu}",
            self.stores - before.stores,
            self.elsewhere - before.elsewhere,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Vec<Node> {
        let node = |bytes, cpus| Node { bytes, cpus };
        vec![
            node(100, Some((0, 1))),
            node(0, Some((2, 2))),
            node(50, None),
            node(100, Some((3, 3))),
        ]
    }

    #[test]
    fn addresses_belong_to_nodes() {
        let map = Map::new(&nodes(), 1);
        let found: Vec<_> = [0, 99, 100, 149, 150, 249, 250].map(|a| map.node(a)).to_vec();
        let expected = [Some(0), Some(0), Some(2), Some(2), Some(3), Some(3), None];
        assert_eq!(found, expected);
    }

    #[test]
    fn doubled_offsets_leave_gaps_that_belong_to_none() {
        let map = Map::new(&nodes(), 2);
        let found: Vec<_> = [99, 100, 200, 249, 250, 300, 399, 400].map(|a| map.node(a)).to_vec();
        let expected = [Some(0), None, Some(2), Some(2), None, Some(3), Some(3), None];
        assert_eq!(found, expected);
    }

    #[test]
    fn cpus_belong_to_nodes() {
        let map = Map::new(&nodes(), 1);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|cpu| map.node_of_cpu(cpu)),
            [Some(0), Some(0), Some(1), Some(3), None]
        );
    }

    #[test]
    fn a_line_counts_since_the_line_before() {
        let map = Map::new(&nodes(), 1);
        let counts = Counts::new(&map);
        counts.add(0, Some(3), false);
        let before = counts.snapshot();
        counts.add(0, Some(0), true);
        counts.add(0, Some(0), false);
        counts.add(2, Some(0), false);
        counts.add(3, Some(3), true);
        counts.add(3, None, false);
        counts.add(9, Some(0), false);
        assert_eq!(
            counts.snapshot().since(&before, &map),
            "local=3 remote=1 ratio=0.7500 stores=2 elsewhere=1 cpu0=2,0,0,0 cpu1=0,0,0,0 cpu2=1,0,0,0 cpu3=0,0,0,1"
        );
    }
}
