//! The fastest static placement found: the oracle that knows the workload but moves nothing.

use homenode_balance::tree;
use homenode_sim::{RunResult, Setup, run};
use homenode_topology::Nanos;
use homenode_workload::Workload;

use crate::Error;
use crate::counts::{combinations, seats};
use crate::demand::{groups, needs};
use crate::fixed::Fixed;
use crate::placement::{Placement, even, free, interleaved, local, works};
use crate::rewrite::rewrite;
use crate::segment::segments;
use crate::speed::Speed;

/// Policy under which placements are run: it moves nothing.
const TREE: &str = "mainline";

/// The fastest of the placements that were run.
#[derive(Clone, Debug)]
pub struct BestStatic {
    /// Its simulated time.
    pub elapsed: Nanos,
    /// What it is, in words.
    pub description: &'static str,
    /// The workload with the placement written into it.
    pub workload: Workload,
    /// The run.
    pub run: RunResult,
    /// All placements that were run, in order, at most four.
    pub tried: Vec<Tried>,
}

/// A placement that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// What it is, in words.
    pub description: &'static str,
    /// Its time; `None` if it was given up because it was slower than one before, or its memory
    /// did not fit.
    pub elapsed: Option<Nanos>,
}

/// Runs at most four static placements in the simulator, with seed 0, and returns the fastest.
///
/// They are: the best of the linear programs over thread counts (machine-model 5.4); threads dealt out
/// evenly, with memory that has an owner local to it and the rest interleaved over the nodes of its
/// users; threads dealt out evenly with all memory interleaved; free threads with all memory
/// interleaved. Affinities and memory policies of the workload are replaced. `setup` gives machine,
/// workload, calibration, page size and time limit; its seed is not used.
///
/// # Errors
/// [`Error::Machine`] for a machine that nothing can run on, [`Error::NoPlacement`] if no candidate fits
/// into its memory or ends within the time limit, [`Error::Program`] if the solver fails.
pub fn best_static(setup: &Setup<'_>) -> Result<BestStatic, Error> {
    let candidates = candidates(setup)?;
    let mut best: Option<BestStatic> = None;
    let mut tried = Vec::new();
    let mut last = String::from("no placement can be written down");
    for (description, workload) in candidates {
        let limit = best.as_ref().map_or(setup.time_limit, |best| best.elapsed);
        let outcome = attempt(setup, &workload, limit)?;
        let elapsed = outcome.as_ref().ok().map(|run| run.elapsed);
        tried.push(Tried { description, elapsed });
        match outcome {
            Ok(run) if run.elapsed < limit => {
                let (elapsed, tried) = (run.elapsed, Vec::new());
                best = Some(BestStatic { elapsed, description, workload, run, tried });
            }
            Ok(_) => {}
            Err(reason) => last = reason,
        }
    }
    match best {
        Some(best) => Ok(BestStatic { tried, ..best }),
        None => Err(Error::NoPlacement {
            workload: setup.workload.name.clone(),
            tried: tried.len(),
            last,
        }),
    }
}

/// Runs a candidate; the inner error says why it is none.
fn attempt(
    setup: &Setup<'_>,
    workload: &Workload,
    time_limit: Nanos,
) -> Result<Result<RunResult, String>, Error> {
    if let Err(problem) = workload.check(setup.machine) {
        return Ok(Err(problem.to_string()));
    }
    let policy = match tree::build(TREE, setup.machine) {
        Ok(policy) => policy,
        Err(unknown) => return Ok(Err(unknown.to_string())),
    };
    let setup = Setup { workload, seed: 0, time_limit, ..setup.clone() };
    match run(&setup, policy, None) {
        Ok(run) => Ok(Ok(run)),
        Err(
            failure @ (homenode_sim::Error::OutOfMemory { .. }
            | homenode_sim::Error::TimeLimit { .. }),
        ) => Ok(Err(failure.to_string())),
        Err(failure) => Err(failure.into()),
    }
}

/// The placements worth running, the most promising first, each once.
fn candidates(setup: &Setup<'_>) -> Result<Vec<(&'static str, Workload)>, Error> {
    let speed = Speed::new(setup.machine)?;
    let needs = needs(setup.workload, &speed);
    let segments = segments(setup.workload, &needs, &speed);
    let mut found: Vec<(&'static str, Workload)> = Vec::new();
    let mut offer = |description, placement: &Placement| {
        if let Some(workload) = rewrite(setup.workload, &segments, placement, &speed)
            && found.iter().all(|(_, known)| *known != workload)
        {
            found.push((description, workload));
        }
    };
    let one_node = speed.runners.len() == 1 && speed.holders.len() == 1;
    if !one_node {
        let groups = groups(&needs, works);
        let fixed = Fixed::new(setup.workload, &needs, &segments, &groups, &speed);
        let mut best: Option<(f64, Placement)> = None;
        for counts in combinations(&groups, &speed) {
            let (time, shares) = match fixed.solve(&counts) {
                Ok(solved) => solved,
                Err(Error::Program { cause: microlp::Error::Infeasible, .. }) => continue,
                Err(failure) => return Err(failure),
            };
            if best.as_ref().is_none_or(|(least, _)| time < least * (1.0 - 1e-6)) {
                let seats = seats(needs.len(), &groups, &counts);
                best = Some((time, fixed.placement(seats, &shares)));
            }
        }
        if let Some((_, placement)) = best {
            offer("threads and memory shares of the best linear program", &placement);
        }
        let seats = even(&needs, &speed);
        offer(
            "threads dealt out evenly, owned memory local, shared memory over its users' nodes",
            &local(seats.clone(), &segments, &speed),
        );
        offer(
            "threads dealt out evenly, memory interleaved over all nodes",
            &interleaved(seats, &segments, &speed),
        );
    }
    let description = "free threads, memory interleaved over all nodes";
    offer(description, &interleaved(free(&needs), &segments, &speed));
    Ok(found)
}

#[cfg(test)]
mod tests;
