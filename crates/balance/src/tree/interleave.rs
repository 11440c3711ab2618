//! All memory dealt out over all nodes, page by page, on a kernel without balancing.
//!
//! Rules: each new page goes to the next node in turn (`MPOL_INTERLEAVE` over the nodes with memory); CPUs
//! are free. Source: `numactl --interleave=all`, the manual remedy against one hot node.
//! Known weakness: with N nodes, only one access in N is local, however private the memory is.

use super::Mainline;
use crate::Launch;

pub(super) fn build() -> Mainline {
    Mainline::launching("interleave", Launch::Interleave)
}
