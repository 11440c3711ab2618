//! The role of every published cell: fitted on, held out, a matter of chance, or without a counterpart.

use homenode_report::seed::{Kind, SeedTables};
use homenode_report::vmstat::VmstatRow;
use homenode_report::{Role, RoleRule, Roles};
use homenode_sim::Calibration;

use crate::catalog::Catalog;
use crate::vmstat;

const NO_CAUSE: &str = "the model has no cause for these events";

/// The rules: the calibration's own lists first, then counters without a cause in the model, then tables
/// whose numbers are scaled. All other cells are held out.
#[must_use]
pub fn rules(calibration: &Calibration, catalog: &Catalog, tables: &SeedTables) -> Roles {
    let mut rules = Vec::new();
    for cells in &calibration.cells {
        rules.extend(cells.keys.iter().map(|key| RoleRule {
            key: Some(key.clone()),
            column: Some(cells.column.clone()),
            reason: Some(format!("fits {}", cells.fits)),
            ..rule(&cells.table, Some(&cells.metric), Role::Calibration)
        }));
    }
    for cells in &calibration.chaotic {
        for key in &cells.keys {
            rules.extend(cells.columns.iter().map(|column| RoleRule {
                key: Some(key.clone()),
                column: Some(column.clone()),
                ..rule(&cells.table, Some(&cells.metric), Role::HeldOutChaotic)
            }));
        }
    }
    for table in tables.all().iter().filter(|table| table.kind == Kind::Vmstat) {
        let without_cause = table.rows().into_iter().filter(|(metric, _)| {
            VmstatRow::named(metric)
                .and_then(VmstatRow::counter)
                .is_some_and(|counter| !vmstat::is_modelled(counter))
        });
        rules.extend(without_cause.map(|(metric, _)| RoleRule {
            reason: Some(NO_CAUSE.to_owned()),
            scale: catalog.scale(&table.id).map(|scale| scale.factor),
            ..rule(&table.id, Some(metric), Role::Unscored)
        }));
    }
    for scale in &catalog.scales {
        let as_is = |metric: &String| rule(&scale.table, Some(metric), Role::HeldOut);
        rules.extend(scale.except.iter().map(as_is));
    }
    rules.extend(catalog.scales.iter().map(|scale| RoleRule {
        reason: Some(scale.reason.clone()),
        scale: Some(scale.factor),
        ..rule(&scale.table, None, Role::HeldOut)
    }));
    Roles { rules }
}

/// A rule for all cells of a table, or of a metric in it.
fn rule(table: &str, metric: Option<&str>, role: Role) -> RoleRule {
    RoleRule {
        table: Some(table.to_owned()),
        metric: metric.map(str::to_owned),
        key: None,
        column: None,
        role,
        reason: None,
        scale: None,
    }
}

#[cfg(test)]
mod tests {
    use homenode_report::CellId;

    use super::*;

    fn rule_of(table: &str, metric: &str, key: &str, column: &str) -> Option<RoleRule> {
        let tables = SeedTables::load().unwrap();
        let rules = rules(&Calibration::shipped().unwrap(), &Catalog::load().unwrap(), &tables);
        rules.check(&tables).unwrap();
        let id = CellId {
            table: table.to_owned(),
            metric: metric.to_owned(),
            key: key.to_owned(),
            column: column.to_owned(),
        };
        rules.rule(&id).cloned()
    }

    #[test]
    fn cells_have_the_roles_that_the_calibration_lists() {
        let role =
            |metric, key, column| rule_of("T000-01", metric, key, column).map(|rule| rule.role);
        let (stats, adaptscan) = ("3.7.0-rc6-stats-v5r1", "3.7.0-rc6-adaptscan-v5r1");
        assert_eq!(role("Elapsed", "NUMA02", stats), Some(Role::Calibration));
        assert_eq!(role("Elapsed", "NUMA01", adaptscan), Some(Role::HeldOutChaotic));
        assert_eq!(role("Elapsed", "NUMA02", adaptscan), None);
    }

    #[test]
    fn the_two_runs_of_the_vmstat_table_are_halved_and_foreign_counters_left_out() {
        let row = |metric| rule_of("T000-03", metric, "", "3.7.0-rc6-stats-v5r1").unwrap();
        let faults = row("NUMA hint faults");
        assert_eq!((faults.role, faults.scale), (Role::HeldOut, Some(0.5)));
        let foreign = row("Slabs scanned");
        assert_eq!((foreign.role, foreign.scale), (Role::Unscored, Some(0.5)));
        assert_eq!(foreign.reason.as_deref(), Some(NO_CAUSE));
        assert_eq!(row("Kswapd efficiency").scale, None);
    }
}
