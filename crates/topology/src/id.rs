//! Identifiers as the kernel numbers them: sparse, and never interchangeable.

use core::fmt;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $raw);

        impl $name {
            /// The number as an index into a table that covers every possible id.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// # Panics
            /// Never: numbers beyond the type's range saturate, and no kernel numbers that far.
            fn from(index: usize) -> Self {
                Self(<$raw>::try_from(index).unwrap_or(<$raw>::MAX))
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> Self {
                id.index()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A NUMA node, as in `/sys/devices/system/node/nodeN`. Ids may have gaps.
    NodeId, u16, "N"
);
id!(
    /// A logical CPU (one hardware thread), as in `/sys/devices/system/cpu/cpuN`.
    CpuId, u32, "cpu"
);
id!(
    /// A physical core, unique over the whole machine (sysfs core ids are unique in a socket only).
    CoreId, u32, "core"
);
id!(
    /// A processor package.
    SocketId, u16, "socket"
);
