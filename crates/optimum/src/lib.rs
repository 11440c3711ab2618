//! How well a workload could run on a machine: what every policy is measured against.
//!
//! [`bound`] computes a time that no policy can beat, by linear programming. [`best_static`] looks for a
//! static placement of threads and memory that comes near it, and runs it in the simulator: the gap from
//! a policy to it is the policy's, the gap from it to the bound belongs to the model.
//! [`bandwidth_arithmetic`] is the straw man: one division. See machine-model 5.4.

mod best_static;
mod bound;
mod chain;
mod counts;
mod demand;
mod error;
mod fixed;
mod linear;
mod placement;
mod rewrite;
mod segment;
mod speed;
mod straw;

pub use best_static::{BestStatic, Tried, best_static};
pub use bound::{Bound, BoundKind, Form, bound};
pub use error::Error;
pub use straw::bandwidth_arithmetic;
