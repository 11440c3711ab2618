//! A run: the loop over fluid quanta.
//!
//! Each quantum, at most 10 ms of virtual time: the scheduler says who runs where, the demand of all
//! running threads gives the memory's rates, each thread uses its slice at these rates, and what it
//! meets on the way (missing pages, armed pages, ticks) goes to the kernel and the policy. While pages
//! are touched for the first time quanta are shorter, so that the race for them is resolved.

use std::sync::Arc;

use homenode_balance::{MmId, Outbox, Policy, TaskId};
use homenode_topology::{CpuMask, Machine, Nanos};
use homenode_workload::Workload;

use crate::advance::accesses_memory;
use crate::calibration::Calibration;
use crate::counters::Counters;
use crate::decision::Decision;
use crate::error::Error;
use crate::hardware::{Contention, Layout, Traffic};
use crate::host::Host;
use crate::lock::Lock;
use crate::memory::{Pool, Space};
use crate::result::{ProcessResult, RunResult};
use crate::sched::{Moved, Scheduler, Slice};
use crate::task::{KernelWork, State, Task};
use crate::tick::TICK;
use crate::timeline::Timeline;

/// Longest quantum.
pub(crate) const QUANTUM: u64 = 10_000_000;
/// Shortest quantum while pages are touched for the first time.
const SHORTEST: u64 = 200_000;
/// A quantum during first touches lets the fastest thread pass this many bytes, one huge page.
const TOUCH_STEP: f64 = 2_097_152.0;
/// Quanta that stay short after the last first touch.
const TOUCH_MEMORY: u32 = 2;

/// What to run, besides the policy.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The machine; must have performance figures.
    pub machine: &'a Machine,
    /// The workload, built for this machine.
    pub workload: &'a Workload,
    /// Fitted numbers.
    pub calibration: &'a Calibration,
    /// Names the random streams.
    pub seed: u64,
    /// Transparent huge pages.
    pub thp: bool,
    /// Virtual time after which the run is given up.
    pub time_limit: Nanos,
}

/// A callback that is told each decision.
pub type Witness<'a> = &'a mut dyn FnMut(&Decision);

/// A run in progress.
pub(crate) struct Run<'a> {
    pub(crate) host: Host,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) out: Outbox,
    pub(crate) witness: Option<Witness<'a>>,
    pub(crate) seed: u64,
    /// Quanta so far.
    pub(crate) quanta: u64,
    /// Whether a page was touched for the first time in this quantum.
    pub(crate) touched: bool,
    touch_memory: u32,
    /// Longest quantum of this run, ns.
    longest: u64,
    failure: Option<Error>,
    slices: Vec<Slice>,
    /// Speed of each slice's CPU relative to a core of its own.
    shares: Vec<f64>,
    capacity: Vec<f64>,
    moved: Vec<Moved>,
    demand: Vec<f64>,
    full_core: f64,
    idle: u64,
    timeline: Timeline,
}

/// Runs a workload to its end under a policy.
///
/// # Errors
/// When the machine lacks performance figures or has more nodes than a page word can name, when memory
/// runs out, or when the time limit is reached.
pub fn run(
    setup: &Setup<'_>,
    policy: Box<dyn Policy>,
    witness: Option<Witness<'_>>,
) -> Result<RunResult, Error> {
    to_the_end(Run::new(setup, policy, witness)?, setup)
}

fn to_the_end(mut run: Run<'_>, setup: &Setup<'_>) -> Result<RunResult, Error> {
    run.start_processes(setup.workload);
    while run.host.tasks.iter().any(Task::is_alive) {
        if run.host.now >= setup.time_limit.0 {
            return Err(Error::TimeLimit {
                workload: setup.workload.name.clone(),
                limit: setup.time_limit,
            });
        }
        run.quantum();
        if let Some(failure) = run.failure.take() {
            return Err(failure);
        }
    }
    Ok(run.finish(setup.workload))
}

impl<'a> Run<'a> {
    fn new(
        setup: &Setup<'_>,
        policy: Box<dyn Policy>,
        witness: Option<Witness<'a>>,
    ) -> Result<Self, Error> {
        let machine = Arc::new(setup.machine.clone());
        let performance = machine
            .performance
            .as_ref()
            .ok_or_else(|| Error::NoPerformance(machine.name.clone()))?;
        let layout = Arc::new(Layout::new(&machine));
        let nodes = layout.nodes.len();
        if nodes > crate::memory::Word::NODES || layout.cpus.is_empty() {
            return Err(Error::Machine {
                name: machine.name.clone(),
                nodes,
                cpus: layout.cpus.len(),
            });
        }
        let calibration = setup.calibration;
        let contention =
            Contention::new(&machine, performance, &layout, calibration.controller.local_share);
        let full_core = performance.smt.full_core;
        let sched =
            Scheduler::new(layout.clone(), calibration.sched, &calibration.noise, setup.seed);
        let host = Host {
            pool: Pool::new(&machine),
            cost: calibration.cost,
            thp: setup.thp,
            contention,
            traffic: Traffic::new(nodes),
            spaces: Vec::new(),
            table_locks: Vec::new(),
            threads: Vec::new(),
            tasks: Vec::new(),
            sched,
            counters: Counters::default(),
            swept: 0,
            now: 0,
            layout,
            machine,
        };
        let out = if witness.is_some() { Outbox::explaining() } else { Outbox::new() };
        Ok(Self {
            host,
            policy,
            out,
            witness,
            seed: setup.seed,
            quanta: 0,
            touched: false,
            touch_memory: 0,
            longest: QUANTUM,
            failure: None,
            slices: Vec::new(),
            shares: Vec::new(),
            capacity: Vec::new(),
            moved: Vec::new(),
            demand: vec![0.0; nodes * nodes],
            full_core,
            idle: 0,
            timeline: Timeline::default(),
        })
    }

    fn start_processes(&mut self, workload: &Workload) {
        let everywhere: CpuMask = self.host.layout.cpus.iter().copied().collect();
        for process in &workload.processes {
            let mm = MmId(self.host.spaces.len() as u32);
            let mappings =
                process.regions.iter().map(|region| (region.size, region.policy.clone()));
            self.host.spaces.push(Space::new(mappings, self.host.layout.nodes.len()));
            self.host.table_locks.push(Lock::default());
            self.host.threads.push(0);
            let script = Arc::new(process.main.clone());
            let main = Task::new(mm, None, Default::default(), script, Nanos(self.host.now));
            self.start(main, everywhere.clone());
        }
    }

    /// Starts a task and tells the policy.
    pub(crate) fn start(&mut self, task: Task, allowed: CpuMask) {
        let id = TaskId(self.host.tasks.len() as u32);
        let mm = task.mm;
        self.host.tasks.push(task);
        self.host.threads[mm.index()] += 1;
        self.host.sched.start(id, allowed);
        self.policy.task_started(&self.host, id, mm, &mut self.out);
    }

    /// Ends the run at the end of the quantum: no allowed node has room for a page of this task.
    pub(crate) fn out_of_memory(&mut self, task: TaskId) {
        self.failure = Some(Error::OutOfMemory {
            task: task.0,
            policy: format!("{:?}", self.host.tasks[task.index()].policy),
        });
        self.host.tasks[task.index()].stall = f64::MAX;
    }

    fn quantum(&mut self) {
        self.host.sched.advance(self.host.now);
        self.wake_sleepers();
        self.tell_moves();
        let length = self.length();
        let housekeeping = self.host.sched.housekeeping();
        self.host.sched.plan(self.host.now, length, &mut self.slices);
        let housekeeping = self.host.sched.housekeeping() - housekeeping;
        self.rates(length);
        self.touched = false;
        let slices = core::mem::take(&mut self.slices);
        let mut used = 0;
        // Alternating the order keeps CPUs with low numbers from always touching first.
        for turn in 0..slices.len() {
            let at = if self.quanta.is_multiple_of(2) { turn } else { slices.len() - 1 - turn };
            used += self.advance(slices[at], self.shares[at]);
        }
        if self.host.now / TICK != (self.host.now + length) / TICK {
            for slice in &slices {
                if self.host.tasks[slice.task.index()].is_alive() {
                    self.tick(slice.task);
                }
            }
        }
        self.slices = slices;
        self.touch_memory =
            if self.touched { TOUCH_MEMORY } else { self.touch_memory.saturating_sub(1) };
        self.host.traffic.close();
        for lock in &mut self.host.table_locks {
            lock.close(length as f64);
        }
        self.host.now += length;
        self.quanta += 1;
        self.idle += self.host.layout.cpus.len() as u64 * length - used - housekeeping;
        self.host.sched.settle();
        self.tell_moves();
        self.timeline.note(&self.host);
        #[cfg(debug_assertions)]
        if self.quanta.is_multiple_of(256) {
            crate::invariant::check(&self.host, self.idle);
        }
    }

    /// How long the next quantum is.
    fn length(&self) -> u64 {
        if self.touch_memory == 0 && !self.touched && self.quanta > 0 {
            return self.longest;
        }
        let nodes = self.host.layout.nodes.len();
        let fastest = (0..nodes)
            .flat_map(|from| (0..nodes).map(move |to| (from, to)))
            .filter(|&(from, to)| self.demand[from * nodes + to] > 0.0)
            .map(|(from, to)| self.host.contention.rate(from, to))
            .fold(0.0, f64::max);
        if fastest > 0.0 {
            ((TOUCH_STEP / fastest) as u64).clamp(SHORTEST, self.longest)
        } else {
            SHORTEST
        }
    }

    /// Share of a core's full speed a thread on this CPU has: SMT siblings divide it.
    fn share(&self, cpu: usize) -> f64 {
        match self.host.sched.busy_siblings(cpu) {
            0 | 1 => 1.0,
            busy => self.full_core / busy as f64,
        }
    }

    /// Solves the memory's rates for the coming quantum.
    fn rates(&mut self, length: u64) {
        let nodes = self.host.layout.nodes.len();
        self.demand.fill(0.0);
        self.shares.clear();
        for slice in &self.slices {
            let speed = self.share(slice.cpu);
            self.shares.push(speed);
            let share = speed * slice.length as f64 / length as f64;
            let here = self.host.layout.node_of[slice.cpu];
            let task = &self.host.tasks[slice.task.index()];
            match task.work {
                Some(KernelWork::Clear { node, .. }) => {
                    self.demand[here * nodes + node] += share * self.host.cost.clear_speed;
                }
                Some(KernelWork::Copy { from, to, .. }) => {
                    let read = 1.0 / self.host.contention.rate(here, from);
                    let write = 1.0 / self.host.contention.rate(here, to);
                    let share = share * self.host.cost.copy_speed;
                    self.demand[here * nodes + from] += share * read / (read + write);
                    self.demand[here * nodes + to] += share * write / (read + write);
                }
                None if !task.scatter.is_empty() => {
                    let fraction = slice.length as f64 / length as f64;
                    for &(to, streams) in &task.scatter {
                        self.demand[here * nodes + to] += streams * fraction;
                    }
                }
                None => {
                    if let Some(to) = task.target
                        && task.current().and_then(accesses_memory).is_some()
                    {
                        self.demand[here * nodes + to] += share;
                    }
                }
            }
        }
        let host = &mut self.host;
        host.traffic.open(host.contention.controllers(), host.contention.links(), length as f64);
        let left =
            |(node, &rate): (usize, &f64)| rate * host.traffic.left(node, rate, length as f64);
        self.capacity.clear();
        self.capacity.extend(host.contention.controllers().iter().enumerate().map(left));
        host.contention.solve(&self.demand, &self.capacity);
    }

    fn wake_sleepers(&mut self) {
        for id in 0..self.host.tasks.len() {
            if let State::Sleeping { until } = self.host.tasks[id].state
                && until <= self.host.now
            {
                self.wake(TaskId(id as u32));
            }
        }
    }

    /// Tells the policy which tasks the scheduler has moved since it was last told.
    pub(crate) fn tell_moves(&mut self) {
        let mut moved = core::mem::take(&mut self.moved);
        self.host.sched.take_moved(&mut moved);
        for at in &moved {
            let (from, to) = (self.host.layout.cpus[at.from], self.host.layout.cpus[at.to]);
            self.policy.task_moved(&self.host, at.task, from, to);
        }
        self.moved = moved;
    }

    fn finish(self, workload: &Workload) -> RunResult {
        crate::invariant::check(&self.host, self.idle);
        crate::invariant::work(&self.host, workload);
        let ended = |task: &Task| match task.state {
            State::Ended { at } => at,
            _ => self.host.now,
        };
        let elapsed = self.host.tasks.iter().map(ended).max().unwrap_or(0);
        let processes = workload
            .processes
            .iter()
            .zip(&self.host.spaces)
            .map(|(process, space)| ProcessResult {
                name: process.name.clone(),
                resident: space.resident.clone(),
            })
            .collect();
        let user: u64 = self.host.tasks.iter().map(|task| task.user).sum();
        let system: u64 = self.host.tasks.iter().map(|task| task.system).sum();
        let (local, all) = self.host.traffic.local_and_all();
        RunResult {
            workload: workload.name.clone(),
            policy: self.policy.name().to_string(),
            seed: self.seed,
            elapsed: Nanos(elapsed),
            user: Nanos(user),
            system: Nanos(system),
            idle: Nanos(self.idle),
            housekeeping: Nanos(self.host.sched.housekeeping()),
            threads: self.host.tasks.len(),
            crossings: self.host.sched.crossings(),
            local_ratio: if all > 0.0 { local / all } else { 1.0 },
            served: self.host.traffic.totals().to_vec(),
            counters: self.host.counters,
            nodes: self.host.layout.nodes.clone(),
            processes,
            timeline: self.timeline.close(&self.host),
        }
    }
}

#[cfg(test)]
mod tests;
