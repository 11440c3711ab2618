//! Programs bound to the wrong nodes on purpose, on a kernel without balancing.
//!
//! Rules: the INVERSE_BIND build of a program is started (other-trees 3.3, benchmarks 2.4). Source:
//! autonuma-benchmark; no published table has it, and it serves as the other end of the scale.
//! Known weakness: its own test compares the wrong mask, so that only one of numa01's two processes is
//! really inverted.

use super::Mainline;
use crate::Launch;

pub(super) fn build() -> Mainline {
    Mainline::launching("inverse-bind", Launch::InverseBind)
}
