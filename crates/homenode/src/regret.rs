//! The optimum of each workload of a plan, and how far behind it the policies stay.

use homenode_balance::Launch;
use homenode_optimum::{best_static, bound};
use homenode_report::{RegretCell, Samples};
use homenode_sim::{Calibration, Setup};
use homenode_topology::Nanos;
use homenode_workload::Workload;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::Error;
use crate::experiment::TIME_LIMIT;
use crate::interrupt::Interrupt;
use crate::plan::Plan;

/// How fast a workload could be on a machine; `None` where it could not be computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Optimum {
    /// Time that no policy can beat.
    pub bound: Option<Nanos>,
    /// Time of the best static placement found.
    pub best_static: Option<Nanos>,
    /// Why something could not be computed.
    pub problems: Vec<String>,
}

/// A workload, as written, whose optimum is to be found.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    plan: &'a Plan,
    workload: Workload,
}

/// The tasks of a plan, in the order of its workloads.
///
/// # Errors
/// If a workload cannot be built for the machine.
pub fn tasks(plan: &Plan) -> Result<Vec<Task<'_>>, Error> {
    let task = |workload| Task { plan, workload };
    plan.workloads
        .iter()
        .map(|choice| choice.build(&plan.machine, Launch::AsWritten, 0).map(task))
        .collect()
}

/// Finds optima in parallel and calls `step` after each. What has not begun when an interrupt is raised
/// stays unknown.
pub fn optima(
    tasks: &[Task<'_>],
    calibration: &Calibration,
    interrupt: &Interrupt,
    step: &(dyn Fn() + Sync),
) -> Vec<Optimum> {
    let one = |task: &Task<'_>| {
        if interrupt.is_raised() {
            return Optimum::default();
        }
        let optimum = task.optimum(calibration);
        step();
        optimum
    };
    tasks.par_iter().with_max_len(1).map(one).collect()
}

impl Task<'_> {
    fn optimum(&self, calibration: &Calibration) -> Optimum {
        let setup = Setup {
            machine: &self.plan.machine,
            workload: &self.workload,
            calibration,
            seed: 0,
            thp: self.plan.thp,
            time_limit: TIME_LIMIT,
        };
        let mut problems = Vec::new();
        let mut known = |found: Result<Nanos, homenode_optimum::Error>| {
            found.map_err(|error| problems.push(error.to_string())).ok()
        };
        let bound = known(bound(setup.machine, setup.workload).map(|bound| bound.elapsed));
        let best_static = known(best_static(&setup).map(|best| best.elapsed));
        Optimum { bound, best_static, problems }
    }
}

impl Optimum {
    /// Regret of runs that took these seconds: their median over the optimum, minus 1.
    #[must_use]
    pub fn regret(&self, seconds: Option<&Samples>) -> RegretCell {
        let against = |optimum: Option<Nanos>| {
            let optimum = optimum?.as_secs_f64();
            let median = seconds?.median();
            (optimum > 0.0).then_some(median / optimum - 1.0)
        };
        RegretCell { regret_bound: against(self.bound), regret_static: against(self.best_static) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regret_is_the_median_over_the_optimum() {
        let optimum = Optimum { bound: Some(Nanos::secs(10)), ..Optimum::default() };
        let seconds = Samples::new(vec![9.0, 15.0, 90.0]).unwrap();
        let cell = optimum.regret(Some(&seconds));
        assert_eq!((cell.regret_bound, cell.regret_static), (Some(0.5), None));
        assert_eq!(optimum.regret(None).regret_bound, None);
    }
}
