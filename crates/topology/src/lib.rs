//! What a machine looks like: nodes, CPUs, distances, memory and their performance.
//!
//! Everything that names hardware in this project goes through these types, so that a node is never
//! confused with a CPU, a byte count never with a page count, and a node *count* is never used as the
//! highest node *id* (ids may have gaps). The core is `no_std` with `alloc`; the readers (sysfs trees,
//! `numactl -H` text, the one-line form) and the presets need the `std` feature.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(any(test, feature = "testing"))]
pub mod arbitrary;
#[cfg(any(test, feature = "testing"))]
pub mod capture;
mod distance;
#[cfg(feature = "std")]
mod error;
mod id;
mod machine;
mod mask;
#[cfg(feature = "std")]
pub mod numactl;
mod performance;
#[cfg(feature = "std")]
pub mod presets;
#[cfg(feature = "std")]
mod read;
#[cfg(feature = "std")]
pub mod source;
#[cfg(feature = "std")]
pub mod spec;
#[cfg(feature = "std")]
pub mod sysfs;
mod unit;

pub use distance::{Distances, LOCAL_DISTANCE, REMOTE_DISTANCE};
#[cfg(feature = "std")]
pub use error::Error;
pub use id::{CoreId, CpuId, NodeId, SocketId};
pub use machine::{Cpu, Machine, Node};
pub use mask::{CpuMask, Mask, NodeMask, ParseListError};
pub use performance::{LinkRates, Performance, Smt};
#[cfg(feature = "std")]
pub use read::{Read, Warning};
pub use unit::{Bandwidth, Bytes, HUGE_PAGE, Nanos, PAGE, PAGES_PER_HUGE, PageIndex};
