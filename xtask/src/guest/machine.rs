//! Topologies as data, and the machine that QEMU makes of one.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Distance of a node to itself.
const LOCAL: u8 = 10;

/// All topologies, by name.
pub(super) struct Topologies(BTreeMap<String, Topology>);

/// A machine of several nodes; entry `i` of each list is node `i`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topology {
    /// The key it stands under.
    #[serde(skip)]
    pub(super) name: String,
    about: String,
    /// CPUs of each node; CPUs are numbered through in the order of the nodes.
    cpus: Vec<usize>,
    /// Memory of each node, MiB.
    memory_mib: Vec<u64>,
    /// From the CPUs of the row's node to the memory of the column's node.
    distance: Vec<Vec<u8>>,
}

/// A node as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Its CPUs.
    pub(super) cpus: Range<usize>,
    /// Its memory.
    pub(super) memory_mib: u64,
    /// Its row of distances.
    pub(super) distance: Vec<u8>,
}

impl Node {
    /// Its CPUs as the kernel lists them: `0-1`, `4`, or nothing.
    pub(super) fn cpu_list(&self) -> String {
        match self.cpus.len() {
            0 => String::new(),
            1 => self.cpus.start.to_string(),
            _ => format!("{}-{}", self.cpus.start, self.cpus.end - 1),
        }
    }
}

impl Topologies {
    /// Reads and checks the file of topologies.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut all: BTreeMap<String, Topology> = toml::from_str(text)?;
        for (name, topology) in &mut all {
            topology.name.clone_from(name);
            topology.check().with_context(|| format!("topology {name}"))?;
        }
        Ok(Self(all))
    }

    /// The topology of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Topology> {
        self.0.get(name)
    }

    /// All names.
    pub(super) fn names(&self) -> String {
        self.0.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Topologies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(name, topology)| writeln!(f, "topology {name:<18} {}", topology.about))
    }
}

impl Topology {
    fn check(&self) -> Result<()> {
        let nodes = self.cpus.len();
        ensure!(
            self.memory_mib.len() == nodes,
            "memory_mib must have {nodes} entries, as cpus has"
        );
        ensure!(
            self.distance.len() == nodes && self.distance.iter().all(|row| row.len() == nodes),
            "distance must have {nodes} rows of {nodes}"
        );
        for (from, row) in self.distance.iter().enumerate() {
            for (to, &distance) in row.iter().enumerate() {
                ensure!(
                    (distance == LOCAL) == (from == to) && distance >= LOCAL,
                    "distance from {from} to {to} is {distance}: a node is {LOCAL} from itself and \
                     further from any other"
                );
            }
        }
        ensure!(
            self.cpus.is_sorted_by_key(|&cpus| cpus == 0),
            "nodes without CPUs must come last: the kernel numbers the others first"
        );
        ensure!(
            self.cpus.first() > Some(&0) && self.memory_mib.first() > Some(&0),
            "node 0 needs a CPU and memory to boot from"
        );
        Ok(())
    }

    /// The nodes in order.
    pub(super) fn nodes(&self) -> Vec<Node> {
        let mut next = 0;
        let nodes = self.cpus.iter().zip(&self.memory_mib).zip(&self.distance);
        nodes
            .map(|((&cpus, &memory_mib), distance)| {
                let first = next;
                next += cpus;
                Node { cpus: first..next, memory_mib, distance: distance.clone() }
            })
            .collect()
    }

    /// The arguments that make QEMU this machine.
    pub(super) fn arguments(&self) -> Vec<String> {
        let cpus: usize = self.cpus.iter().sum();
        let memory: u64 = self.memory_mib.iter().sum();
        let with_cpus: Vec<usize> = self.cpus.iter().copied().filter(|&cpus| cpus > 0).collect();
        // One socket a node where they are alike; QEMU wants sockets of one size.
        let alike = with_cpus.iter().all(|&cpus| cpus == with_cpus[0]);
        let sockets = if alike { with_cpus.len() } else { cpus };
        let mut arguments = vec![
            "-m".to_owned(),
            format!("{memory}M"),
            "-smp".to_owned(),
            format!("{cpus},sockets={sockets},cores={},threads=1", cpus / sockets),
        ];
        let mut add = |option: &str, value| arguments.extend([option.to_owned(), value]);
        for (id, node) in self.nodes().iter().enumerate() {
            let mut description = format!("node,nodeid={id}");
            if !node.cpus.is_empty() {
                description += &format!(",cpus={}", node.cpu_list());
            }
            if node.memory_mib > 0 {
                let size = node.memory_mib;
                add("-object", format!("memory-backend-ram,id=memory{id},size={size}M"));
                description += &format!(",memdev=memory{id}");
            }
            add("-numa", description);
        }
        for (from, row) in self.distance.iter().enumerate() {
            for (to, distance) in row.iter().enumerate() {
                add("-numa", format!("dist,src={from},dst={to},val={distance}"));
            }
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "[odd]\nabout = 'x'\ncpus = [2, 1, 0]\nmemory_mib = [64, 0, 32]\n\
                       distance = [[10, 20, 40], [21, 10, 40], [40, 40, 10]]\n";

    #[test]
    fn the_shipped_file_is_in_order() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies.toml");
        let all = Topologies::read(&path).unwrap();
        assert_eq!(all.names(), "2x2, 4x2, cpuless, memoryless, ring");
    }

    #[test]
    fn nodes_that_lack_something() {
        let all = Topologies::parse(ODD).unwrap();
        let odd = all.get("odd").unwrap();
        let lists: Vec<_> = odd.nodes().iter().map(Node::cpu_list).collect();
        assert_eq!(lists, ["0-1", "2", ""]);
        let arguments = odd.arguments().join(" ");
        assert!(arguments.starts_with("-m 96M -smp 3,sockets=3,cores=1,threads=1 "));
        assert!(arguments.contains("-numa node,nodeid=1,cpus=2 -object"));
        assert!(arguments.contains("-numa node,nodeid=2,memdev=memory2 "));
        assert!(arguments.contains("dist,src=1,dst=0,val=21"));
    }

    #[test]
    fn what_the_kernel_would_renumber_or_qemu_refuse_is_refused() {
        for (from, to, reason) in [
            ("[2, 1, 0]", "[2, 0, 1]", "must come last"),
            ("[2, 1, 0]", "[2, 1]", "must have 2 entries"),
            ("[64, 0, 32]", "[0, 64, 32]", "node 0 needs"),
            ("[21, 10, 40]", "[21, 11, 40]", "from 1 to 1 is 11"),
            ("[21, 10, 40]", "[21, 10]", "3 rows of 3"),
            ("about", "abuot", "unknown field"),
        ] {
            let Err(error) = Topologies::parse(&ODD.replace(from, to)) else {
                panic!("{to} accepted");
            };
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
