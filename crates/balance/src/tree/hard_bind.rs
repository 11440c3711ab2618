//! Programs bound by hand by their author, on a kernel without balancing.
//!
//! Rules: the bound build of a program is started (other-trees 3.3, benchmarks 2.4); nothing else differs
//! from mainline. Source: the HARD_BIND builds of autonuma-benchmark.
//! Known weakness: it is not an upper bound. On four nodes each process of numa01 is bound to a *pair* of
//! nodes, within which first touch decides, so that about half of the accesses stay remote; a good
//! balancer beats it on numa01_THREAD_ALLOC. For numa02 it is the optimum.

use super::Mainline;
use crate::Launch;

pub(super) fn build() -> Mainline {
    Mainline::launching("hard-bind", Launch::HardBind)
}
