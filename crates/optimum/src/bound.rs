//! A time that no policy can beat on a machine (machine-model 5.4).
//!
//! Wherever a policy puts threads and pages and however often it moves them, at each moment a thread
//! is on some node and the page it accesses is on some node. So a run is a mixture over time of static
//! configurations, and all of it that matters for its length is how many bytes `x` each group of
//! threads moved from CPUs of each node `i` to memory of each node `n`. The bound is the least time `T`
//! for which any such quantities exist:
//!
//! ```text
//! min T:  sum_in x_gin             = bytes of group g
//!         sum_gi x_gin             <= B_n T               controllers
//!         sum_g  x_gin             <= K_in T   (i != n)   directed links
//!         sum_gn x_gin t_in + c_gi <= cores_i T           cores, SMT siblings sharing them
//!         sum_in x_gin t_in + c_g  <= threads_g T         each thread does one thing at a time
//! ```
//!
//! `t_in` is the time of a byte on an idle machine, `c` work without memory. Every mixture of static
//! configurations, thread counts and page shares of any kind, is a solution, so thread counts need not
//! be enumerated. What only a static placement must obey is left out: that memory accessed evenly is
//! accessed from all nodes in the same proportion (a policy may move threads along with their sweep),
//! and how much a node can hold (a policy may pass more through a node than it holds). Affinities and
//! memory policies of the workload are ignored, so the bound holds for all of its builds. The costs of
//! first touches, faults, scans and moves are taken as zero.

use homenode_topology::{Machine, Nanos};
use homenode_workload::Workload;

use crate::Error;
use crate::chain::chain;
use crate::demand::{Demand, Flow, Group, groups, needs};
use crate::linear::{Linear, Sum};
use crate::speed::Speed;

/// Most variables of a program that is solved; more take seconds.
const MOST_VARIABLES: usize = 3000;
/// The solver's answers are exact to about 1e-7 of the unit; this much is given away to stay below.
const SAFETY: f64 = 1e-5;

/// A lower bound on the elapsed time of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The largest of the bounds below: no policy is faster.
    pub elapsed: Nanos,
    /// Which of them it is; of equal ones the simplest.
    pub kind: BoundKind,
    /// Optimum of the linear program, if it was solved.
    pub program: Option<Nanos>,
    /// How the program was posed.
    pub form: Form,
    /// All traffic divided by the rate of all controllers: perfect spread.
    pub spread: Nanos,
    /// The longest chain of steps with idle, local memory and a core for every thread: perfect locality.
    pub chain: Nanos,
}

/// Which bound is the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// [`Bound::spread`].
    Spread,
    /// [`Bound::chain`].
    Chain,
    /// [`Bound::program`], larger than both by more than one part in 10,000.
    Program,
}

/// How the linear program was posed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With a limit for each group of threads.
    Groups,
    /// With all threads in one group, because there were too many groups: valid, perhaps weaker.
    Merged,
    /// Not at all: there is no memory traffic or work, or the machine has too many nodes.
    Omitted,
}

/// The bound for a workload on a machine.
///
/// # Errors
/// [`Error::Machine`] if the machine has no performance figures, no CPU or no memory;
/// [`Error::Program`] if the solver fails.
pub fn bound(machine: &Machine, workload: &Workload) -> Result<Bound, Error> {
    let speed = Speed::new(machine)?;
    let needs = needs(workload, &speed);
    let mut all = Demand::default();
    needs.iter().for_each(|need| all.add(&need.demand));
    let spread = all.traffic() / speed.all_controllers();
    let chain = chain(workload, &speed);

    let simple = spread.max(chain);

    let busy = groups(&needs, |need| simple > 0.0 && need.demand != Demand::default());
    let (form, groups) = posed(&busy, all, &speed);
    let program = match form {
        Form::Omitted => None,
        _ => Some(solve(&groups, &speed, workload, simple)?),
    };
    let kind = match program {
        Some(program) if program > simple * 1.0001 => BoundKind::Program,
        _ if spread >= chain => BoundKind::Spread,
        _ => BoundKind::Chain,
    };
    Ok(Bound {
        elapsed: nanos(program.unwrap_or(0.0).max(simple)),
        kind,
        program: program.map(nanos),
        form,
        spread: nanos(spread),
        chain: nanos(chain),
    })
}

fn nanos(time: f64) -> Nanos {
    Nanos(time as u64)
}

/// Chooses a program of acceptable size. Groups are `(threads, needs of all of them)`.
fn posed(groups: &[Group], all: Demand, speed: &Speed) -> (Form, Vec<(usize, Demand)>) {
    let classes = speed.runners.len() * speed.holders.len();
    let variables = |demand: &Demand| demand.flows.len() * classes + speed.runners.len();
    if groups.is_empty() || variables(&all) > MOST_VARIABLES {
        return (Form::Omitted, Vec::new());
    }
    if groups.iter().map(|group| variables(&group.each)).sum::<usize>() > MOST_VARIABLES {
        let threads = groups.iter().map(|group| group.members.len()).sum();
        return (Form::Merged, vec![(threads, all)]);
    }
    let whole = |group: &Group| {
        let threads = group.members.len();
        let mut needs = group.each.clone();
        needs.flows.values_mut().for_each(|bytes| *bytes *= threads as f64);
        needs.work *= threads as f64;
        needs.wait *= threads as f64;
        (threads, needs)
    };
    (Form::Groups, groups.iter().map(whole).collect())
}

/// Least time, ns. `unit` is a time of the same order, which bytes are measured in as well: one unit of
/// bytes is what all controllers serve in one unit of time.
fn solve(
    groups: &[(usize, Demand)],
    speed: &Speed,
    workload: &Workload,
    unit: f64,
) -> Result<f64, Error> {
    let all = speed.all_controllers();
    let nodes = speed.nodes.len();
    let mut linear = Linear::new();
    let mut controllers: Vec<Sum> = vec![Vec::new(); nodes];
    let mut links: Vec<Sum> = vec![Vec::new(); nodes * nodes];
    let mut cores: Vec<Sum> = vec![Vec::new(); nodes];
    let mut cpus: Vec<Sum> = vec![Vec::new(); nodes];
    for (threads, demand) in groups {
        let mut busy: Sum = Vec::new();
        for (&flow, &bytes) in &demand.flows {
            let mut served: Sum = Vec::new();
            for &i in &speed.runners {
                for &n in &speed.holders {
                    let quantity = linear.quantity(0.0);
                    let time = all * flow.time(speed, i, n);
                    served.push((quantity, 1.0));
                    controllers[n].push((quantity, 1.0));
                    links[i * nodes + n].push((quantity, 1.0));
                    busy.push((quantity, time));
                    cpus[i].push((quantity, time));
                    if flow == Flow::Stream {
                        cores[i].push((quantity, time));
                    }
                }
            }
            linear.fix(&served, bytes / (unit * all));
        }
        let mut worked: Sum = Vec::new();
        for &i in speed.runners.iter().filter(|_| demand.work > 0.0) {
            let quantity = linear.quantity(0.0);
            worked.push((quantity, 1.0));
            cores[i].push((quantity, 1.0));
            cpus[i].push((quantity, 1.0));
        }
        if !worked.is_empty() {
            linear.fix(&worked, demand.work / unit);
        }
        linear.limit(busy, (demand.work + demand.wait) / unit, *threads as f64);
    }
    for (n, sum) in controllers.into_iter().enumerate() {
        linear.limit(sum, 0.0, speed.controller[n] / all);
    }
    for &i in &speed.runners {
        linear.limit(std::mem::take(&mut cores[i]), 0.0, speed.cores[i]);
        linear.limit(std::mem::take(&mut cpus[i]), 0.0, speed.cpus[i] as f64);
        // A link as fast as the controller behind it limits nothing.
        for &n in speed.holders.iter().filter(|&&n| speed.link(i, n) < speed.controller[n]) {
            linear.limit(std::mem::take(&mut links[i * nodes + n]), 0.0, speed.link(i, n) / all);
        }
    }
    let failed =
        |cause| Error::Program { workload: workload.name.clone(), program: "bound", cause };
    Ok(linear.solve().map_err(failed)?.time * unit * (1.0 - SAFETY))
}

#[cfg(test)]
mod tests;
