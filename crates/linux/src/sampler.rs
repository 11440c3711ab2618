//! Samplers: which thread accesses which memory, as far as a source can tell.

mod averages;
mod fault;
mod nodes;
mod rings;
mod sample;
mod self_test;

pub use averages::AveragesSampler;
pub use fault::{FaultOptions, FaultSampler};
pub use nodes::{NodeLookup, locate};
pub use rings::{Rings, ThreadRing};
pub use sample::{Access, Collected, Op, Sample, Sampler, Sees, Source, Weight};
pub use self_test::{SelfTest, Verdict};

#[cfg(test)]
mod tests;
