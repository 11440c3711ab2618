//! A published table or post as an experiment: its machine, policies, workloads and baseline.

use std::collections::BTreeMap;

use homenode_report::SeedTables;
use homenode_report::seed::{Kind, SeedTable};
use homenode_workload::preset::{self, PresetInfo};

use crate::Error;
use crate::catalog::Catalog;

/// What published tables of one machine amount to.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Preset of the machine.
    pub machine: String,
    /// Presets, in the order of the tables.
    pub workloads: Vec<&'static PresetInfo>,
    /// Policies that copy columns, in the order of the columns.
    pub policies: Vec<String>,
    /// The policy that copies the first column.
    pub baseline: Option<String>,
    /// Ids of the tables.
    pub tables: Vec<String>,
}

/// One selection for each machine of the tables that a name (`T000-01`, or `T000` for a post) stands for,
/// and a line for everything in them that has no counterpart yet.
///
/// # Errors
/// [`Error::Report`] for an unknown name, [`Error::NotSimulated`] if nothing has a counterpart.
pub fn select(
    tables: &SeedTables,
    catalog: &Catalog,
    name: &str,
) -> Result<(Vec<Selection>, Vec<String>), Error> {
    let mut selections: Vec<Selection> = Vec::new();
    let mut missing = Missing::default();
    for table in tables.select(name)? {
        let Some((machine, workloads)) = counterparts(table, catalog, &mut missing) else {
            continue;
        };
        let policies = policies(table, catalog, &mut missing);
        if policies.is_empty() {
            continue;
        }
        let at = selections.iter().position(|selection| selection.machine == machine);
        let at = at.unwrap_or_else(|| {
            selections.push(Selection {
                machine: machine.to_owned(),
                workloads: Vec::new(),
                policies: Vec::new(),
                baseline: catalog.column(table.baseline()).map(|column| column.policy.clone()),
                tables: Vec::new(),
            });
            selections.len() - 1
        });
        if let Some(selection) = selections.get_mut(at) {
            selection.tables.push(table.id.clone());
            for workload in workloads {
                if !selection.workloads.iter().any(|known| known.name == workload.name) {
                    selection.workloads.push(workload);
                }
            }
            for policy in policies {
                if !selection.policies.contains(&policy) {
                    selection.policies.push(policy);
                }
            }
        }
    }
    if selections.is_empty() {
        return Err(Error::NotSimulated { name: name.to_owned(), reasons: missing.lines() });
    }
    Ok((selections, missing.lines()))
}

/// Ids of the tables that have cells for these policies and presets on this machine.
#[must_use]
pub fn beside(
    tables: &SeedTables,
    catalog: &Catalog,
    machine: &str,
    workloads: &[&'static PresetInfo],
    policies: &[String],
) -> Vec<String> {
    let fits = |table: &&SeedTable| {
        let copied = table.columns.iter().filter_map(|column| catalog.column(column));
        catalog.machine(&table.machine) == Some(machine)
            && copied.into_iter().any(|column| policies.contains(&column.policy))
            && is_covered(table, workloads)
    };
    tables.all().iter().filter(fits).map(|table| table.id.clone()).collect()
}

/// Whether these presets are enough for a table: one of its rows, or all programs of its benchmark where
/// the table sums them up.
#[must_use]
pub fn is_covered(table: &SeedTable, workloads: &[&'static PresetInfo]) -> bool {
    let runs = |wanted: &&'static PresetInfo| workloads.iter().any(|run| run.name == wanted.name);
    let wanted = presets(table);
    if sums_up(table) {
        !wanted.is_empty() && wanted.iter().all(runs)
    } else {
        wanted.iter().any(runs)
    }
}

/// Whether a table is about the whole test.
fn sums_up(table: &SeedTable) -> bool {
    matches!(table.kind, Kind::Duration | Kind::Vmstat)
}

/// The presets whose results a table holds.
fn presets(table: &SeedTable) -> Vec<&'static PresetInfo> {
    let Ok(all) = preset::select(&table.benchmark) else { return Vec::new() };
    if sums_up(table) {
        return all.iter().collect();
    }
    let held = |preset: &&PresetInfo| {
        table
            .cells
            .iter()
            .any(|cell| preset::find(&cell.key).is_ok_and(|found| found.name == preset.name))
    };
    all.iter().filter(held).collect()
}

fn counterparts<'a>(
    table: &SeedTable,
    catalog: &'a Catalog,
    missing: &mut Missing,
) -> Option<(&'a str, Vec<&'static PresetInfo>)> {
    let workloads = presets(table);
    if workloads.is_empty() {
        missing.add(format!("benchmark `{}`", table.benchmark), &table.id);
        return None;
    }
    let machine = catalog.machine(&table.machine);
    if machine.is_none() {
        missing.add(format!("machine `{}`", table.machine), &table.id);
    }
    Some((machine?, workloads))
}

fn policies(table: &SeedTable, catalog: &Catalog, missing: &mut Missing) -> Vec<String> {
    let mut policies = Vec::new();
    for name in &table.columns {
        match catalog.column(name) {
            Some(column) => policies.push(column.policy.clone()),
            None => missing.add(format!("column `{name}`"), &table.id),
        }
    }
    policies
}

/// What has no counterpart yet, with the tables that have it.
#[derive(Default)]
struct Missing(BTreeMap<String, Vec<String>>);

impl Missing {
    fn add(&mut self, what: String, table: &str) {
        self.0.entry(what).or_default().push(table.to_owned());
    }

    fn lines(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|(what, tables)| format!("{what} is not simulated yet ({})", tables.join(", ")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(name: &str) -> (Vec<Selection>, Vec<String>) {
        select(&SeedTables::load().unwrap(), &Catalog::load().unwrap(), name).unwrap()
    }

    fn names(presets: &[&'static PresetInfo]) -> Vec<&'static str> {
        presets.iter().map(|preset| preset.name).collect()
    }

    #[test]
    fn a_post_becomes_one_experiment_with_what_is_missing_listed() {
        let (selections, missing) = selected("T000");
        let [only] = &selections[..] else { panic!("{selections:?}") };
        assert_eq!(only.machine, "r810");
        assert_eq!(only.baseline.as_deref(), Some("balancenuma:stats"));
        assert_eq!(
            only.policies,
            ["stats", "thpmigrate", "adaptscan", "delaystart"]
                .map(|stage| format!("balancenuma:{stage}"))
        );
        assert_eq!(only.tables, ["T000-01", "T000-02", "T000-03"]);
        assert_eq!(
            names(&only.workloads),
            ["numa01", "numa01-thread-alloc", "numa02", "numa02-smt"]
        );
        assert!(missing.iter().any(|line| {
            line == "column `3.7.0-rc6-numacore-20121123` is not simulated yet (T000-01, T000-02, T000-03)"
        }), "{missing:?}");
        assert!(missing.iter().any(|line| line.starts_with("benchmark `specjbb`")), "{missing:?}");
    }

    #[test]
    fn a_table_of_one_program_selects_that_program() {
        let (selections, _) = selected("T001-03");
        let [only] = &selections[..] else { panic!("{selections:?}") };
        assert_eq!(only.machine, "opteron-32");
        assert_eq!(names(&only.workloads), ["numa01-thread-alloc"]);
        assert_eq!(only.policies, ["mainline", "hard-bind"]);
        assert_eq!(only.baseline.as_deref(), Some("mainline"));
    }

    #[test]
    fn a_table_without_any_counterpart_is_refused_with_the_reasons() {
        let (tables, catalog) = (SeedTables::load().unwrap(), Catalog::load().unwrap());
        let error = select(&tables, &catalog, "T004-05").unwrap_err().to_string();
        assert!(error.contains("column `3.12.0-rc3-account-v9` is not simulated yet"), "{error}");
        assert!(select(&tables, &catalog, "T00").unwrap_err().to_string().contains("nearest"));
    }

    /// Sums over a whole test stand beside whole tests only.
    #[test]
    fn totals_are_put_beside_complete_tests_only() {
        let (tables, catalog) = (SeedTables::load().unwrap(), Catalog::load().unwrap());
        let policies = ["balancenuma:stats".to_owned()];
        let all: Vec<_> = preset::all().iter().collect();
        assert_eq!(
            beside(&tables, &catalog, "r810", &all, &policies),
            ["T000-01", "T000-02", "T000-03"]
        );
        assert_eq!(beside(&tables, &catalog, "r810", &all[..1], &policies), ["T000-01"]);
        assert!(beside(&tables, &catalog, "r810", &all, &["mainline".to_owned()]).is_empty());
        assert!(beside(&tables, &catalog, "nodes=4", &all, &policies).is_empty());
    }
}
