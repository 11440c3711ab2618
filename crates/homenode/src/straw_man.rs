//! The straw man "bandwidth arithmetic": bytes / (controller rate x effective controllers).

use std::collections::BTreeMap;

use homenode_balance::Launch;
use homenode_optimum::bandwidth_arithmetic;
use homenode_report::StrawMan;
use homenode_report::published::{MetricClass, PublishedCell};
use homenode_sim::Calibration;
use homenode_topology::Nanos;
use homenode_workload::preset;
use serde::Deserialize;

use crate::Error;
use crate::plan::Plan;
use crate::workload::Choice;

const TEXT: &str = include_str!("../data/straw_men.toml");

/// Name in documents.
const NAME: &str = "bandwidth arithmetic";

/// What `data/straw_men.toml` says, with the numbers of the calibration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arithmetic {
    /// Controllers that work at the same time, by class: part of the calibration.
    #[serde(skip)]
    effective_controllers: BTreeMap<String, f64>,
    /// Kind of placement, by policy.
    placement: BTreeMap<String, String>,
    /// Class by kind of placement, by workload; the class is called as the kind where none is given.
    workload: BTreeMap<String, BTreeMap<String, String>>,
}

impl Arithmetic {
    /// The numbers that are part of the program.
    ///
    /// # Errors
    /// [`Error::Data`] if they are damaged.
    pub fn load(calibration: &Calibration) -> Result<Self, Error> {
        let data = |error: toml::de::Error| Error::Data {
            name: "straw_men.toml",
            problem: error.to_string(),
        };
        let classes: Self = toml::from_str(TEXT).map_err(data)?;
        Ok(Self { effective_controllers: calibration.effective_controllers.clone(), ..classes })
    }

    /// Controllers that work at the same time under a policy; `None` if nothing is said about it.
    fn controllers(&self, workload: &str, policy: &str) -> Option<f64> {
        let placement = self.placement.get(policy)?;
        let class = self.workload.get(workload)?.get(placement).unwrap_or(placement);
        self.effective_controllers.get(class).copied()
    }

    /// Predictions of the published times beside each plan.
    ///
    /// # Errors
    /// If a workload cannot be built.
    pub fn predict(&self, plans: &[(&Plan, &[PublishedCell])]) -> Result<StrawMan, Error> {
        let mut man = StrawMan { name: NAME.to_owned(), predictions: BTreeMap::new() };
        for (plan, cells) in plans {
            for cell in cells.iter().filter(|cell| cell.class == Some(MetricClass::Elapsed)) {
                if let Some(seconds) = self.seconds(plan, cell)? {
                    man.predictions.insert(cell.cell.clone(), seconds);
                }
            }
        }
        Ok(man)
    }

    fn seconds(&self, plan: &Plan, cell: &PublishedCell) -> Result<Option<f64>, Error> {
        let Ok(preset) = preset::find(&cell.cell.key) else { return Ok(None) };
        let Some(performance) = &plan.machine.performance else { return Ok(None) };
        let Some(controllers) = self.controllers(preset.name, &cell.simulated_column) else {
            return Ok(None);
        };
        let workload = Choice::Preset(preset).build(&plan.machine, Launch::AsWritten, 0)?;
        let time = bandwidth_arithmetic(&workload, performance.controller, controllers);
        Ok(time.map(Nanos::as_secs_f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_number() {
        let arithmetic = Arithmetic::load(&Calibration::shipped().unwrap()).unwrap();
        for workload in preset::all() {
            for policy in arithmetic.placement.keys() {
                assert!(arithmetic.controllers(workload.name, policy).is_some(), "{policy}");
            }
        }
        assert_eq!(arithmetic.controllers("numa01", "balancenuma:adaptscan"), Some(1.3));
        assert_eq!(arithmetic.controllers("numa02", "hard-bind"), Some(4.0));
        assert_eq!(arithmetic.controllers("numa01", "interleave"), None);
    }
}
