//! The published kernels, assembled from mechanisms: one file each, found by name.

mod balancenuma;
mod hard_bind;
mod interleave;
mod inverse_bind;
mod mainline;
mod registry;

pub use balancenuma::{Balancenuma, Features};
pub use mainline::Mainline;
pub use registry::{TreeInfo, UnknownTree, all, build};
