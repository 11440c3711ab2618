//! Whether the guest's kernel sees the machine that was asked for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::machine::{Node, Topology};

/// Least share of a node's memory that the kernel must offer; it keeps some for itself.
const LEAST_MEMORY: f64 = 0.7;

/// Compares the guest's copy of `/sys/devices/system/node` with the topology; each difference is a line.
pub(super) fn differences(folder: &Path, topology: &Topology) -> Vec<String> {
    let nodes = topology.nodes();
    let mut differences = Vec::new();
    let mut compare = |file: &str, expected: String| {
        let seen = read(folder, file);
        if seen != expected {
            differences.push(format!("{file}: asked for `{expected}`, the kernel sees `{seen}`"));
        }
    };
    compare("online", list(&nodes, |_| true));
    compare("has_cpu", list(&nodes, |node| !node.cpus.is_empty()));
    compare("has_memory", list(&nodes, |node| node.memory_mib > 0));
    for (id, node) in nodes.iter().enumerate() {
        let row: Vec<_> = node.distance.iter().map(ToString::to_string).collect();
        compare(&format!("node{id}/cpulist"), node.cpu_list());
        compare(&format!("node{id}/distance"), row.join(" "));
    }
    for (id, node) in nodes.iter().enumerate() {
        let (asked, seen) = (node.memory_mib as f64, memory_mib(folder, id));
        if !seen.is_some_and(|seen| seen <= asked && seen >= asked * LEAST_MEMORY) {
            let seen = seen.map_or_else(|| "none stated".to_owned(), |mib| format!("{mib:.0} MiB"));
            differences.push(format!("node{id}: asked for {asked} MiB, the kernel offers: {seen}"));
        }
    }
    differences
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file))
        .map_or_else(|error| format!("({error})"), |text| text.trim().to_owned())
}

/// `Node 0 MemTotal:  123 kB` of the node's `meminfo`.
fn memory_mib(folder: &Path, node: usize) -> Option<f64> {
    let text = fs::read_to_string(folder.join(format!("node{node}/meminfo"))).ok()?;
    let line = text.lines().find(|line| line.contains(" MemTotal:"))?;
    let kib: f64 = line.split_ascii_whitespace().nth(3)?.parse().ok()?;
    Some(kib / 1024.0)
}

/// The ids of these nodes in the kernel's list syntax.
fn list(nodes: &[Node], wanted: impl Fn(&Node) -> bool) -> String {
    let ids: BTreeSet<usize> = (0..nodes.len()).filter(|&id| wanted(&nodes[id])).collect();
    let first = |&&id: &&usize| id == 0 || !ids.contains(&(id - 1));
    let ranges = ids.iter().filter(first).map(|&first| {
        let last = (first..).take_while(|id| ids.contains(id)).last().unwrap_or(first);
        if last == first { first.to_string() } else { format!("{first}-{last}") }
    });
    ranges.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::machine::Topologies;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_machine_as_asked_for_and_each_way_to_differ() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies.toml");
        let all = Topologies::read(&path).unwrap();
        let cpuless = all.get("cpuless").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "online", "0-2\n");
        write(folder, "has_cpu", "0-1\n");
        write(folder, "has_memory", "0-2\n");
        for (id, cpus, row, kib) in [
            (0, "0-1", "10 20 40", 700_000),
            (1, "2-3", "20 10 40", 780_000),
            (2, "", "40 40 10", 500_000),
        ] {
            write(folder, &format!("node{id}/cpulist"), &format!("{cpus}\n"));
            write(folder, &format!("node{id}/distance"), &format!("{row}\n"));
            write(
                folder,
                &format!("node{id}/meminfo"),
                &format!("Node {id} MemTotal:  {kib} kB\n"),
            );
        }
        assert_eq!(differences(folder, cpuless), Vec::<String>::new());
        for (file, text) in [
            ("online", "0-1"),
            ("has_cpu", "0-2"),
            ("has_memory", "0-1"),
            ("node1/cpulist", "2"),
            ("node0/distance", "10 21 40"),
            ("node2/meminfo", "Node 2 MemTotal: 0 kB"),
            ("node0/meminfo", "Node 0 MemTotal: 900000 kB"),
        ] {
            let before = fs::read_to_string(folder.join(file)).unwrap();
            write(folder, file, text);
            let found = differences(folder, cpuless);
            assert_eq!(found.len(), 1, "{found:?}");
            let (node, _) = file.split_once('/').unwrap_or((file, ""));
            assert!(found[0].starts_with(node), "{found:?}");
            write(folder, file, &before);
        }
    }

    #[test]
    fn lists_have_ranges_and_gaps() {
        let node = |memory_mib| Node { cpus: 0..0, memory_mib, distance: vec![] };
        let nodes: Vec<_> = [1, 1, 0, 1, 0, 1, 1].map(node).to_vec();
        assert_eq!(list(&nodes, |node| node.memory_mib > 0), "0-1,3,5-6");
        assert_eq!(list(&nodes, |_| false), "");
    }
}
