//! `homenode status`: what processes use on each node.

use std::path::Path;

use homenode_linux::procfs::processes;
use homenode_linux::{Pid, Root};
use homenode_topology::source;
use rayon::prelude::*;
use serde::Serialize;

use super::grid::Grid;
use super::topo::here;
use crate::args::{ListFormat, StatusArgs};
use crate::status::{Depth, Place, Process, Verdict, names};
use crate::{Error, Exit, output};

/// What the local share is and is not.
const BY_PLACEMENT: &str = "local: by placement, as if each thread used all memory of its process alike; \
CPU time counts on the node where a thread last ran";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    nodes: String,
    /// What the local share rests on.
    local_by: &'static str,
    processes: &'a [Process],
}

pub(super) fn run(args: &StatusArgs) -> Result<Exit, Error> {
    let root = Root::new(&args.root);
    // Warnings of the reader are for `topo`; nodes and their CPUs are all that matters here.
    let read = source::path(&args.root);
    let machine = if args.root == Path::new("/") { read.map_err(here)? } else { read? }.machine;
    let place = Place::of(&machine);
    let (processes, exit) = if args.pids.is_empty() {
        (every(&root, &place, args.all)?, Exit::Done)
    } else {
        named(&root, &place, &args.pids)?
    };
    let text = match args.format {
        ListFormat::Json => output::json(&Document {
            schema: "homenode.status",
            version: 1,
            nodes: names(place.nodes().iter().copied()),
            local_by: "placement",
            processes: &processes,
        })?,
        ListFormat::Table if args.pids.is_empty() => overview(&processes, &place),
        ListFormat::Table => processes.iter().map(full).collect::<Vec<_>>().join("\n"),
    };
    output::print(&text)?;
    Ok(exit)
}

/// All processes with memory of their own, in parallel; those that end meanwhile are left out.
fn every(root: &Root, place: &Place, unreadable_too: bool) -> Result<Vec<Process>, Error> {
    let pids = processes(root)?;
    let read = |&pid| Process::read(root, place, pid, Depth::Overview).ok();
    let mut found: Vec<Process> = pids.par_iter().filter_map(read).collect();
    let all = found.len();
    found.retain(|process| {
        let known = process.missing.is_empty();
        if known { process.resident().0 > 0 } else { unreadable_too }
    });
    let hidden = pids.len().min(all) - found.len();
    if hidden > 0 {
        let whose = if unreadable_too { "" } else { ", or none that this user may see (--all)" };
        output::note(format!("{hidden} processes without memory of their own{whose} are left out"));
    }
    Ok(found)
}

/// Processes by number; what is missing is named, and the rest goes on.
fn named(root: &Root, place: &Place, pids: &[i32]) -> Result<(Vec<Process>, Exit), Error> {
    let mut found = Vec::new();
    let mut failed = None;
    for &pid in pids {
        match Process::read(root, place, Pid(pid), Depth::Full) {
            Ok(process) => {
                for problem in &process.missing {
                    output::warn(format_args!("process {pid}: {problem}"));
                }
                found.push(process);
            }
            Err(error) => {
                let error = if error.is_gone() {
                    Error::Usage(format!("there is no process {pid}"))
                } else {
                    error.into()
                };
                if let Some(earlier) = failed.replace(error) {
                    output::complain(&earlier);
                }
            }
        }
    }
    match failed {
        Some(error) if found.is_empty() => Err(error),
        Some(error) => {
            output::complain(&error);
            Ok((found, Exit::Partial))
        }
        None if found.iter().any(|process| !process.missing.is_empty()) => {
            Ok((found, Exit::Partial))
        }
        None => Ok((found, Exit::Done)),
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}

/// Resident memory, where it could be read.
fn resident(process: &Process) -> String {
    if process.missing.is_empty() { process.resident().to_string() } else { "-".to_owned() }
}

fn local(process: &Process) -> String {
    process
        .local_by_placement_bp
        .map_or_else(|| "-".to_owned(), |bp| format!("{} %", (bp + 50) / 100))
}

fn overview(processes: &[Process], place: &Place) -> String {
    let one = place.nodes().len() == 1;
    let mut grid = Grid::headed(["name", "PID", "threads", "CPU time", "memory", "local"]);
    for process in processes {
        grid.row([
            process.name.clone(),
            process.pid.to_string(),
            process.thread_count.to_string(),
            seconds(process.cpu_ms),
            resident(process),
            local(process),
        ]);
    }
    // On one node the sentence would be the same in each line.
    let sentences = processes.iter().map(|process| {
        if one && process.missing.is_empty() { "" } else { process.judgement.sentence.as_str() }
    });
    let mut text: String = grid
        .print(1)
        .lines()
        .zip(std::iter::once("").chain(sentences))
        .map(|(line, sentence)| format!("{}\n", format!("{line}  {sentence}").trim_end()))
        .collect();
    text += &format!("\n{} processes; {BY_PLACEMENT}\n", processes.len());
    let apart =
        processes.iter().filter(|process| process.judgement.verdict == Verdict::Apart).count();
    text += &if one {
        "this machine has one node: there is nothing to balance\n".to_owned()
    } else {
        format!("{apart} have their memory and their CPU time on different nodes\n")
    };
    text
}

fn full(process: &Process) -> String {
    let mut text = format!(
        "{} {}: {} thread{}, {} of CPU time, {} resident, local {}\n",
        process.pid,
        process.name,
        process.thread_count,
        if process.thread_count == 1 { "" } else { "s" },
        seconds(process.cpu_ms),
        resident(process),
        local(process)
    );
    text += &format!("{}\n\n", process.judgement.sentence);
    text += &nodes(process);
    if let Some(huge) = process.transparent_huge_bytes {
        text += &format!("transparent huge pages: {huge} of `own`, on all nodes together\n");
    }
    text += &format!("\n{}", threads(process));
    let read = process.threads.len();
    if read < process.thread_count as usize {
        text += &format!("{read} of {} threads could be read\n", process.thread_count);
    }
    text += &match &process.balancer {
        Some(balancer) => format!("\nkernel balancer: {}\n", balancer.sentence()),
        None => "\nkernel balancer: the kernel tells nothing about these threads \
                 (task/TID/sched: needs CONFIG_NUMA_BALANCING and CONFIG_SCHED_DEBUG)\n"
            .to_owned(),
    };
    text + &format!("{BY_PLACEMENT}\n")
}

fn nodes(process: &Process) -> String {
    let mut grid = Grid::headed(["node", "CPU time", "own", "hugetlb", "shared", "bound"]);
    for node in &process.nodes {
        grid.row([
            node.node.to_string(),
            seconds(node.cpu_ms),
            node.own_bytes.to_string(),
            node.hugetlb_bytes.to_string(),
            node.shared_bytes.to_string(),
            node.bound_bytes.to_string(),
        ]);
    }
    grid.print(1)
}

fn threads(process: &Process) -> String {
    let mut grid = Grid::headed([
        "thread",
        "TID",
        "CPU",
        "node",
        "CPU time",
        "preferred",
        "moved pages",
        "faults",
    ]);
    let dash = || "-".to_owned();
    for thread in &process.threads {
        let balancer = thread.balancer.as_ref();
        grid.row([
            thread.name.clone(),
            thread.tid.to_string(),
            thread.cpu.map_or_else(dash, |cpu| cpu.0.to_string()),
            thread.node.map_or_else(dash, |node| node.to_string()),
            seconds(thread.cpu_ms),
            balancer.and_then(|b| b.preferred_node).map_or_else(dash, |node| node.to_string()),
            balancer.map_or_else(dash, |b| b.pages_migrated.to_string()),
            balancer.map_or_else(dash, |b| b.faults.to_string()),
        ]);
    }
    grid.print(1)
}
