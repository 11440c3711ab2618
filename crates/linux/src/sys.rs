//! System calls: the only module of the workspace with unsafe code, behind a trait that says what the
//! rest of the crate needs from a kernel.

mod child;
mod kernel;
mod real;
mod ring;

pub use kernel::{Kernel, PageStatus, Ring, Signal, Writer};
pub use real::RealKernel;

#[cfg(test)]
mod tests;
