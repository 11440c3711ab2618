//! `numa01` and `numa01-thread-alloc`: two processes whose memory starts on one node (benchmarks 2.1,
//! 2.2, 2.4).
//!
//! Each process has half as many threads as the machine has CPUs. Every thread clears the whole of its
//! process's memory once; then all of it again and again (`numa01`: no page has an owner), or only its
//! own slice (`numa01-thread-alloc`: every page has one).

use homenode_topology::{Bytes, Machine, NodeMask};

use super::{Params, PresetInfo, params::Resolved};
use crate::{
    Access, Build, Error, MemoryPolicy, Part, Places, Process, Region, Step, Thread, Workload,
};

pub(super) const NUMA01: PresetInfo = PresetInfo {
    name: "numa01",
    aliases: &[],
    row: "NUMA01",
    about: "two processes, all threads of each clear all of its 3 GiB: no page has an owner",
    program: |preset, machine, build, params| {
        let params = resolve(preset, machine, params, 50)?;
        let whole = Part::whole(params.size);
        Ok(program(preset, machine, build, &params, |_| whole))
    },
};

pub(super) const THREAD_ALLOC: PresetInfo = PresetInfo {
    name: "numa01-thread-alloc",
    aliases: &["numa01_THREAD_ALLOC", "numa01-threadlocal", "NUMA01_THREADLOCAL"],
    row: "NUMA01_THEADLOCAL",
    about: "two processes, each thread clears its own slice of 3 GiB that all started on one node",
    program: |preset, machine, build, params| {
        let params = resolve(preset, machine, params, 1000)?;
        let (size, threads) = (params.size, params.threads);
        Ok(program(preset, machine, build, &params, |i| Part::slice(size, i, threads)))
    },
};

fn resolve(
    preset: &PresetInfo,
    machine: &Machine,
    params: &Params,
    loops: u32,
) -> Result<Resolved, Error> {
    params.resolve(preset, machine, Bytes::gib(3), loops, machine.cpus.len() / 2)
}

fn program(
    preset: &PresetInfo,
    machine: &Machine,
    build: Build,
    params: &Resolved,
    work: impl Fn(u32) -> Part,
) -> Workload {
    let places = Places::of(machine);
    let (first, second) = (places.first_half(), places.second_half());
    let region_policy = match build {
        Build::Interleave => MemoryPolicy::Interleave(machine.memory_nodes()),
        _ => MemoryPolicy::Default,
    };
    let process = |name: &str, cpus: &NodeMask, memory: &NodeMask| {
        let mut steps = Vec::new();
        if matches!(build, Build::HardBind | Build::InverseBind) && places.is_choice() {
            steps.push(Step::RunOn(cpus.clone()));
            steps.push(Step::SetPolicy(MemoryPolicy::Bind(memory.clone())));
        }
        steps.extend(
            (0..params.threads)
                .map(|i| Step::Spawn(Box::new(Thread { steps: thread(build, params, work(i)) }))),
        );
        steps.push(Step::Join);
        Process {
            name: name.to_owned(),
            regions: vec![Region {
                name: "memory".to_owned(),
                size: params.size,
                policy: region_policy.clone(),
            }],
            main: Thread { steps },
        }
    };
    let child_memory = match build {
        Build::InverseBind => &second,
        _ => &first,
    };
    Workload {
        name: preset.name.to_owned(),
        row: preset.row.to_owned(),
        processes: vec![
            process("parent", &second, &second),
            process("child", &first, child_memory),
        ],
    }
}

/// The first clear of everything, on the start node in the build as written, then the work.
fn thread(build: Build, params: &Resolved, work: Part) -> Vec<Step> {
    let sweep = |part, passes| Step::Sweep { region: 0, part, passes, access: Access::Clear };
    let first = sweep(Part::whole(params.size), 1);
    let work = sweep(work, params.loops);
    match build {
        Build::AsWritten => {
            let start = MemoryPolicy::Bind(params.start.clone());
            vec![Step::SetPolicy(start), first, Step::SetPolicy(MemoryPolicy::Default), work]
        }
        _ => vec![first, work],
    }
}
