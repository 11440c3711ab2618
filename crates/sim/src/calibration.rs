//! The one file of fitted numbers, `calibration.toml`, and its hash.

use std::collections::BTreeMap;

use homenode_topology::{Bandwidth, Machine};
use serde::Deserialize;
use sha2::{Digest, Sha256};

const TEXT: &str = include_str!("../calibration.toml");

/// Everything in `calibration.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Version of the file's layout.
    pub version: u32,
    /// Published cells the numbers were fitted on.
    pub cells: Vec<FittedCells>,
    /// Published cells whose outcome is chaotic.
    pub chaotic: Vec<ChaoticCells>,
    /// Fitted speeds of machine presets, by name.
    pub machines: BTreeMap<String, MachineFit>,
    /// Memory controllers.
    pub controller: ControllerFit,
    /// Costs of kernel paths.
    pub cost: Cost,
    /// Scheduler.
    pub sched: SchedFit,
    /// Housekeeping.
    pub noise: NoiseFit,
    /// For the straw man "bandwidth arithmetic": controllers that work at the same time, by class.
    pub effective_controllers: BTreeMap<String, f64>,
}

/// Published cells that numbers were fitted on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedCells {
    /// Seed table.
    pub table: String,
    /// Its column.
    pub column: String,
    /// Its row's first label.
    pub metric: String,
    /// Its rows' second labels.
    pub keys: Vec<String>,
    /// What they fit.
    pub fits: String,
}

/// Published cells that count only by whether they lie in the simulated band.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChaoticCells {
    /// Seed table.
    pub table: String,
    /// Its row's first label.
    pub metric: String,
    /// Its rows' second labels.
    pub keys: Vec<String>,
    /// Its columns.
    pub columns: Vec<String>,
}

/// Replaces figures of a machine preset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineFit {
    /// Payload a node's controllers accept from clearing, MiB/s.
    pub controller_mib_per_s: Option<f64>,
    /// Payload one core clears alone, MiB/s.
    pub core_mib_per_s: Option<f64>,
}

/// Memory controllers.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControllerFit {
    /// `a_ij` of machine-model 2.1 for requests of the controller's own node; 1 for all others.
    pub local_share: f64,
}

/// Costs of kernel paths in nanoseconds; see the comments in `calibration.toml`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in calibration.toml")]
pub struct Cost {
    pub tick_ns: f64,
    pub minor_fault_ns: f64,
    pub huge_fault_ns: f64,
    pub hint_fault_ns: f64,
    pub hint_batch_ns: f64,
    pub hint_huge_ns: f64,
    pub walk_page_ns: f64,
    pub arm_page_ns: f64,
    pub arm_huge_ns: f64,
    pub flush_ns: f64,
    pub flush_thread_ns: f64,
    pub migrate_page_ns: f64,
    pub migrate_huge_ns: f64,
    pub table_lock_ns: f64,
    pub clear_speed: f64,
    pub copy_speed: f64,
}

/// Scheduler constants; see the comments in `calibration.toml`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in calibration.toml")]
pub struct SchedFit {
    pub latency_ns: u64,
    pub min_granularity_ns: u64,
    pub numa_balance_busy_ns: u64,
    pub numa_balance_idle_ns: u64,
    pub core_balance_idle_ns: u64,
    pub active_after: u32,
}

/// Housekeeping; see the comments in `calibration.toml`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is explained in calibration.toml")]
pub struct NoiseFit {
    pub kthread_period_ns: u64,
    pub kthread_burst_ns: u64,
    pub daemons: u32,
    pub daemon_sleep_ns: u64,
    pub daemon_burst_ns: u64,
}

impl Calibration {
    /// The calibration that is part of this release.
    ///
    /// # Errors
    /// When the file does not parse, with the line.
    pub fn shipped() -> Result<Self, crate::Error> {
        Self::parse(TEXT)
    }

    /// Reads a calibration from text.
    ///
    /// # Errors
    /// When the text does not parse, with the line.
    pub fn parse(text: &str) -> Result<Self, crate::Error> {
        toml::from_str(text).map_err(|error| crate::Error::Calibration(error.to_string()))
    }

    /// First 16 hexadecimal digits of the SHA-256 of the shipped file.
    #[must_use]
    pub fn hash() -> String {
        let digest = Sha256::digest(TEXT.as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Puts the fitted speeds of a preset into its description.
    pub fn apply(&self, machine: &mut Machine) {
        let Some(fit) = self.machines.get(&machine.name) else { return };
        let Some(performance) = &mut machine.performance else { return };
        let rate = |mib: f64| Bandwidth((mib * 1_048_576.0) as u64);
        if let Some(mib) = fit.controller_mib_per_s {
            performance.controller = rate(mib);
        }
        if let Some(mib) = fit.core_mib_per_s {
            performance.core_stream = rate(mib);
        }
    }
}
