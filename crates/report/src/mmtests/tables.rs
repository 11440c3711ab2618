//! The three tables of an MMTests report.

use super::format::{fixed, header};
use super::{Edition, Grid, print_value, value_width};
use crate::comparison::{Column, Comparison, Durations, Row};
use crate::percent::rule_for;
use crate::vmstat::{VmstatRow, VmstatRun};

/// What stands where nothing was measured.
const NOTHING: &str = "-";

fn header_rows(grid: &mut Grid, labels: usize, columns: &[Column], edition: Edition) {
    let split: Vec<(&str, &str)> =
        columns.iter().map(|column| header(&column.name, edition)).collect();
    let blank = std::iter::repeat_n("", labels);
    if split.iter().any(|(upper, _)| !upper.is_empty()) {
        grid.row(blank.clone().chain(split.iter().map(|(upper, _)| *upper)));
    }
    grid.row(blank.chain(split.iter().map(|(_, lower)| *lower)));
}

/// Change of a cell against the first cell of its row, in per cent by the rule of the row; `None` without both.
pub(crate) fn row_change(row: &Row, column: usize, edition: Edition) -> Option<f64> {
    let value = row.cells.get(column)?.as_ref()?.mean();
    let baseline = row.cells.first()?.as_ref()?.mean();
    Some(rule_for(&row.benchmark, &row.metric).change(value, baseline, edition))
        .filter(|change| change.is_finite())
}

fn compare_cell(row: &Row, column: usize, edition: Edition) -> String {
    let Some(samples) = row.cells.get(column).and_then(Option::as_ref) else {
        return NOTHING.to_owned();
    };
    let value = print_value(&row.benchmark, samples.mean());
    let width = value_width(&row.benchmark, &row.metric);
    match row_change(row, column, edition) {
        Some(change) => format!("{value:>width$} ({:>6}%)", fixed(change, 2)),
        None => format!("{value:>width$} ({NOTHING:>7})"),
    }
}

/// The compare table: two header lines, then for each row the mean of each column and its change against the first column in per cent.
/// A plus follows the rule of the row type, which is not always an improvement.
pub fn compare_table(comparison: &Comparison) -> String {
    let mut grid = Grid::new(2);
    header_rows(&mut grid, 2, &comparison.columns, comparison.edition);
    for row in &comparison.rows {
        let cells = (0..comparison.columns.len())
            .map(|column| compare_cell(row, column, comparison.edition));
        grid.row([row.metric.clone(), row.key.clone()].into_iter().chain(cells));
    }
    grid.print(0)
}

/// User, System and Elapsed seconds of the whole test, without percentages. Empty without durations.
pub fn duration_table(comparison: &Comparison) -> String {
    if comparison.durations.is_empty() {
        return String::new();
    }
    let mut grid = Grid::new(1);
    header_rows(&mut grid, 1, &comparison.columns, comparison.edition);
    for (at, name) in ["User", "System", "Elapsed"].into_iter().enumerate() {
        let seconds =
            |times: &Durations| times.rows().get(at).map(|(_, samples)| fixed(samples.mean(), 2));
        let cells = comparison
            .durations
            .iter()
            .map(|times| times.as_ref().and_then(seconds).unwrap_or_else(|| NOTHING.to_owned()));
        grid.row(std::iter::once(name.to_owned()).chain(cells));
    }
    grid.print(12)
}

/// Which vmstat rows to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VmstatRows {
    /// All rows, as MMTests does.
    All,
    /// Without the rows that show no event in any column.
    Active,
}

/// The vmstat table: for each column the mean of its runs, computed rows following from the printed counters. Empty without runs.
pub fn vmstat_table(comparison: &Comparison, rows: VmstatRows) -> String {
    let runs: Vec<Option<VmstatRun>> =
        comparison.vmstat.iter().map(|runs| VmstatRun::mean(runs)).collect();
    if runs.iter().all(Option::is_none) {
        return String::new();
    }
    let idle = VmstatRun::default();
    let mut grid = Grid::new(1);
    header_rows(&mut grid, 1, &comparison.columns, comparison.edition);
    for row in VmstatRow::all(comparison.edition) {
        let active = runs.iter().flatten().any(|run| row.value(run) != row.value(&idle));
        if active || rows == VmstatRows::All {
            let cells = runs.iter().map(|run| {
                run.as_ref().map_or_else(|| NOTHING.to_owned(), |run| row.value(run).print())
            });
            grid.row(std::iter::once(row.name.to_owned()).chain(cells));
        }
    }
    grid.print(12)
}
