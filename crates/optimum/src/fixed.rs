//! The best memory shares for given thread counts, by linear programming (machine-model 5.4).
//!
//! With thread counts `z` fixed and every thread accessing its memory evenly, the traffic from node `i`
//! to node `n` is a product of a constant and the share `y` of memory on `n`, and the least time is a
//! linear program in `y`. Memory with an owner follows it: it has shares of its own for each node that
//! owners run on.

use homenode_workload::Workload;
use microlp::Variable;

use crate::Error;
use crate::demand::{Group, Need};
use crate::linear::{Answer, Linear, Sum};
use crate::placement::{Placement, Seats};
use crate::segment::Segment;
use crate::speed::Speed;

/// Weight of the least possible remote traffic beside the least time.
const LOCALITY: f64 = 1e-3;

/// Memory that is placed by one set of shares.
struct Pool {
    segments: Vec<usize>,
    size: f64,
    /// Traffic of each group, bytes.
    traffic: Vec<f64>,
    /// The group whose threads own parts of it.
    owners: Option<usize>,
}

/// What stays the same for all thread counts.
pub(crate) struct Fixed<'a> {
    workload: &'a Workload,
    speed: &'a Speed,
    segments: &'a [Segment],
    groups: &'a [Group],
    pools: Vec<Pool>,
    /// Unit of time, ns.
    unit: f64,
}

impl<'a> Fixed<'a> {
    pub(crate) fn new(
        workload: &'a Workload,
        needs: &[Need<'_>],
        segments: &'a [Segment],
        groups: &'a [Group],
        speed: &'a Speed,
    ) -> Self {
        let mut group_of = vec![None; needs.len()];
        for (number, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|&member| group_of[member] = Some(number));
        }
        let mut pools: Vec<(usize, usize, Pool)> = Vec::new();
        for (number, segment) in segments.iter().enumerate() {
            let owners = segment.owner.and_then(|thread| group_of[thread]);
            let key = (segment.process, segment.region);
            let alike =
                |pool: &(usize, usize, Pool)| (pool.0, pool.1) == key && pool.2.owners == owners;
            let at = pools.iter().position(alike).unwrap_or_else(|| {
                let (segments, traffic) = (Vec::new(), vec![0.0; groups.len()]);
                pools.push((key.0, key.1, Pool { segments, size: 0.0, traffic, owners }));
                pools.len() - 1
            });
            let pool = &mut pools[at].2;
            pool.segments.push(number);
            pool.size += (segment.end - segment.start) as f64;
            for (&thread, bytes) in &segment.users {
                // Of memory with an owner, only the owner's traffic counts.
                if let Some(group) = group_of[thread]
                    && (owners.is_none() || segment.owner == Some(thread))
                {
                    pool.traffic[group] += bytes;
                }
            }
        }
        let pools: Vec<Pool> = pools.into_iter().map(|(.., pool)| pool).collect();
        let traffic: f64 = pools.iter().flat_map(|pool| &pool.traffic).sum();
        let unit = traffic.max(1.0) / speed.all_controllers();
        Self { workload, speed, segments, groups, pools, unit }
    }

    /// The best shares for `counts`, threads by group and node, and their time with a small penalty
    /// for remote traffic, in a unit of its own.
    pub(crate) fn solve(&self, counts: &[Vec<usize>]) -> Result<(f64, Shares), Error> {
        let nodes = self.speed.nodes.len();
        let all = self.speed.all_controllers();
        let mut linear = Linear::new();
        let mut controllers: Vec<Sum> = vec![Vec::new(); nodes];
        let mut links: Vec<Sum> = vec![Vec::new(); nodes * nodes];
        let mut held: Vec<Sum> = vec![Vec::new(); nodes];
        let mut waits: Vec<Sum> = vec![Vec::new(); self.groups.len() * nodes];
        let mut shares = Vec::new();
        for pool in &self.pools {
            let seats: Vec<(usize, f64)> = match pool.owners {
                Some(group) => self.seats_of(group, counts),
                None => vec![(usize::MAX, 1.0)],
            };
            let mut of_pool = Vec::new();
            for (seat, part) in seats {
                let mut served = Sum::new();
                let mut of_seat = vec![None; nodes];
                for &n in &self.speed.holders {
                    let flows = self.flows(pool, seat, counts);
                    let remote: f64 =
                        flows.iter().filter(|flow| flow.1 != n).map(|flow| flow.2).sum();
                    let share = linear.quantity(LOCALITY * remote / (self.unit * all));
                    of_seat[n] = Some(share);
                    served.push((share, 1.0));
                    held[n].push((share, part * pool.size / self.speed.memory[n].0 as f64));
                    let bytes: f64 = flows.iter().map(|flow| flow.2).sum();
                    controllers[n].push((share, bytes / (self.unit * all)));
                    for (group, i, bytes) in flows {
                        links[i * nodes + n].push((share, bytes / (self.unit * all)));
                        let time = self.time(group, i, n) * bytes;
                        let threads = counts[group][i] as f64;
                        waits[group * nodes + i].push((share, time / threads / self.unit));
                    }
                }
                linear.fix(&served, 1.0);
                of_pool.push((seat, of_seat));
            }
            shares.push(of_pool);
        }
        for n in 0..nodes {
            linear.limit(std::mem::take(&mut controllers[n]), 0.0, self.speed.controller[n] / all);
            if !held[n].is_empty() {
                linear.cap(&held[n], 1.0);
            }
            let crowd: usize = counts.iter().map(|of_group| of_group[n]).sum();
            let pace = (self.speed.cores[n] / crowd.max(1) as f64).min(1.0);
            for (number, group) in self.groups.iter().enumerate() {
                let work = (group.each.work + group.each.wait) / self.unit;
                let wait = std::mem::take(&mut waits[number * nodes + n]);
                if counts[number][n] > 0 {
                    linear.limit(wait, work, pace);
                }
            }
            for i in (0..nodes).filter(|&i| self.speed.link(i, n).is_finite()) {
                let link = std::mem::take(&mut links[i * nodes + n]);
                linear.limit(link, 0.0, self.speed.link(i, n) / all);
            }
        }
        let failed = |cause| Error::Program {
            workload: self.workload.name.clone(),
            program: "static placement",
            cause,
        };
        let answer = linear.solve().map_err(failed)?;
        Ok((answer.goal, Shares { answer, by_pool: shares }))
    }

    /// Nodes on which owners of a pool run, with the part of the pool they own.
    fn seats_of(&self, group: usize, counts: &[Vec<usize>]) -> Vec<(usize, f64)> {
        let threads = self.groups[group].members.len() as f64;
        let busy = counts[group].iter().enumerate().filter(|(_, count)| **count > 0);
        busy.map(|(node, &count)| (node, count as f64 / threads)).collect()
    }

    /// Traffic to (a seat of) a pool: group, node of its threads, bytes.
    fn flows(&self, pool: &Pool, seat: usize, counts: &[Vec<usize>]) -> Vec<(usize, usize, f64)> {
        let mut flows = Vec::new();
        for (group, &traffic) in pool.traffic.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0)
        {
            for (node, part) in self.seats_of(group, counts) {
                if pool.owners.is_none() || node == seat {
                    flows.push((group, node, traffic * part));
                }
            }
        }
        flows
    }

    /// Time of a byte of a group's mix of streams and random accesses, ns.
    fn time(&self, group: usize, i: usize, n: usize) -> f64 {
        let each = &self.groups[group].each;
        let time = each.flows.iter().map(|(flow, bytes)| bytes * flow.time(self.speed, i, n));
        time.sum::<f64>() / each.traffic().max(1.0)
    }

    /// The placement that a solution stands for.
    pub(crate) fn placement(&self, seats: Seats, solution: &Shares) -> Placement {
        let mut shares = vec![vec![0.0; self.speed.nodes.len()]; self.segments.len()];
        for (pool, of_pool) in self.pools.iter().zip(&solution.by_pool) {
            for &segment in &pool.segments {
                let node = pool.owners.and(self.segments[segment].owner.and_then(|at| seats[at]));
                let seat = node.unwrap_or(usize::MAX);
                let Some((_, variables)) = of_pool.iter().find(|(at, _)| *at == seat) else {
                    continue;
                };
                for (share, variable) in shares[segment].iter_mut().zip(variables) {
                    *share = variable.map_or(0.0, |variable| solution.answer.value(variable));
                }
                round(&mut shares[segment]);
            }
        }
        Placement { threads: seats, shares }
    }
}

/// Solved shares: for each pool, by node of the owners, a variable for each node with memory.
pub(crate) struct Shares {
    answer: Answer,
    by_pool: Vec<Vec<(usize, Vec<Option<Variable>>)>>,
}

/// To whole per cents, so that equal shares are equal and traces are dropped.
fn round(shares: &mut [f64]) {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    for share in shares.iter_mut() {
        *share = (*share / largest.max(1e-9) * 100.0).round();
    }
}
