//! The real machine: observes processes and acts on them, never decides.
//!
//! Readers of `/proc` and `/sys` under any root ([`procfs`]), the system calls behind a trait with a fake
//! for tests, what may be moved and what not, a journal written before each act, movers of threads and
//! pages, samplers of memory accesses, and a probe of what this machine offers.

mod affinity;
mod errno;
mod error;
pub mod fake;
mod files;
mod freeze;
mod id;
mod identity;
pub mod journal;
pub mod limits;
pub mod mover;
mod parsed;
pub mod perf;
pub mod placement;
pub mod probe;
pub mod procfs;
mod rehearsal;
pub mod sampler;
#[allow(unsafe_code)]
mod sys;

pub use errno::Errno;
pub use error::{Error, Result};
pub use files::{Files, Root};
pub use homenode_topology::{Bytes, CpuId, CpuMask, Nanos, NodeId, NodeMask, PageIndex};
pub use id::{Pid, Tid};
pub use identity::{Identity, SpaceMark, TaskId};
pub use parsed::{Parsed, Warning};
pub use rehearsal::Rehearsal;
pub use sampler::Collected;
pub use sys::{Kernel, PageStatus, RealKernel, Ring, Signal, Writer};
