//! `numa02` and `numa02-smt`: one process, each thread clears its own slice of memory that the first
//! thread has touched (benchmarks 2.3, 2.4).

use homenode_topology::{Bytes, Machine, NodeId, NodeMask};

use super::{Params, PresetInfo};
use crate::{
    Access, Build, Error, MemoryPolicy, Part, Places, Process, Region, Step, Thread, Workload,
};

pub(super) const NUMA02: PresetInfo = PresetInfo {
    name: "numa02",
    aliases: &[],
    row: "NUMA02",
    about: "one thread a CPU clears its own slice of 1 GiB that the first thread touched",
    program: |preset, machine, build, params| {
        program(preset, machine, build, params, machine.cpus.len())
    },
};

pub(super) const SMT: PresetInfo = PresetInfo {
    name: "numa02-smt",
    aliases: &["numa02_SMT"],
    row: "NUMA02_SMT",
    about: "numa02 with one thread for every two CPUs: does the balancer fill whole cores?",
    program: |preset, machine, build, params| {
        program(preset, machine, build, params, machine.cpus.len() / 2)
    },
};

const LOOPS: u32 = 800;

fn program(
    preset: &PresetInfo,
    machine: &Machine,
    build: Build,
    params: &Params,
    threads: usize,
) -> Result<Workload, Error> {
    let params = params.resolve(preset, machine, Bytes::gib(1), LOOPS, threads)?;
    let places = Places::of(machine);
    let binds = matches!(build, Build::HardBind | Build::InverseBind) && places.is_choice();
    let sweep = |part, passes| Step::Sweep { region: 0, part, passes, access: Access::Clear };

    let mut steps = Vec::new();
    let chunks = u32::try_from(places.len()).unwrap_or(u32::MAX).max(1);
    for k in 0..chunks {
        if binds {
            steps.extend(places.share(k as usize, chunks as usize).into_iter().flat_map(bind));
        }
        steps.push(sweep(Part::slice(params.size, k, chunks), 1));
    }
    for i in 0..params.threads {
        if binds {
            let turn = match build {
                Build::InverseBind => params.threads - 1 - i,
                _ => i,
            };
            let node = places.share(turn as usize, params.threads as usize);
            steps.extend(node.into_iter().flat_map(bind));
        }
        let work = sweep(Part::slice(params.size, i, params.threads), params.loops);
        steps.push(Step::Spawn(Box::new(Thread { steps: vec![work] })));
    }
    steps.push(Step::Join);

    let policy = match build {
        Build::Interleave => MemoryPolicy::Interleave(machine.memory_nodes()),
        _ => MemoryPolicy::Default,
    };
    let memory = Region { name: "memory".to_owned(), size: params.size, policy };
    Ok(Workload {
        name: preset.name.to_owned(),
        row: preset.row.to_owned(),
        processes: vec![Process {
            name: preset.name.to_owned(),
            regions: vec![memory],
            main: Thread { steps },
        }],
    })
}

/// The task runs on one node and takes memory there only; threads it creates next inherit both.
fn bind(node: NodeId) -> [Step; 2] {
    let only: NodeMask = [node].into_iter().collect();
    [Step::RunOn(only.clone()), Step::SetPolicy(MemoryPolicy::Bind(only))]
}
