//! Bandwidth arithmetic by hand, as a straw man beside the simulator.

use homenode_topology::{Bandwidth, Nanos};
use homenode_workload::Workload;

/// Elapsed time as finding 3 of machine-model has it: swept bytes divided by the rate of one controller
/// times the number of controllers that effectively serve (above zero, as the caller assumes it for a
/// class of policies). `None` where the rate or the number is zero, negative or no number.
#[must_use]
pub fn bandwidth_arithmetic(
    workload: &Workload,
    controller: Bandwidth,
    effective_controllers: f64,
) -> Option<Nanos> {
    let rate = controller.0 as f64 * effective_controllers;
    (rate > 0.0).then(|| Nanos((workload.swept() as f64 / rate * 1e9) as u64))
}
