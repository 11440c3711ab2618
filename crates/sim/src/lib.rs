//! A simulated multi-node machine: deterministic, fast, and credible where it says so.
//!
//! It is a fluid model of the hardware with the kernel's state machines on top, taken literally: rates
//! within a quantum are approximate, counters and page states are exact, and which thread touches a
//! random page is drawn from the right distribution. It reads a policy's [`HostRules`] and never its
//! name; no parameter names a policy or a benchmark. Fitted numbers live in one file, `calibration.toml`,
//! whose hash stands in every report.
//!
//! [`HostRules`]: homenode_balance::HostRules

mod advance;
mod calibration;
mod counters;
mod decision;
mod error;
mod fault;
mod hardware;
mod host;
mod invariant;
mod lock;
mod memory;
mod meter;
mod random;
mod result;
mod run;
mod sched;
mod stream;
mod sweep;
mod task;
mod tick;
mod timeline;

pub use calibration::{
    Calibration, ChaoticCells, ControllerFit, Cost, FittedCells, MachineFit, NoiseFit, SchedFit,
};
pub use counters::Counters;
pub use decision::{Choice, Decision};
pub use error::Error;
pub use result::{ProcessResult, RunResult};
pub use run::{Setup, Witness, run};
pub use timeline::Sample;
