//! Who runs where.
//!
//! Per-CPU run queues in virtual-runtime order with slices, placement of new tasks on the idlest CPU,
//! idle pull, periodic balancing between nodes and between cores, and housekeeping processes that
//! disturb all of this (machine-model 4). The rest of the simulator sees only [`Scheduler`]: it tells
//! it which tasks start, block and end, and asks each quantum who runs where for how long.
//!
//! Threads cross nodes for the reason they do on a real machine: with as many busy threads as CPUs,
//! any housekeeping process makes one queue two long; a balancer takes whichever of the two waits; when
//! the disturbance is over, the emptied CPU pulls whatever waits elsewhere; nothing takes it back.

mod balance;
mod noise;
mod place;
mod queue;
mod scheduler;

pub(crate) use scheduler::{Moved, Scheduler, Slice};
