//! Finds the published counterpart of every cell of a comparison.

use super::{CellId, MetricClass, PublishedCell, SimulatedValue, log_error};
use crate::Error;
use crate::comparison::{Column, Comparison, Row, Samples};
use crate::role::{Role, Roles};
use crate::seed::{Kind, SeedCell, SeedTable, SeedTables};
use crate::vmstat::VmstatRow;

/// MMTests prints one program's name in its own way: (as printed, as the program is called).
const SPELLINGS: [(&str, &str); 1] = [("NUMA01_THEADLOCAL", "NUMA01_THREAD_ALLOC")];

fn spelled(key: &str) -> &str {
    SPELLINGS.iter().find(|(printed, _)| *printed == key).map_or(key, |(_, program)| *program)
}

/// Every cell of the published tables named by `comparison.against` that the comparison has a counterpart of, in printed order.
///
/// A column is matched by [`crate::Column::published`], a row by its labels, the baseline by the first column of the comparison.
/// Duration and vmstat tables are matched with the durations and vmstat runs.
///
/// # Errors
/// [`Error::UnknownTable`] if `against` names no table.
pub fn published_cells(
    comparison: &Comparison,
    tables: &SeedTables,
    roles: &Roles,
) -> Result<Vec<PublishedCell>, Error> {
    let mut cells = Vec::new();
    for name in &comparison.against {
        for table in tables.select(name)? {
            cells
                .extend(table.cells.iter().filter_map(|cell| pair(comparison, table, cell, roles)));
        }
    }
    Ok(cells)
}

/// The published cell beside a row's cell in a column.
pub fn counterpart<'a>(
    cells: &'a [PublishedCell],
    column: &Column,
    row: &Row,
) -> Option<&'a PublishedCell> {
    cells.iter().find(|cell| {
        cell.simulated_column == column.name
            && Some(&cell.cell.column) == column.published.as_ref()
            && cell.cell.metric == row.metric
            && spelled(&cell.cell.key) == spelled(&row.key)
    })
}

fn pair(
    comparison: &Comparison,
    table: &SeedTable,
    cell: &SeedCell,
    roles: &Roles,
) -> Option<PublishedCell> {
    let at = comparison
        .columns
        .iter()
        .position(|column| column.published.as_ref() == Some(&cell.column))?;
    let column = comparison.columns.get(at)?;
    let simulated = SimulatedValue::from(&simulated_samples(comparison, table, cell, at)?);
    let id = CellId::new(table, cell);
    let rule = roles.rule(&id);
    let scale = rule.and_then(|rule| rule.scale).unwrap_or(1.0);
    let published =
        |column: &str| table.cell(&cell.metric, &cell.key, column).map(|cell| cell.value * scale);
    let nothing = cell.value == 0.0 && simulated.median == 0.0;
    let (class, role, reason) = match (MetricClass::of(table, &cell.metric, &cell.key), rule) {
        (Err(reason), _) => (None, Role::Unscored, Some(reason.to_owned())),
        (Ok(class), Some(rule)) if rule.role == Role::Unscored || !nothing => {
            (Some(class), rule.role, rule.reason.clone())
        }
        (Ok(class), _) if nothing => (Some(class), Role::Unscored, Some("0 in both".to_owned())),
        (Ok(class), _) => (Some(class), Role::HeldOut, None),
    };
    Some(PublishedCell {
        class,
        simulated_column: column.name.clone(),
        published: cell.value * scale,
        published_baseline: comparison.columns.first()?.published.as_deref().and_then(published),
        simulated,
        simulated_baseline: simulated_samples(comparison, table, cell, 0)
            .map(|samples| samples.median()),
        published_predecessor: column.predecessor.as_deref().and_then(published),
        baseline: at == 0,
        role,
        reason,
        log_error: log_error(simulated.median, cell.value * scale),
        cell: id,
    })
}

/// The simulated samples of a row in a column.
fn simulated_samples(
    comparison: &Comparison,
    table: &SeedTable,
    cell: &SeedCell,
    column: usize,
) -> Option<Samples> {
    match table.kind {
        Kind::Duration => {
            let times = comparison.durations.get(column)?.as_ref()?;
            times
                .rows()
                .into_iter()
                .find(|(metric, _)| *metric == cell.metric)
                .map(|(_, samples)| samples.clone())
        }
        Kind::Vmstat => {
            let row = VmstatRow::named(&cell.metric)?;
            let values =
                comparison.vmstat.get(column)?.iter().map(|run| row.value(run).number()).collect();
            Samples::new(values).ok()
        }
        Kind::Compare | Kind::Peaks | Kind::Prose => {
            let same = |benchmark: &str, metric: &str, key: &str| {
                benchmark == table.benchmark
                    && metric == cell.metric
                    && spelled(key) == spelled(&cell.key)
            };
            comparison
                .rows
                .iter()
                .find(|row| same(&row.benchmark, &row.metric, &row.key))?
                .cells
                .get(column)?
                .clone()
        }
    }
}
