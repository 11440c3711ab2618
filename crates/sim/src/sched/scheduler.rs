//! The scheduler's state and the calls the rest of the simulator makes.

use std::sync::Arc;

use homenode_balance::TaskId;
use homenode_topology::CpuMask;

use super::noise::{Housekeeper, housekeepers};
use super::queue::{Entity, Queue};
use crate::calibration::{NoiseFit, SchedFit};
use crate::hardware::Layout;
use crate::stream::{Kind, Stream};

/// A task that runs on a CPU for part of a quantum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) cpu: usize,
    pub(crate) task: TaskId,
    /// How long, ns.
    pub(crate) length: u64,
}

/// A task that the scheduler moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) task: TaskId,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Balancing state of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    pub(super) node_due: u64,
    pub(super) node_failed: u32,
    pub(super) core_due: u64,
    pub(super) core_failed: u32,
}

/// Where a task is and may be.
#[derive(Clone, Debug)]
struct Seat {
    cpu: usize,
    queued: bool,
    allowed: CpuMask,
    /// `allowed`, by CPU slot.
    may: Vec<bool>,
}

/// Run queues and balancing of the whole machine.
#[derive(Clone, Debug)]
pub(crate) struct Scheduler {
    pub(super) layout: Arc<Layout>,
    pub(super) fit: SchedFit,
    pub(super) queues: Vec<Queue>,
    pub(super) levels: Vec<Level>,
    pub(super) placement: Stream,
    pub(super) balance: Stream,
    seats: Vec<Seat>,
    keepers: Vec<Housekeeper>,
    next_wake: u64,
    was_busy: Vec<bool>,
    moved: Vec<Moved>,
    crossings: u64,
    housekeeping: u64,
}

impl Scheduler {
    pub(crate) fn new(layout: Arc<Layout>, fit: SchedFit, noise: &NoiseFit, seed: u64) -> Self {
        let (cpus, nodes) = (layout.cpus.len(), layout.nodes.len());
        let keepers = housekeepers(noise, cpus, seed);
        let mut balance = Stream::new(seed, Kind::Balance, 0);
        let levels = (0..nodes)
            .map(|_| Level {
                node_due: balance.below(fit.numa_balance_busy_ns),
                core_due: balance.below(fit.core_balance_idle_ns),
                ..Level::default()
            })
            .collect();
        Self {
            layout,
            fit,
            queues: vec![Queue::default(); cpus],
            levels,
            placement: Stream::new(seed, Kind::Placement, 0),
            balance,
            seats: Vec::new(),
            keepers,
            next_wake: 0,
            was_busy: vec![false; cpus],
            moved: Vec::new(),
            crossings: 0,
            housekeeping: 0,
        }
    }

    /// Starts a task, the next by number, on the idlest CPU it may run on; on any CPU if it may run on
    /// none.
    pub(crate) fn start(&mut self, task: TaskId, allowed: CpuMask) -> usize {
        debug_assert_eq!(
            task.index(),
            self.seats.len(),
            "tasks start in the order of their numbers"
        );
        let may = self.by_slot(&allowed);
        let cpu = self.idlest(&|cpu| may[cpu]).unwrap_or(0);
        self.seats.push(Seat { cpu, queued: true, allowed, may });
        self.queues[cpu].push(Entity::Task(task), 0);
        cpu
    }

    /// The CPU a task runs on, or ran on last.
    pub(crate) fn cpu_of(&self, task: TaskId) -> usize {
        self.seats[task.index()].cpu
    }

    /// CPUs a task may run on.
    pub(crate) fn allowed(&self, task: TaskId) -> &CpuMask {
        &self.seats[task.index()].allowed
    }

    /// Takes a task off its queue: it sleeps, waits or ended.
    pub(crate) fn block(&mut self, task: TaskId) {
        let seat = &mut self.seats[task.index()];
        seat.queued = false;
        self.queues[seat.cpu].remove(Entity::Task(task));
    }

    /// Puts a task back: on its old CPU if that is idle, else on an idle CPU of its node, else on the
    /// old one.
    pub(crate) fn wake(&mut self, task: TaskId) {
        let seat = &self.seats[task.index()];
        let (old, may) = (seat.cpu, seat.may.clone());
        let node = self.layout.node_of[old];
        let idle = |cpu: &usize| self.queues[*cpu].len() == 0 && may[*cpu];
        let near = self.layout.cpus_of[node].iter().copied();
        let cpu = Some(old).filter(idle).or_else(|| near.clone().find(idle)).unwrap_or(old);
        let credit = self.fit.latency_ns / 2;
        self.queues[cpu].push(Entity::Task(task), credit);
        let seat = &mut self.seats[task.index()];
        seat.queued = true;
        self.note_move(task, old, cpu);
    }

    /// Restricts a task to these CPUs and moves it there if need be.
    pub(crate) fn restrict(&mut self, task: TaskId, allowed: CpuMask) {
        let may = self.by_slot(&allowed);
        let seat = &mut self.seats[task.index()];
        (seat.allowed, seat.may) = (allowed, may.clone());
        let (from, queued) = (seat.cpu, seat.queued);
        if may[from] {
            return;
        }
        if let Some(to) = self.idlest(&|cpu| may[cpu]) {
            if queued {
                self.transfer(Entity::Task(task), from, to);
            } else {
                self.note_move(task, from, to);
            }
        }
    }

    /// Puts a task on a CPU at a policy's request; false if it may not run there.
    pub(crate) fn send(&mut self, task: TaskId, to: usize) -> bool {
        let seat = &self.seats[task.index()];
        if !seat.may[to] {
            return false;
        }
        let (from, queued) = (seat.cpu, seat.queued);
        if queued {
            self.transfer(Entity::Task(task), from, to);
        } else {
            self.note_move(task, from, to);
        }
        true
    }

    /// Wakes housekeeping that is due and balances where an interval is over.
    pub(crate) fn advance(&mut self, now: u64) {
        if now >= self.next_wake {
            self.wake_housekeeping(now);
        }
        for node in 0..self.levels.len() {
            self.balance_node(node, now);
            self.balance_cores(node, now);
        }
    }

    /// Fills `slices` with who runs where in a quantum of `length` ns that starts now.
    pub(crate) fn plan(&mut self, now: u64, length: u64, slices: &mut Vec<Slice>) {
        slices.clear();
        for cpu in 0..self.queues.len() {
            self.was_busy[cpu] = self.queues[cpu].len() > 0;
            match self.queues[cpu].entries() {
                [] => {}
                [only] if matches!(only.entity, Entity::Task(_)) => {
                    if let Entity::Task(task) = only.entity {
                        slices.push(Slice { cpu, task, length });
                    }
                    self.queues[cpu].ran(0, length);
                }
                _ => self.share(cpu, now, length, slices),
            }
        }
    }

    /// Shares a CPU among its entities, in slices of latency / number, at least the granularity.
    fn share(&mut self, cpu: usize, now: u64, length: u64, slices: &mut Vec<Slice>) {
        let first = slices.len();
        let mut left = length;
        while left > 0 {
            let queue = &mut self.queues[cpu];
            let Some(at) = queue.next() else { break };
            let fair = (self.fit.latency_ns / queue.len() as u64).max(self.fit.min_granularity_ns);
            let entity = queue.entries()[at].entity;
            match entity {
                Entity::Task(task) => {
                    let time = fair.min(left);
                    queue.ran(at, time);
                    left -= time;
                    match slices[first..].iter_mut().find(|slice| slice.task == task) {
                        Some(slice) => slice.length += time,
                        None => slices.push(Slice { cpu, task, length: time }),
                    }
                }
                Entity::Noise(id) => {
                    let keeper = &mut self.keepers[id];
                    let time = fair.min(left).min(keeper.wants);
                    queue.ran(at, time);
                    left -= time;
                    keeper.wants -= time;
                    self.housekeeping += time;
                    if keeper.wants == 0 {
                        queue.remove(entity);
                        keeper.sleep(now + length - left);
                        self.next_wake = self.next_wake.min(keeper.wakes.unwrap_or(u64::MAX));
                    }
                }
            }
        }
    }

    /// Lets CPUs that became idle in the last quantum pull work.
    pub(crate) fn settle(&mut self) {
        for cpu in 0..self.queues.len() {
            if self.was_busy[cpu] && self.queues[cpu].len() == 0 {
                self.idle_pull(cpu);
            }
        }
    }

    /// Whether a CPU has something to run.
    pub(crate) fn is_busy(&self, cpu: usize) -> bool {
        self.queues[cpu].len() > 0
    }

    /// Whether a task may run on a CPU.
    pub(crate) fn can_run(&self, task: TaskId, cpu: usize) -> bool {
        self.seats[task.index()].may[cpu]
    }

    /// CPU time of housekeeping processes so far, ns.
    pub(crate) fn housekeeping(&self) -> u64 {
        self.housekeeping
    }

    /// CPUs of a core that have something to run, for each CPU's core.
    pub(crate) fn busy_siblings(&self, cpu: usize) -> usize {
        self.layout.siblings[cpu].iter().filter(|&&at| self.queues[at].len() > 0).count()
    }

    /// Takes the list of tasks moved since the last call.
    pub(crate) fn take_moved(&mut self, into: &mut Vec<Moved>) {
        into.clear();
        into.append(&mut self.moved);
    }

    /// How often the scheduler moved a task to another node.
    pub(crate) fn crossings(&self) -> u64 {
        self.crossings
    }

    /// Whether every runnable task is on exactly one queue, that of its CPU, and no task is where it may
    /// not run, unless it may run nowhere.
    pub(crate) fn is_sound(&self) -> bool {
        let queued = |entity: Entity| {
            self.queues
                .iter()
                .enumerate()
                .filter(|(_, queue)| queue.entries().iter().any(|at| at.entity == entity))
                .map(|(cpu, _)| cpu)
                .collect::<Vec<_>>()
        };
        self.seats.iter().enumerate().all(|(id, seat)| {
            let on = queued(Entity::Task(TaskId(id as u32)));
            let allowed = seat.may[seat.cpu] || !seat.may.contains(&true);
            allowed && if seat.queued { on == [seat.cpu] } else { on.is_empty() }
        })
    }

    /// Smallest virtual runtimes of the queues, which never fall.
    #[cfg(test)]
    pub(crate) fn min_vruntimes(&self) -> impl Iterator<Item = u64> + '_ {
        self.queues.iter().map(Queue::min_vruntime)
    }

    pub(super) fn may_run(&self, entity: Entity, cpu: usize) -> bool {
        match entity {
            Entity::Task(task) => self.seats[task.index()].may[cpu],
            Entity::Noise(id) => self.keepers[id].bound.is_none(),
        }
    }

    pub(super) fn transfer(&mut self, entity: Entity, from: usize, to: usize) {
        if from == to || !self.queues[from].remove(entity) {
            return;
        }
        self.queues[to].push(entity, 0);
        match entity {
            Entity::Task(task) => self.note_move(task, from, to),
            Entity::Noise(id) => self.keepers[id].cpu = to,
        }
    }

    fn note_move(&mut self, task: TaskId, from: usize, to: usize) {
        if from == to {
            return;
        }
        self.seats[task.index()].cpu = to;
        if self.layout.node_of[from] != self.layout.node_of[to] {
            self.crossings += 1;
        }
        self.moved.push(Moved { task, from, to });
    }

    fn wake_housekeeping(&mut self, now: u64) {
        self.next_wake = u64::MAX;
        for id in 0..self.keepers.len() {
            match self.keepers[id].wakes {
                Some(at) if at <= now => {
                    self.keepers[id].wakes = None;
                    let bound = self.keepers[id].bound;
                    let cpu = bound.or_else(|| self.idlest(&|_| true)).unwrap_or(0);
                    self.keepers[id].cpu = cpu;
                    self.queues[cpu].push(Entity::Noise(id), self.fit.latency_ns / 2);
                }
                Some(at) => self.next_wake = self.next_wake.min(at),
                None => {}
            }
        }
    }

    fn by_slot(&self, allowed: &CpuMask) -> Vec<bool> {
        self.layout.cpus.iter().map(|&id| allowed.contains(id)).collect()
    }
}

#[cfg(test)]
mod tests;
