//! From runs to what the report takes: rows, durations, counters and curves.

use homenode_report::{
    Column, Comparison, Curve, Durations, Error, Regret, Row, Samples, TimeChart, VmstatRun,
};
use homenode_sim::RunResult;

use crate::experiment::Results;
use crate::plan::{Context, Plan};
use crate::regret::Optimum;
use crate::vmstat;
use crate::workload::Choice;

/// Most points of a curve.
const POINTS: usize = 100;

type Figure = fn(&RunResult) -> f64;

/// The row types of autonumabench, in printed order. GNU time cuts the utilisation off.
const METRICS: [(&str, Figure); 4] = [
    ("User", |run| run.user.as_secs_f64()),
    ("System", |run| run.system.as_secs_f64()),
    ("Elapsed", |run| run.elapsed.as_secs_f64()),
    ("CPU", |run| run.cpu_percent().floor()),
];

/// A comparison of what has been finished of a plan, with the optimum of each of its workloads.
///
/// # Errors
/// If a figure of a run is not a number.
pub fn comparison(
    plan: &Plan,
    results: Results<'_>,
    optima: &[Optimum],
    context: &Context,
) -> Result<Comparison, Error> {
    let policies = 0..plan.policies.len();
    let names: Vec<String> = plan.workloads.iter().map(Choice::benchmark).collect();
    let benchmarks: Vec<&String> = names
        .iter()
        .enumerate()
        .filter(|(at, name)| !names[..*at].contains(name))
        .map(|(_, name)| name)
        .collect();
    let title = benchmarks.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let thp = if plan.thp { "THP on" } else { "THP off" };
    let seeds = if plan.seeds == 1 { "1 seed".to_owned() } else { format!("{} seeds", plan.seeds) };
    Ok(Comparison {
        title: format!("{title}, {thp}, {seeds}"),
        machine: plan.machine.name.clone(),
        edition: plan.edition,
        against: plan.tables.clone(),
        columns: plan.policies.iter().map(|policy| column(policy, plan, context)).collect(),
        rows: rows(plan, results)?,
        durations: policies.clone().map(|at| durations(results, at)).collect::<Result<_, _>>()?,
        vmstat: policies.map(|at| counters(results, at)).collect(),
        regret: regret(plan, results, optima)?,
        charts: (0..plan.workloads.len())
            .filter_map(|workload| local_ratio(plan, results, workload))
            .collect(),
    })
}

/// A column, with the first column of the published tables that its policy copies.
fn column(policy: &str, plan: &Plan, context: &Context) -> Column {
    let copies = |name: &String| {
        context.catalog.column(name).filter(|column| column.policy == policy).cloned()
    };
    let published = plan
        .tables
        .iter()
        .filter_map(|id| context.tables.get(id).ok())
        .find_map(|table| table.columns.iter().find_map(copies));
    Column {
        name: policy.to_owned(),
        predecessor: published.as_ref().and_then(|column| column.predecessor.clone()),
        published: published.map(|column| column.name),
    }
}

fn rows(plan: &Plan, results: Results<'_>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (metric, figure) in METRICS {
        for (at, workload) in plan.workloads.iter().enumerate() {
            let cells: Vec<Option<Samples>> = (0..plan.policies.len())
                .map(|policy| samples(results.runs(at, policy).map(figure).collect()))
                .collect::<Result<_, _>>()?;
            rows.push(Row {
                benchmark: workload.benchmark(),
                metric: metric.to_owned(),
                key: key(workload),
                cells,
            });
        }
    }
    Ok(rows)
}

/// Second label of a workload's rows, as printed in the tables.
fn key(workload: &Choice) -> String {
    workload.preset().map_or_else(|| workload.name(), |preset| preset.row.to_owned())
}

/// Samples of these values, if there are any.
fn samples(values: Vec<f64>) -> Result<Option<Samples>, Error> {
    if values.is_empty() { Ok(None) } else { Samples::new(values).map(Some) }
}

fn durations(results: Results<'_>, policy: usize) -> Result<Option<Durations>, Error> {
    let seconds = |figure: Figure| {
        let sum = |runs: Vec<&RunResult>| runs.into_iter().map(figure).sum();
        samples(results.whole_tests(policy).map(sum).collect())
    };
    let [(_, user), (_, system), (_, elapsed), _] = METRICS;
    Ok(match (seconds(user)?, seconds(system)?, seconds(elapsed)?) {
        (Some(user), Some(system), Some(elapsed)) => Some(Durations { user, system, elapsed }),
        _ => None,
    })
}

fn counters(results: Results<'_>, policy: usize) -> Vec<VmstatRun> {
    results.whole_tests(policy).map(|runs| vmstat::sum(runs.into_iter())).collect()
}

/// Regret of each workload whose optimum is known; none at all if no optimum is.
fn regret(plan: &Plan, results: Results<'_>, optima: &[Optimum]) -> Result<Vec<Regret>, Error> {
    if optima.iter().all(|optimum| optimum.bound.or(optimum.best_static).is_none()) {
        return Ok(Vec::new());
    }
    let row = |(at, (workload, optimum)): (usize, (&Choice, &Optimum))| {
        let cell = |policy| {
            let seconds = results.runs(at, policy).map(|run| run.elapsed.as_secs_f64()).collect();
            Ok(optimum.regret(samples(seconds)?.as_ref()))
        };
        let cells = (0..plan.policies.len()).map(cell).collect::<Result<_, _>>()?;
        Ok(Regret { workload: workload.name(), cells })
    };
    plan.workloads.iter().zip(optima).enumerate().map(row).collect()
}

/// The local share of traffic over time, in the first finished run of each policy.
fn local_ratio(plan: &Plan, results: Results<'_>, workload: usize) -> Option<TimeChart> {
    let curve = |(at, policy): (usize, &String)| {
        let run = results.runs(workload, at).next()?;
        Some(Curve { name: policy.clone(), points: points(run) })
    };
    let curves: Vec<Curve> = plan.policies.iter().enumerate().filter_map(curve).collect();
    (!curves.is_empty()).then(|| TimeChart {
        title: format!("{}: local share of memory traffic", plan.workloads[workload].name()),
        value_label: "local / all traffic".to_owned(),
        curves,
    })
}

/// The local ratio at the end of each of at most [`POINTS`] stretches.
fn points(run: &RunResult) -> Vec<(f64, f64)> {
    let each = run.timeline.len().div_ceil(POINTS).max(1);
    let stretches = run.timeline.chunks(each).filter_map(|samples| {
        let mean = samples.iter().map(|sample| sample.local_ratio).sum::<f64>();
        Some((samples.last()?.at.as_secs_f64(), mean / samples.len() as f64))
    });
    stretches.collect()
}

#[cfg(test)]
mod tests;
