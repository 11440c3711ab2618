//! What a comparison runs: the command line with every name resolved and every default filled in.

use homenode_balance::tree;
use homenode_report::{Edition, SeedTables};
use homenode_sim::Calibration;
use homenode_topology::Machine;
use homenode_workload::preset::{self, PresetInfo};

use crate::against::{self, Selection};
use crate::args::CompareArgs;
use crate::catalog::Catalog;
use crate::workload::Choice;
use crate::{Error, machine};

/// Everything that plans are made from.
#[derive(Debug)]
pub struct Context {
    /// The published tables.
    pub tables: SeedTables,
    /// Their names and ours.
    pub catalog: Catalog,
    /// Fitted numbers.
    pub calibration: Calibration,
}

impl Context {
    /// What comes with the program.
    ///
    /// # Errors
    /// If a data file of the program is damaged.
    pub fn load() -> Result<Self, Error> {
        Ok(Self {
            tables: SeedTables::load()?,
            catalog: Catalog::load()?,
            calibration: Calibration::shipped()?,
        })
    }
}

/// One comparison on one machine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The machine, calibrated.
    pub machine: Machine,
    /// In the order of the rows.
    pub workloads: Vec<Choice>,
    /// In the order of the columns; the first is the baseline.
    pub policies: Vec<String>,
    /// Seeds 0 to this - 1.
    pub seeds: u64,
    /// Transparent huge pages.
    pub thp: bool,
    /// Ids of the published tables to put beside it.
    pub tables: Vec<String>,
    /// Edition of MMTests whose rules apply.
    pub edition: Edition,
}

/// Default policies of a machine, the first being the baseline.
struct Standard {
    machine: &'static str,
    policies: &'static [&'static str],
}

/// What is compared without arguments: autonumabench as it was published.
const STANDARD: [Standard; 2] = [
    Standard {
        machine: "r810",
        policies: &[
            "balancenuma:stats",
            "mainline",
            "interleave",
            "hard-bind",
            "inverse-bind",
            "balancenuma:thpmigrate",
            "balancenuma:adaptscan",
            "balancenuma:delaystart",
        ],
    },
    Standard { machine: "opteron-32", policies: &["mainline", "hard-bind"] },
];

/// The plans of a command line, and remarks on what of a published table is left out.
///
/// # Errors
/// For unknown names and for flags that do not fit together.
pub fn plans(args: &CompareArgs, context: &Context) -> Result<(Vec<Plan>, Vec<String>), Error> {
    let asked = machine::asked(&args.machine, &context.calibration)?;
    let named = |name: &str| machine::preset(name, &context.calibration);
    if let Some(name) = &args.against {
        let (selections, notes) = against::select(&context.tables, &context.catalog, name)?;
        if let ([_, _, ..], Some(machine)) = (&selections[..], &asked) {
            return Err(Error::Usage(format!(
                "`{name}` was measured on several machines, so it cannot be put beside `{}`; name one of its tables",
                machine.name
            )));
        }
        let plan = |selection: Selection| {
            let machine = asked.clone().map_or_else(|| named(&selection.machine), Ok)?;
            plan(
                args,
                context,
                machine,
                &selection.policies,
                selection.baseline.as_deref(),
                Some(&selection),
            )
        };
        return Ok((selections.into_iter().map(plan).collect::<Result<_, _>>()?, notes));
    }
    let machines = match asked {
        Some(machine) => vec![machine],
        None => {
            STANDARD.iter().map(|standard| named(standard.machine)).collect::<Result<_, _>>()?
        }
    };
    let plan = |machine: Machine| {
        let standard = STANDARD.iter().find(|standard| standard.machine == machine.name);
        let policies: Vec<String> = match standard {
            Some(standard) => standard.policies.iter().map(ToString::to_string).collect(),
            None => tree::all().iter().map(|tree| tree.name.to_owned()).collect(),
        };
        plan(args, context, machine, &policies, None, None)
    };
    Ok((machines.into_iter().map(plan).collect::<Result<_, _>>()?, Vec::new()))
}

/// Fills in one plan: flags first, then `policies` and `baseline`, which come from a published table or
/// are the machine's default.
fn plan(
    args: &CompareArgs,
    context: &Context,
    machine: Machine,
    policies: &[String],
    baseline: Option<&str>,
    selection: Option<&Selection>,
) -> Result<Plan, Error> {
    let workloads = workloads(args, selection)?;
    let policies = columns(args, &machine, policies, baseline)?;
    let presets: Vec<&'static PresetInfo> = workloads.iter().filter_map(Choice::preset).collect();
    let tables = match selection {
        Some(selection) => selection
            .tables
            .iter()
            .filter(|id| {
                context.tables.get(id).is_ok_and(|table| against::is_covered(table, &presets))
            })
            .cloned()
            .collect(),
        // What is published of these benchmarks was measured with huge pages.
        None if !args.thp.is_on() => Vec::new(),
        None => {
            against::beside(&context.tables, &context.catalog, &machine.name, &presets, &policies)
        }
    };
    let edition = tables.first().map_or(Edition::Y2013, |table| context.catalog.edition(table));
    Ok(Plan {
        machine,
        workloads,
        policies,
        seeds: args.seeds,
        thp: args.thp.is_on(),
        tables,
        edition,
    })
}

fn workloads(args: &CompareArgs, selection: Option<&Selection>) -> Result<Vec<Choice>, Error> {
    if args.workloads.is_empty() {
        let presets = match selection {
            Some(selection) => selection.workloads.clone(),
            None => preset::all().iter().collect(),
        };
        return Ok(presets.into_iter().map(Choice::Preset).collect());
    }
    let mut workloads: Vec<Choice> = Vec::new();
    for name in &args.workloads {
        for choice in Choice::named(name)? {
            if workloads.iter().any(|known| known.name() == choice.name()) {
                let name = choice.name();
                return Err(Error::Usage(format!(
                    "workload `{name}` is named twice; name it once"
                )));
            }
            workloads.push(choice);
        }
    }
    Ok(workloads)
}

/// The policies by their full names, the baseline first.
fn columns(
    args: &CompareArgs,
    machine: &Machine,
    policies: &[String],
    baseline: Option<&str>,
) -> Result<Vec<String>, Error> {
    let full = |name: &str| Ok::<_, Error>(tree::build(name, machine)?.name().to_owned());
    let mut columns: Vec<String> = Vec::new();
    for name in args.policies.as_deref().unwrap_or(policies) {
        let name = full(name)?;
        if columns.contains(&name) {
            return Err(Error::Usage(format!("policy `{name}` is named twice; name it once")));
        }
        columns.push(name);
    }
    // A baseline that was asked for is a column in any case, that of a table only if it was chosen.
    let first = match (&args.baseline, baseline) {
        (Some(name), _) => Some(full(name)?),
        (None, Some(name)) => columns.iter().find(|column| *column == name).cloned(),
        (None, None) => None,
    };
    if let Some(first) = first {
        columns.retain(|column| *column != first);
        columns.insert(0, first);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests;
