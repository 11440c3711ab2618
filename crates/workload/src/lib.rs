//! What a benchmark does, as data: processes, their memory, and the steps of their threads.
//!
//! A [`Workload`] is concrete: it was built for one machine, so sizes, thread counts and node sets are
//! numbers. It does not know who runs it. The notation follows the workload models of benchmarks 1:
//! what a program writes, where, how often, and under which memory policy, never how long it takes.

mod check;
mod error;
pub mod file;
mod memory_policy;
mod places;
pub mod preset;
mod program;
mod step;
#[cfg(test)]
mod test_machine;

pub use error::{Error, Problem};
pub use memory_policy::MemoryPolicy;
pub use places::Places;
pub use program::{Build, Process, Region, Workload};
pub use step::{Access, Part, Step, Thread};
