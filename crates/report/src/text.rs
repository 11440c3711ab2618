//! The report as text: MMTests tables, published beside simulated, the score.

use crate::comparison::{Comparison, RegretCell, Samples};
use crate::fidelity::{Score, Scores};
use crate::mmtests::{Grid, VmstatRows, compare_table, duration_table, fixed, vmstat_table};
use crate::published::{PublishedCell, worst_first};
use crate::report::Report;
use crate::stats;
use crate::vmstat::{VmstatRow, VmstatRun};

#[cfg(test)]
mod tests;

/// Residuals listed.
const RESIDUALS: usize = 10;
/// What stands where a figure is not defined.
const NOTHING: &str = "-";

impl Report {
    /// The report as text. Parts without data are left out.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for comparison in &self.comparisons {
            text += &comparison_text(comparison);
        }
        text + &self.fidelity_text()
    }

    /// Published beside simulated values, the worst residuals and the score. Empty if nothing published has a counterpart.
    pub fn fidelity_text(&self) -> String {
        let mut text = String::new();
        if !self.published.is_empty() {
            section(&mut text, "Published beside simulated", &published_table(&self.published));
            let worst: Vec<&PublishedCell> =
                worst_first(&self.published).into_iter().take(RESIDUALS).collect();
            section(&mut text, "Worst residuals first", &cells_table(&worst));
            section(&mut text, "Score", &score_table(self));
        }
        text
    }
}

/// Adds a headed part unless it is empty.
fn section(text: &mut String, heading: &str, body: &str) {
    if !body.is_empty() {
        *text += &format!("{heading}\n{body}\n");
    }
}

/// The tables of one comparison.
pub fn comparison_text(comparison: &Comparison) -> String {
    let mut text = format!("{}, machine {}\n\n", comparison.title, comparison.machine);
    if !comparison.rows.is_empty() {
        section(&mut text, "Mean and change against the first column", &compare_table(comparison));
    }
    section(&mut text, "Spread", &spread_table(comparison));
    section(
        &mut text,
        "Regret: time over optimum - 1, against the lower bound / the best static placement",
        &regret_table(comparison),
    );
    section(&mut text, "Duration, seconds", &duration_table(comparison));
    section(
        &mut text,
        "vmstat, rows without events left out",
        &vmstat_table(comparison, VmstatRows::Active),
    );
    section(
        &mut text,
        "vmstat costs with the terms that MMTests drops",
        &corrected_costs(comparison),
    );
    text
}

/// Sample deviation in per cent of the mean, with `*` where the Mann-Whitney test tells the column from the first at 5 %.
pub(crate) fn spread_table(comparison: &Comparison) -> String {
    let several =
        |cell: &Option<Samples>| cell.as_ref().is_some_and(|samples| samples.values().len() > 1);
    let rows: Vec<_> = comparison.rows.iter().filter(|row| row.cells.iter().any(several)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(2);
    grid.row(
        ["", ""].into_iter().chain(comparison.columns.iter().map(|column| column.name.as_str())),
    );
    for row in rows {
        let baseline = row.cells.first().and_then(Option::as_ref);
        let cells = row.cells.iter().map(|cell| {
            cell.as_ref().map_or_else(|| NOTHING.to_owned(), |samples| spread(samples, baseline))
        });
        grid.row([row.metric.clone(), row.key.clone()].into_iter().chain(cells));
    }
    format!(
        "sample deviation in % of the mean; * differs from the first column (Mann-Whitney, p < 0.05)\n{}",
        grid.print(12)
    )
}

fn spread(samples: &Samples, baseline: Option<&Samples>) -> String {
    let Some(deviation) =
        stats::sample_deviation(samples.values()).filter(|_| samples.mean() != 0.0)
    else {
        return NOTHING.to_owned();
    };
    let test =
        baseline.and_then(|baseline| stats::mann_whitney(samples.values(), baseline.values()));
    let mark = if test.is_some_and(|test| test.p < 0.05) { "*" } else { " " };
    format!("{}%{mark}", fixed(100.0 * deviation / samples.mean().abs(), 2))
}

/// Regret against the bound and against the best static placement, in per cent.
pub(crate) fn regret_pair(cell: &RegretCell) -> String {
    let percent = |regret: Option<f64>| {
        regret.map_or_else(|| NOTHING.to_owned(), |regret| format!("{}%", fixed(100.0 * regret, 1)))
    };
    format!("{} / {}", percent(cell.regret_bound), percent(cell.regret_static))
}

fn regret_table(comparison: &Comparison) -> String {
    if comparison.regret.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(1);
    grid.row(
        std::iter::once("").chain(comparison.columns.iter().map(|column| column.name.as_str())),
    );
    for regret in &comparison.regret {
        grid.row(
            std::iter::once(regret.workload.clone()).chain(regret.cells.iter().map(regret_pair)),
        );
    }
    grid.print(12)
}

/// The two cost rows as they were meant; empty if nothing cost anything.
pub(crate) fn corrected_costs(comparison: &Comparison) -> String {
    let runs: Vec<Option<VmstatRun>> =
        comparison.vmstat.iter().map(|runs| VmstatRun::mean(runs)).collect();
    let mut grid = Grid::new(1);
    grid.row(
        std::iter::once("").chain(comparison.columns.iter().map(|column| column.name.as_str())),
    );
    let mut any = false;
    for row in VmstatRow::corrected() {
        any |= runs.iter().flatten().any(|run| row.value(run).number() > 0.0);
        let cells = runs.iter().map(|run| {
            run.as_ref().map_or_else(|| NOTHING.to_owned(), |run| row.value(run).print())
        });
        grid.row(std::iter::once(row.name.to_owned()).chain(cells));
    }
    if any { grid.print(12) } else { String::new() }
}

/// All cells but those that are 0 on both sides.
fn published_table(cells: &[PublishedCell]) -> String {
    cells_table(&cells.iter().filter(|cell| !cell.is_idle()).collect::<Vec<_>>())
}

/// A number with the decimals its size needs: whole from 1000 on, else two.
pub(crate) fn short(value: f64) -> String {
    fixed(value, if value.abs() >= 1000.0 { 0 } else { 2 })
}

/// An error with its sign, three decimals.
pub(crate) fn signed(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:+.3}"))
}

fn cells_table(cells: &[&PublishedCell]) -> String {
    let mut grid = Grid::new(4);
    grid.row([
        "table",
        "metric",
        "key",
        "column",
        "published",
        "median",
        "p5",
        "p95",
        "runs",
        "ln(s/p)",
        "role",
    ]);
    for cell in cells {
        let simulated = &cell.simulated;
        let id = &cell.cell;
        let labels =
            [id.table.clone(), id.metric.clone(), id.key.clone(), cell.simulated_column.clone()];
        let values = [
            short(cell.published),
            short(simulated.median),
            short(simulated.p5),
            short(simulated.p95),
            simulated.runs.to_string(),
            signed(cell.log_error),
            cell.role.name().to_owned(),
        ];
        grid.row(labels.into_iter().chain(values));
    }
    grid.print(0)
}

/// A figure of a score.
type Figure = fn(&Score) -> Option<f64>;

/// The columns of the score table: heading and value.
pub(crate) const SCORE_COLUMNS: [(&str, Figure); 7] = [
    ("median", |score| score.median_abs_log_error),
    ("p90", |score| score.p90_abs_log_error),
    ("max", |score| score.max_abs_log_error),
    ("model", |score| score.model_median_abs_log_error),
    ("tau", |score| score.kendall_tau),
    ("sign", |score| score.sign_agreement),
    ("in band", |score| score.in_band),
];

/// The score groups in printed order: the model on held-out and calibration cells, then each straw man.
pub(crate) fn score_groups(report: &Report) -> Vec<(String, &Scores)> {
    let fidelity = &report.fidelity;
    let straw_men =
        fidelity.straw_men.iter().map(|(name, scores)| (format!("straw man: {name}"), scores));
    [("held out".to_owned(), &fidelity.held_out), ("calibration".to_owned(), &fidelity.calibration)]
        .into_iter()
        .chain(straw_men)
        .collect()
}

fn score_table(report: &Report) -> String {
    let mut grid = Grid::new(2);
    grid.row(
        ["cells", "class", "n"]
            .into_iter()
            .chain(SCORE_COLUMNS.iter().map(|(heading, _)| *heading)),
    );
    for (name, scores) in score_groups(report) {
        for (class, score) in scores {
            let figures = SCORE_COLUMNS.iter().map(|(_, figure)| {
                figure(score).map_or_else(|| NOTHING.to_owned(), |value| fixed(value, 3))
            });
            grid.row(
                [name.clone(), class.name().to_owned(), score.cells.to_string()]
                    .into_iter()
                    .chain(figures),
            );
        }
    }
    let unscored =
        report.published.iter().filter(|cell| cell.role == crate::role::Role::Unscored).count();
    format!(
        "errors are |ln(prediction / published)|; model: its median on the cells of the straw man; calibration {}; {unscored} cells unscored\n{}",
        report.fidelity.calibration_hash,
        grid.print(8)
    )
}
