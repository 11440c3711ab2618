//! `homenode topo`: the nodes, CPUs and distances of a machine.

use std::path::Path;

use homenode_topology::{
    Bandwidth, Bytes, Error as TopologyError, Machine, Performance, Read, Warning, source,
};
use serde::Serialize;

use super::grid::Grid;
use crate::args::{ListFormat, TopoArgs};
use crate::{Error, Exit, output};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    machine: &'a Machine,
    warnings: &'a [Warning],
}

pub(super) fn run(args: &TopoArgs) -> Result<Exit, Error> {
    let read = match (&args.machine.from, &args.machine.machine) {
        (Some(path), _) => source::path(path)?,
        (None, Some(name)) => Read { machine: source::named(name)?, warnings: Vec::new() },
        (None, None) => source::path(Path::new("/")).map_err(here)?,
    };
    read.warnings.iter().for_each(output::warn);
    let text = match args.format {
        ListFormat::Table => table(&read.machine),
        ListFormat::Json => output::json(&Document {
            schema: "homenode.topo",
            version: 1,
            machine: &read.machine,
            warnings: &read.warnings,
        })?,
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

/// Without a node tree this system is not supported; nothing on the command line is wrong.
pub(super) fn here(error: TopologyError) -> Error {
    match error {
        TopologyError::NotSysfs { .. } => Error::NotHere(error.to_string()),
        other => Error::Topology(other),
    }
}

fn table(machine: &Machine) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut text = format!(
        "{}: {}, {}, {}\n\n",
        machine.name,
        count(machine.nodes.len(), "node"),
        count(machine.cpus.len(), "CPU"),
        machine.memory()
    );
    text += &nodes(machine);
    if !machine.offline.is_empty() {
        text += &format!("offline CPUs {}\n", machine.offline);
    }
    let homeless: Vec<String> = machine
        .cpus
        .iter()
        .filter(|cpu| cpu.node.is_none())
        .map(|cpu| cpu.id.0.to_string())
        .collect();
    if !homeless.is_empty() {
        text += &format!("CPUs of no node {}\n", homeless.join(","));
    }
    text += "\ndistance from the CPUs of a node (row) to the memory of a node (column)\n";
    text += &distances(machine);
    if let Some(performance) = &machine.performance {
        text += &speed(performance);
    }
    text
}

fn nodes(machine: &Machine) -> String {
    let mut grid = Grid::headed(["node", "CPUs", "memory", "last-level cache"]);
    for node in &machine.nodes {
        let cpus = if node.cpus.is_empty() { "none".to_owned() } else { node.cpus.to_string() };
        let llc = if node.llc == Bytes::ZERO { "unknown".to_owned() } else { node.llc.to_string() };
        let memory =
            if node.memory == Bytes::ZERO { "none".to_owned() } else { node.memory.to_string() };
        grid.row([node.id.to_string(), cpus, memory, llc]);
    }
    grid.print(usize::MAX)
}

fn distances(machine: &Machine) -> String {
    let names = machine.nodes.iter().map(|node| node.id.to_string());
    let mut grid = Grid::headed(std::iter::once(String::new()).chain(names));
    for from in &machine.nodes {
        let row = machine.nodes.iter().map(|to| machine.distances.get(from.id, to.id).to_string());
        grid.row(std::iter::once(from.id.to_string()).chain(row));
    }
    grid.print(1)
}

fn speed(performance: &Performance) -> String {
    let rate = |rate: Bandwidth| format!("{}/s", Bytes(rate.0));
    let mut text = String::from("\nspeed\n");
    let mut grid = Grid::new();
    grid.row(["controllers of a node", &rate(performance.controller)]);
    for (node, exception) in &performance.controller_of {
        grid.row([format!("controllers of {node}"), rate(*exception)]);
    }
    grid.row(["one core alone", &rate(performance.core_stream)]);
    grid.row(["link, each direction", &rate(performance.links.each)]);
    for (from, to, exception) in &performance.links.except {
        grid.row([format!("link {from} to {to}"), rate(*exception)]);
    }
    grid.row([
        "idle latency, local / remote",
        &format!("{} / {} ns", performance.local_latency_ns, performance.remote_latency_ns),
    ]);
    grid.row(["a core with all threads busy", &format!("{} x", performance.smt.full_core)]);
    grid.row(["clock", &format!("{} MHz", performance.clock_mhz)]);
    text += &grid.print(usize::MAX);
    for source in &performance.sources {
        text += &format!("  {source}\n");
    }
    text
}
