//! What runs inside the test guest: a workload whose placement is known and whose data is checked to
//! the end (`wl`), and a holder of perf events (`keephold`).
//!
//! Nothing here uses the crates under test: the guest's own account of where pages and threads are
//! must not share a mistake with the program it judges.

mod placement;
mod report;
mod sweep;
pub mod sys;

pub use placement::{CpuNodes, Placement, last_cpu, local_share};
pub use report::{Second, joined};
pub use sweep::{LINE_WORDS, Sweep, Visits, seed};
