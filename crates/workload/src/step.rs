//! Steps of a thread.

use homenode_topology::{Bytes, Nanos, NodeMask};
use serde::{Deserialize, Serialize};

use crate::MemoryPolicy;

/// A stretch of a region, in bytes from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// First byte.
    pub start: Bytes,
    /// Length in bytes.
    pub length: Bytes,
}

impl Part {
    /// All of a region of this size.
    #[must_use]
    pub const fn whole(size: Bytes) -> Self {
        Self { start: Bytes::ZERO, length: size }
    }

    /// Slice `i` of `of` equal slices of a region of this size. The length is rounded down to whole
    /// bytes, as the programs do it, so the last bytes of the region may belong to no slice.
    #[must_use]
    pub const fn slice(size: Bytes, i: u32, of: u32) -> Self {
        let length = size.0 / if of == 0 { 1 } else { of as u64 };
        Self { start: Bytes(length * i as u64), length: Bytes(length) }
    }

    /// The first byte after it.
    #[must_use]
    pub const fn end(self) -> Bytes {
        Bytes(self.start.0.saturating_add(self.length.0))
    }
}

/// How memory is accessed, which decides the traffic it causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Non-temporal stores of whole lines, as a large clear does: 1 byte of traffic a byte.
    Clear,
    /// Ordinary stores: the line is read and written back, 2 bytes of traffic a byte.
    Write,
    /// Loads: 1 byte of traffic a byte.
    Read,
    /// Load and store of every word: 2 bytes of traffic a byte.
    Update,
}

impl Access {
    /// Bytes of memory traffic for each byte accessed (benchmarks 1).
    #[must_use]
    pub const fn traffic(self) -> u64 {
        match self {
            Self::Clear | Self::Read => 1,
            Self::Write | Self::Update => 2,
        }
    }

    /// Bytes accessed for each byte of memory traffic: the inverse of [`Self::traffic`].
    #[must_use]
    pub const fn payload(self) -> f64 {
        match self.traffic() {
            1 => 1.0,
            _ => 0.5,
        }
    }

    /// Whether it changes memory.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read)
    }
}

/// One thing a thread does before the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Pass over a part of a region from its first to its last byte.
    Sweep {
        /// Index of the region in its process.
        region: usize,
        /// Which part.
        part: Part,
        /// How often.
        passes: u32,
        /// How.
        access: Access,
    },
    /// Access independent cache lines at uniformly random places; latency bound.
    Random {
        /// Index of the region in its process.
        region: usize,
        /// Which part.
        part: Part,
        /// How many lines.
        lines: u64,
        /// How.
        access: Access,
        /// Work between two accesses that needs no memory, nanoseconds at full core speed.
        compute: Nanos,
    },
    /// Work without memory, in nanoseconds at full core speed.
    Compute(Nanos),
    /// Sleep.
    Sleep(Nanos),
    /// Set the task's memory policy for pages it touches first from now on; threads it creates inherit
    /// this.
    SetPolicy(MemoryPolicy),
    /// Restrict the task to the CPUs of these nodes; threads it creates inherit this.
    RunOn(NodeMask),
    /// Create a thread of the process. As in Linux, it inherits the affinity and the memory policy that
    /// its creator has at this moment; what the creator sets later does not reach it.
    Spawn(Box<Thread>),
    /// Wait until all threads this one created have ended.
    Join,
    /// Wait until as many threads of the process as `parties` wait at this barrier.
    Barrier {
        /// Which barrier of the process.
        id: u32,
        /// How many threads meet.
        parties: u32,
    },
}

/// A thread: its steps, then it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// In order.
    pub steps: Vec<Step>,
}
