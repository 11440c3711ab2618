//! Memory policies of tasks and mappings, as `set_mempolicy(2)` and `mbind(2)` have them.

use homenode_topology::{NodeId, NodeMask};
use serde::{Deserialize, Serialize};

/// Where new pages go, and whether the balancer may move them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryPolicy {
    /// The node of the CPU that touches first, the nearest with room if it is full. May be moved by
    /// hinting faults.
    #[default]
    Default,
    /// As `Default`, stated explicitly (`MPOL_LOCAL`).
    Local,
    /// Only these nodes: the toucher's own if it is one of them, else the nearest of them. Not moved
    /// by hinting faults.
    Bind(NodeMask),
    /// These nodes in turn, by page offset. Not moved by hinting faults.
    Interleave(NodeMask),
    /// This node while it has room. Not moved by hinting faults.
    Preferred(NodeId),
    /// As the inner policy, with hinting faults allowed to move pages inside it (`MPOL_F_MOF`).
    MigrateOnFault(Box<MemoryPolicy>),
}

impl MemoryPolicy {
    /// Whether hinting faults may move pages under this policy.
    #[must_use]
    pub const fn migrates_on_fault(&self) -> bool {
        matches!(self, Self::Default | Self::Local | Self::MigrateOnFault(_))
    }

    /// The policy without its migrate-on-fault flag.
    #[must_use]
    pub fn placement(&self) -> &Self {
        match self {
            Self::MigrateOnFault(inner) => inner.placement(),
            other => other,
        }
    }
}
