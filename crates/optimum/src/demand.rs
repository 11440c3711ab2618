//! What the threads of a workload need, wherever they run.

use std::collections::BTreeMap;

use homenode_workload::{Step, Thread, Workload};

use crate::speed::{LINE, Speed};

/// How memory is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flow {
    /// Streams, with as many requests under way as a thread can have.
    Stream,
    /// One line after the other, each with this many bytes of traffic.
    Lines(u64),
}

impl Flow {
    /// Least time for one byte from CPUs of node `i` to memory of node `n`, ns.
    pub(crate) fn time(self, speed: &Speed, i: usize, n: usize) -> f64 {
        match self {
            Self::Stream => speed.stream_time(i, n),
            Self::Lines(bytes) => speed.latency(i, n) / bytes as f64,
        }
    }
}

/// What one thread, or several together, need.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// Bytes of memory traffic.
    pub(crate) flows: BTreeMap<Flow, f64>,
    /// Work of the core without memory, ns at full speed.
    pub(crate) work: f64,
    /// Time that passes whatever the core does, ns.
    pub(crate) wait: f64,
}

impl Demand {
    /// What a step needs by itself; nothing for a step that waits for others.
    pub(crate) fn of_step(step: &Step, speed: &Speed) -> Self {
        let mut demand = Self::default();
        match step {
            Step::Sweep { part, passes, access, .. } => {
                let from_memory = speed.memory_passes(*part, *passes, *access);
                let length = part.length.0 as f64;
                let bytes = length * f64::from(from_memory) * access.traffic() as f64;
                demand.flows.insert(Flow::Stream, bytes);
                demand.work = length * f64::from(passes - from_memory) * speed.cache_time();
            }
            Step::Random { part, lines, access, compute, .. } => {
                let bytes = LINE as u64 * access.traffic();
                let misses = *lines as f64 * speed.miss_ratio(*part);
                demand.flows.insert(Flow::Lines(bytes), misses * bytes as f64);
                demand.work = *lines as f64 * compute.0 as f64;
            }
            Step::Compute(time) => demand.work = time.0 as f64,
            Step::Sleep(time) => demand.wait = time.0 as f64,
            _ => {}
        }
        demand
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (&flow, bytes) in &other.flows {
            *self.flows.entry(flow).or_default() += bytes;
        }
        self.work += other.work;
        self.wait += other.wait;
    }

    /// Bytes of memory traffic.
    pub(crate) fn traffic(&self) -> f64 {
        self.flows.values().sum()
    }

    /// Least time one thread needs for it, ns.
    pub(crate) fn time(&self, speed: &Speed) -> f64 {
        let memory = self
            .flows
            .iter()
            .map(|(flow, bytes)| bytes * speed.least(|i, n| flow.time(speed, i, n)));
        memory.sum::<f64>() + self.work + self.wait
    }
}

/// A thread and what it needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Need<'a> {
    pub(crate) process: usize,
    pub(crate) thread: &'a Thread,
    pub(crate) demand: Demand,
}

impl Need<'_> {
    /// Whether it creates threads, which then do the work.
    pub(crate) fn leads(&self) -> bool {
        self.thread.steps.iter().any(|step| matches!(step, Step::Spawn(_)))
    }
}

/// All threads, each before those it creates, in the order of the program.
pub(crate) fn needs<'a>(workload: &'a Workload, speed: &Speed) -> Vec<Need<'a>> {
    let mut found = Vec::new();
    for (process, program) in workload.processes.iter().enumerate() {
        collect(process, &program.main, speed, &mut found);
    }
    found
}

fn collect<'a>(process: usize, thread: &'a Thread, speed: &Speed, found: &mut Vec<Need<'a>>) {
    let mut demand = Demand::default();
    for step in &thread.steps {
        demand.add(&Demand::of_step(step, speed));
    }
    found.push(Need { process, thread, demand });
    for step in &thread.steps {
        if let Step::Spawn(child) = step {
            collect(process, child, speed, found);
        }
    }
}

/// Threads of a process with the same needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) process: usize,
    /// What each of them needs.
    pub(crate) each: Demand,
    /// Positions in the list of [`needs`].
    pub(crate) members: Vec<usize>,
}

/// Groups of the chosen threads.
pub(crate) fn groups(needs: &[Need<'_>], chosen: impl Fn(&Need<'_>) -> bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (member, need) in needs.iter().enumerate().filter(|(_, need)| chosen(need)) {
        // Neighbours are most often alike, so the search starts with the last group.
        let alike = |group: &&mut Group| group.process == need.process && group.each == need.demand;
        match groups.iter_mut().rev().find(alike) {
            Some(group) => group.members.push(member),
            None => groups.push(Group {
                process: need.process,
                each: need.demand.clone(),
                members: vec![member],
            }),
        }
    }
    groups
}
