//! Machines as the text that a system would show of them, for tests of readers.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::{CpuMask, Machine};

/// Writes the sysfs tree of a machine below `root`, as [`crate::sysfs`] reads it.
///
/// # Errors
/// If a file cannot be written.
pub fn write_sysfs(machine: &Machine, root: &Path) -> io::Result<()> {
    let file = |path: String, text: String| {
        let path = root.join("sys/devices/system").join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text + "\n")
    };
    for node in &machine.nodes {
        let (id, folder) = (node.id.0, format!("node/node{}", node.id.0));
        let row = machine.nodes.iter().map(|to| machine.distances.get(node.id, to.id).to_string());
        file(format!("{folder}/distance"), row.collect::<Vec<_>>().join(" "))?;
        file(format!("{folder}/cpulist"), node.cpus.to_string())?;
        let kib = node.memory.0 / 1024;
        file(
            format!("{folder}/meminfo"),
            format!("Node {id} MemTotal: {kib} kB\nNode {id} MemFree: 0 kB"),
        )?;
    }
    for cpu in &machine.cpus {
        let folder = format!("cpu/cpu{}", cpu.id.0);
        let threads =
            machine.cpus.iter().filter(|other| other.core == cpu.core).map(|other| other.id);
        let size = cpu.node.and_then(|id| machine.node(id)).map_or(0, |node| node.llc.0 / 1024);
        file(format!("{folder}/online"), "1".to_owned())?;
        file(format!("{folder}/topology/physical_package_id"), cpu.socket.0.to_string())?;
        file(format!("{folder}/topology/core_id"), cpu.core.0.to_string())?;
        let threads = threads.collect::<CpuMask>();
        file(format!("{folder}/topology/thread_siblings_list"), threads.to_string())?;
        file(format!("{folder}/cache/index0/level"), "1".to_owned())?;
        file(format!("{folder}/cache/index3/level"), "3".to_owned())?;
        file(format!("{folder}/cache/index3/size"), format!("{size}K"))?;
        file(format!("{folder}/cache/index3/shared_cpu_list"), cpu.llc.to_string())?;
    }
    for cpu in machine.offline.iter() {
        file(format!("cpu/cpu{}/online", cpu.0), "0".to_owned())?;
    }
    let nodes: crate::NodeMask = machine.nodes.iter().map(|node| node.id).collect();
    file("cpu/online".to_owned(), machine.online().to_string())?;
    file("cpu/present".to_owned(), machine.online().union(&machine.offline).to_string())?;
    file("node/online".to_owned(), nodes.to_string())?;
    file("node/has_cpu".to_owned(), machine.cpu_nodes().to_string())?;
    file("node/has_memory".to_owned(), machine.memory_nodes().to_string())
}

/// What `numactl --hardware` prints of a machine, as [`crate::numactl`] reads it.
#[must_use]
pub fn numactl_text(machine: &Machine) -> String {
    let nodes: crate::NodeMask = machine.nodes.iter().map(|node| node.id).collect();
    let mut text = format!("available: {} nodes ({nodes})\n", nodes.len());
    let mut head = "node ".to_owned();
    let mut rows = String::new();
    for node in &machine.nodes {
        let cpus: Vec<_> = node.cpus.iter().map(|cpu| cpu.0.to_string()).collect();
        let id = node.id.0;
        let mib = node.memory.0 >> 20;
        // Writing to a string cannot fail.
        let _ = write!(text, "node {id} cpus: {}\nnode {id} size: {mib} MB\n", cpus.join(" "));
        let _ = writeln!(text, "node {id} free: 0 MB");
        let _ = write!(head, "{id:>4}");
        let _ = write!(rows, "{id:>3}:");
        for to in &machine.nodes {
            let _ = write!(rows, "{:>4}", machine.distances.get(node.id, to.id));
        }
        rows.push('\n');
    }
    format!("{text}node distances:\n{head}\n{rows}")
}
