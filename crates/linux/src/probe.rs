//! What this machine offers and who else moves things on it: the facts behind `doctor`.

mod cpusets;
mod finding;
mod movers;
mod others;
mod report;
mod settings;
mod tasks;

pub use finding::{Finding, Severity};
pub use movers::{Availability, movers};
pub use others::{KernelBalancer, OtherMover, kernel_balancer, other_movers};
pub use report::{Probe, probe, survey};

#[cfg(test)]
mod tests;
