//! Machines in one line, for machines that exist only in the mind.
//!
//! ```text
//! nodes=4 cores=6 threads=2 memory=16GiB distance=10/20
//! nodes=0-1,4 cores=8 cores@4=0 memory=32GiB memory@4=128GiB controller@4=10GiB/s distance@0>4=17
//! ```
//!
//! # Grammar
//!
//! ```text
//! spec  = item { white-space item }
//! item  = key [ "@" scope ] "=" value
//! scope = list             some nodes
//!       | list ">" list    some ordered pairs: from nodes with the CPU, to nodes with the memory
//! list  = kernel list syntax, `0-3,8`
//! ```
//!
//! | key | value | scope | without it |
//! |---|---|---|---|
//! | `nodes` | a count (`4` is nodes 0 to 3), or a list of ids (`0-1,4`; one node with id 4 is `4-4`) | - | 1 |
//! | `sockets` | packages; nodes share them evenly, or they share a node evenly | - | one a node with CPUs |
//! | `cores` | cores of each node; 0 is a node without CPUs | nodes | 1 |
//! | `threads` | hardware threads of each core | nodes | 1 |
//! | `memory` | memory of each node; 0 is a node without memory | nodes | `16GiB` |
//! | `llc` | last-level cache of each node, shared by its CPUs of one socket; 0 is unknown | nodes | `16MiB` |
//! | `distance` | `10/20`: to itself and to any other node; `ring:10/16/22`: by steps along the ring of the nodes; `10,20;21,10`: one row for each node the CPU is on; scoped: one figure | pairs | `10/20` |
//! | `offline` | list of CPUs that exist but are offline | - | none |
//! | `controller` | clear rate of a node's memory controllers | nodes | `20GiB/s` |
//! | `link` | rate of a link in one direction | pairs | `15GiB/s` |
//! | `stream` | rate that one core reaches alone on its own node | - | `8GiB/s` |
//! | `latency` | idle latency, local/remote at distance 20: `90/140ns` | - | `90/140ns` |
//! | `queue` | queueing delay at a half-loaded controller | - | `10ns` |
//! | `smt` | throughput of a core with all threads busy against one thread | - | `1.1` |
//! | `clock` | `2400MHz` or `2.4GHz` | - | `2500MHz` |
//!
//! Sizes are a number (decimals allowed) and `B`, `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024) or `KB`, `MB`,
//! `GB`, `TB` (powers of 1000); rates are a size and `/s`. The order of items is free. A scoped item takes
//! precedence over the same item without a scope, a later scoped item over an earlier one.
//!
//! # Numbering
//!
//! Cores are numbered through the nodes in order. CPUs are numbered as x86 firmware usually does: first the
//! first threads of all cores, then the second threads. With 4 nodes of 6 cores and 2 threads, CPU `c` is
//! thread `c / 24` of core `c % 24`, which is on node `c % 24 / 6`.
//!
//! The performance figures that are assumed when none is given are those of [`Performance::generic`].

mod build;
mod distance;
mod format;
mod item;
mod value;

pub use format::format;

use crate::{Error, Machine, Performance};

/// Keys in the order of the documentation.
const KEYS: [&str; 15] = [
    "nodes",
    "sockets",
    "cores",
    "threads",
    "memory",
    "llc",
    "distance",
    "offline",
    "controller",
    "link",
    "stream",
    "latency",
    "queue",
    "smt",
    "clock",
];

/// Keys that set a performance figure.
pub(crate) const PERFORMANCE_KEYS: [&str; 7] =
    ["controller", "link", "stream", "latency", "queue", "smt", "clock"];

/// Whether `text` is meant as a one-line description and not as a name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    text.contains('=')
}

/// Reads a one-line description.
///
/// # Errors
/// [`Error::Spec`] with the column: an unknown or repeated key, a value that does not fit its key, a node
/// that is not there, or more than 1,024 nodes or 8,192 CPUs.
pub fn parse(text: &str) -> Result<Machine, Error> {
    let items = item::split(text)?;
    build::machine(text, &items)
}

#[cfg(test)]
mod tests;
