//! A comparison for tests: the published first table with made-up runs around it.

use crate::comparison::{
    Column, Comparison, Curve, Durations, Regret, RegretCell, Row, Samples, TimeChart,
};
use crate::mmtests::Edition;
use crate::report::Report;
use crate::role::{Role, RoleRule, Roles};
use crate::seed::{SeedTable, SeedTables};
use crate::straw_man::StrawMan;
use crate::vmstat::{VmstatRow, VmstatRun};

/// The rows of a compare table as a comparison with one run per cell, columns named as published.
pub(crate) fn comparison_of(table: &SeedTable, edition: Edition) -> Comparison {
    let columns = table.columns.iter().map(|name| Column {
        name: name.clone(),
        published: Some(name.clone()),
        predecessor: None,
    });
    let rows = table.rows().into_iter().map(|(metric, key)| Row {
        benchmark: table.benchmark.clone(),
        metric: metric.to_owned(),
        key: key.to_owned(),
        cells: table
            .columns
            .iter()
            .map(|column| {
                table.cell(metric, key, column).map(|cell| Samples::new(vec![cell.value]).unwrap())
            })
            .collect(),
    });
    Comparison {
        title: table.title.clone(),
        machine: table.machine.clone(),
        edition,
        against: vec![table.id.clone()],
        columns: columns.collect(),
        rows: rows.collect(),
        durations: Vec::new(),
        vmstat: Vec::new(),
        regret: Vec::new(),
        charts: Vec::new(),
    }
}

/// The durations of a duration table.
pub(crate) fn durations_of(table: &SeedTable) -> Vec<Option<Durations>> {
    let seconds = |metric: &str, column: &str| {
        Samples::new(vec![table.cell(metric, "", column).unwrap().value]).unwrap()
    };
    let durations = |column: &String| Durations {
        user: seconds("User", column),
        system: seconds("System", column),
        elapsed: seconds("Elapsed", column),
    };
    table.columns.iter().map(|column| Some(durations(column))).collect()
}

/// The counters behind a vmstat table: the rows that print a counter unchanged, read back.
pub(crate) fn vmstat_of(table: &SeedTable) -> Vec<Vec<VmstatRun>> {
    let run = |column: &String| {
        let mut run = VmstatRun { elapsed_seconds: 1.0, ..VmstatRun::default() };
        for row in VmstatRow::all(Edition::Y2012).chain(VmstatRow::all(Edition::Y2013)) {
            if let (Some(counter), Some(cell)) = (row.counter(), table.cell(row.name, "", column)) {
                run.counters.insert(counter.to_owned(), cell.printed.parse().unwrap());
            }
        }
        run
    };
    table.columns.iter().map(|column| vec![run(column)]).collect()
}

/// Three stages of balancenuma with `runs` runs whose values lie evenly within 4 % around `factor` times the published ones.
pub(crate) fn comparison(runs: u32, factor: f64) -> Comparison {
    let tables = SeedTables::load().unwrap();
    let mut comparison = comparison_of(tables.get("T000-01").unwrap(), Edition::Y2012);
    comparison.machine = "r810".to_owned();
    comparison.against = ["T000-01", "T000-02", "T000-03"].map(str::to_owned).to_vec();
    comparison.durations = durations_of(tables.get("T000-02").unwrap());
    comparison.vmstat = vmstat_of(tables.get("T000-03").unwrap());
    let spread = |samples: &Samples| {
        let value = |run: u32| {
            samples.mean() * factor * (0.98 + 0.04 * f64::from(run) / f64::from(runs.max(2) - 1))
        };
        Samples::new((0..runs).map(value).collect()).unwrap()
    };
    let keep = [0, 3, 4];
    for row in &mut comparison.rows {
        row.cells = keep.iter().map(|at| row.cells[*at].as_ref().map(spread)).collect();
    }
    comparison.columns = keep.iter().map(|at| comparison.columns[*at].clone()).collect();
    comparison.durations = keep.iter().map(|at| comparison.durations[*at].clone()).collect();
    comparison.vmstat = keep.iter().map(|at| comparison.vmstat[*at].clone()).collect();
    for (column, name) in comparison.columns.iter_mut().zip([
        "balancenuma:stats",
        "balancenuma:thpmigrate",
        "balancenuma:adaptscan",
    ]) {
        column.name = name.to_owned();
    }
    comparison.columns[1].predecessor = comparison.columns[0].published.clone();
    comparison.columns[2].predecessor = comparison.columns[1].published.clone();
    let regret = |bound: f64| RegretCell {
        regret_bound: Some(bound),
        regret_static: (bound > 0.1).then_some(bound - 0.1),
    };
    comparison.regret = vec![Regret {
        workload: "numa02".to_owned(),
        cells: vec![regret(2.6), regret(0.05), regret(0.12)],
    }];
    let curve = |name: &str, speed: f64| Curve {
        name: name.to_owned(),
        points: (0..=50_i32)
            .map(|at| (f64::from(at), 1.0 - 0.75 / (1.0 + speed * f64::from(at))))
            .collect(),
    };
    comparison.charts = vec![TimeChart {
        title: "numa02: local share of accesses".to_owned(),
        value_label: "local / all accesses".to_owned(),
        curves: vec![
            curve("balancenuma:stats", 0.0),
            curve("balancenuma:thpmigrate", 1.0),
            curve("balancenuma:adaptscan", 0.4),
        ],
    }];
    comparison
}

pub(crate) fn roles() -> Roles {
    let rule = |metric: Option<&str>, key: Option<&str>, column: Option<&str>, role| RoleRule {
        table: Some("T000-01".to_owned()),
        metric: metric.map(str::to_owned),
        key: key.map(str::to_owned),
        column: column.map(str::to_owned),
        role,
        reason: None,
        scale: None,
    };
    let halved = RoleRule {
        table: Some("T000-03".to_owned()),
        scale: Some(0.5),
        ..rule(None, None, None, Role::HeldOut)
    };
    Roles {
        rules: vec![
            rule(Some("Elapsed"), Some("NUMA02"), Some("*-stats-*"), Role::Calibration),
            rule(Some("Elapsed"), Some("NUMA01"), Some("*-thpmigrate-*"), Role::HeldOutChaotic),
            rule(Some("Elapsed"), Some("NUMA01"), Some("*-adaptscan-*"), Role::HeldOutChaotic),
            halved,
        ],
    }
}

pub(crate) fn report(runs: u32, factor: f64) -> Report {
    let tables = SeedTables::load().unwrap();
    let straw_men: [StrawMan; 0] = [];
    Report::new(vec![comparison(runs, factor)], &tables, &roles(), &straw_men, "c0ffee").unwrap()
}
