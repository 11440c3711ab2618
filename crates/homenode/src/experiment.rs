//! A grid of cells (workload x policy x seed), run in parallel. Results keep the order of the cells, so
//! they do not depend on the number of threads.

use std::sync::Arc;

use homenode_balance::tree;
use homenode_sim::{Calibration, RunResult, Setup};
use homenode_topology::{Machine, Nanos};
use homenode_workload::Workload;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::Error;
use crate::interrupt::Interrupt;
use crate::plan::Plan;
use crate::workload::STARTS;

/// Virtual time after which a run is given up: more than a day.
pub const TIME_LIMIT: Nanos = Nanos::secs(100_000);

/// One run to be done.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    machine: &'a Machine,
    workload: Arc<Workload>,
    policy: &'a str,
    seed: u64,
    thp: bool,
}

/// What became of a cell.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ran to its end.
    Done(Box<RunResult>),
    /// It could not run to its end.
    Failed(homenode_sim::Error),
    /// It was not begun.
    Skipped,
}

/// The cells of a plan: for each workload, for each policy, all seeds.
///
/// # Errors
/// If a workload cannot be built for the machine, or a policy is unknown.
pub fn cells(plan: &Plan) -> Result<Vec<Cell<'_>>, Error> {
    let mut cells = Vec::new();
    for choice in &plan.workloads {
        for policy in &plan.policies {
            let launch = tree::build(policy, &plan.machine)?.rules().launch;
            let starts = (0..plan.seeds.min(STARTS))
                .map(|seed| choice.build(&plan.machine, launch, seed).map(Arc::new))
                .collect::<Result<Vec<_>, _>>()?;
            for (seed, workload) in (0..plan.seeds).zip(starts.iter().cycle()) {
                let workload = Arc::clone(workload);
                cells.push(Cell { machine: &plan.machine, workload, policy, seed, thp: plan.thp });
            }
        }
    }
    Ok(cells)
}

/// Runs cells in parallel and calls `step` after each. Cells that have not begun when an interrupt is
/// raised are skipped.
pub fn run(
    cells: &[Cell<'_>],
    calibration: &Calibration,
    interrupt: &Interrupt,
    step: &(dyn Fn() + Sync),
) -> Vec<Outcome> {
    let one = |cell: &Cell<'_>| {
        if interrupt.is_raised() {
            return Outcome::Skipped;
        }
        let outcome = cell.run(calibration);
        step();
        outcome
    };
    cells.par_iter().with_max_len(1).map(one).collect()
}

impl Cell<'_> {
    fn run(&self, calibration: &Calibration) -> Outcome {
        let Ok(policy) = tree::build(self.policy, self.machine) else { return Outcome::Skipped };
        let setup = Setup {
            machine: self.machine,
            workload: &self.workload,
            calibration,
            seed: self.seed,
            thp: self.thp,
            time_limit: TIME_LIMIT,
        };
        match homenode_sim::run(&setup, policy, None) {
            Ok(result) => Outcome::Done(Box::new(result)),
            Err(error) => Outcome::Failed(error),
        }
    }

    /// Names it in messages.
    #[must_use]
    pub fn title(&self) -> String {
        format!(
            "{} under {} on {}, seed {}",
            self.workload.name, self.policy, self.machine.name, self.seed
        )
    }
}

/// The outcomes of a plan, by workload, policy and seed.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    plan: &'a Plan,
    outcomes: &'a [Outcome],
}

impl<'a> Results<'a> {
    /// Outcomes in the order of [`cells`].
    #[must_use]
    pub fn new(plan: &'a Plan, outcomes: &'a [Outcome]) -> Self {
        Self { plan, outcomes }
    }

    /// The finished run of a cell.
    #[must_use]
    pub fn run(&self, workload: usize, policy: usize, seed: u64) -> Option<&'a RunResult> {
        let row = workload * self.plan.policies.len() + policy;
        let at = row as u64 * self.plan.seeds + seed;
        match self.outcomes.get(usize::try_from(at).ok()?)? {
            Outcome::Done(result) => Some(result),
            Outcome::Failed(_) | Outcome::Skipped => None,
        }
    }

    /// The finished runs of a workload under a policy, in the order of their seeds.
    pub fn runs(&self, workload: usize, policy: usize) -> impl Iterator<Item = &'a RunResult> {
        (0..self.plan.seeds).filter_map(move |seed| self.run(workload, policy, seed))
    }

    /// For each seed under which all workloads are finished: their runs.
    pub fn whole_tests(&self, policy: usize) -> impl Iterator<Item = Vec<&'a RunResult>> {
        let workloads = 0..self.plan.workloads.len();
        (0..self.plan.seeds).filter_map(move |seed| {
            workloads.clone().map(|workload| self.run(workload, policy, seed)).collect()
        })
    }
}

#[cfg(test)]
mod tests;
