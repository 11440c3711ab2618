//! A static placement: where threads run and where memory lies.

use crate::demand::Need;
use crate::segment::Segment;
use crate::speed::Speed;

/// Threads bound to nodes, and for each segment the share of each node. Nodes are positions in the
/// machine's list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placement {
    /// By thread; `None` is free to run anywhere.
    pub(crate) threads: Vec<Option<usize>>,
    /// By segment: a weight for each node, zero where nothing of it lies.
    pub(crate) shares: Vec<Vec<f64>>,
}

/// Nodes of threads that work, as `None` for those that only create others.
pub(crate) type Seats = Vec<Option<usize>>;

/// No thread is bound.
pub(crate) fn free(needs: &[Need<'_>]) -> Seats {
    vec![None; needs.len()]
}

/// Threads dealt out over all nodes in order, in proportion to their CPUs.
pub(crate) fn even(needs: &[Need<'_>], speed: &Speed) -> Seats {
    let working: Vec<usize> = (0..needs.len()).filter(|&at| works(&needs[at])).collect();
    let cpus: usize = speed.cpus.iter().sum();
    let mut seats = free(needs);
    for (turn, &thread) in working.iter().enumerate() {
        let mut cpu = turn * cpus / working.len();
        seats[thread] = speed.runners.iter().copied().find(|&node| {
            let here = cpu < speed.cpus[node];
            cpu = cpu.wrapping_sub(speed.cpus[node]);
            here
        });
    }
    seats
}

/// Whether a thread is bound in a placement: it needs something and leaves it to no other.
pub(crate) fn works(need: &Need<'_>) -> bool {
    !need.leads() && need.demand != crate::demand::Demand::default()
}

/// All memory interleaved over all nodes that have some.
pub(crate) fn interleaved(seats: Seats, segments: &[Segment], speed: &Speed) -> Placement {
    let mut share = vec![0.0; speed.nodes.len()];
    speed.holders.iter().for_each(|&node| share[node] = 1.0);
    Placement { threads: seats, shares: vec![share; segments.len()] }
}

/// What has an owner is local to it; the rest is interleaved over the nodes its users run on, or over
/// all where none of them is bound.
pub(crate) fn local(seats: Seats, segments: &[Segment], speed: &Speed) -> Placement {
    let share = |segment: &Segment| {
        let mut share = vec![0.0; speed.nodes.len()];
        let owner = segment.owner.and_then(|thread| seats[thread]);
        let users = segment.users.keys().filter_map(|&thread| seats[thread]);
        match owner {
            Some(node) => share[speed.home(node)] = 1.0,
            None => users.for_each(|node| share[speed.home(node)] = 1.0),
        }
        if share.iter().all(|&weight| weight == 0.0) {
            speed.holders.iter().for_each(|&node| share[node] = 1.0);
        }
        share
    };
    let shares = segments.iter().map(share).collect();
    Placement { threads: seats, shares }
}
