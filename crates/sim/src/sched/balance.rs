//! Load balancing: idle pull, between nodes, and between the cores of a node.
//!
//! Only a waiting entity can be pulled; a running one moves by active balancing alone, after several
//! failed attempts (machine-model 4). Intervals are those of the 3.7 domain tables: 48 CPUs give the
//! node level 48 to 96 ms when idle and 32 times that when busy.

use super::Scheduler;
use super::queue::Entity;

impl Scheduler {
    /// A CPU that has just become idle takes a waiting entity: from its core, its node, then any node.
    pub(super) fn idle_pull(&mut self, cpu: usize) {
        let layout = self.layout.clone();
        let near = |other: usize| {
            let core = layout.siblings[cpu].contains(&other);
            let node = layout.node_of[cpu] == layout.node_of[other];
            if core { 0 } else { 2 - usize::from(node) }
        };
        let longest = (0..self.queues.len())
            .filter(|&other| other != cpu && self.queues[other].len() > 1)
            .filter(|&other| self.waiting_for(other, cpu).is_some())
            .min_by_key(|&other| (near(other), usize::MAX - self.queues[other].len(), other));
        if let Some(from) = longest
            && let Some(entity) = self.waiting_for(from, cpu)
        {
            self.transfer(entity, from, cpu);
        }
    }

    /// Balances a node against the busiest other one, if its interval is over.
    pub(super) fn balance_node(&mut self, node: usize, now: u64) {
        if now < self.levels[node].node_due || self.layout.cpus_of[node].is_empty() {
            return;
        }
        let idle = self.idle_cpus(node);
        let interval = if idle.is_empty() {
            self.fit.numa_balance_busy_ns
        } else {
            self.fit.numa_balance_idle_ns
        };
        // The kernel doubles the interval while all is balanced; half of that on average.
        let spread = self.balance.below(interval / 2);
        self.levels[node].node_due = now + interval + spread;
        let Some(busiest) = self.busiest_node(node) else { return };
        let (mine, theirs) = (self.running(node), self.running(busiest));
        let (my_cpus, their_cpus) =
            (self.layout.cpus_of[node].len(), self.layout.cpus_of[busiest].len());
        let imbalanced = theirs * my_cpus > mine * their_cpus && theirs > mine;
        let to = match idle.first() {
            Some(&cpu) => {
                let enough = theirs > their_cpus || idle.len() > self.idle_cpus(busiest).len() + 1;
                if !enough || !imbalanced {
                    return;
                }
                cpu
            }
            None if imbalanced => {
                let cpus = &self.layout.cpus_of[node];
                cpus[self.balance.below(cpus.len() as u64) as usize]
            }
            None => return,
        };
        if self.pull_waiting(busiest, to) {
            self.levels[node].node_failed = 0;
        } else if !idle.is_empty() {
            self.levels[node].node_failed += 1;
            if self.levels[node].node_failed > self.fit.active_after {
                self.levels[node].node_failed = self.fit.active_after.saturating_sub(1);
                self.push_running(busiest, to);
            }
        }
    }

    /// Moves a task from a core with several busy threads to an idle core of the same node.
    pub(super) fn balance_cores(&mut self, node: usize, now: u64) {
        if now < self.levels[node].core_due {
            return;
        }
        self.levels[node].core_due = now + self.fit.core_balance_idle_ns;
        if self.layout.cpus_of[node].iter().all(|&cpu| self.queues[cpu].len() > 0) {
            self.levels[node].core_failed = 0;
            return;
        }
        let layout = self.layout.clone();
        let busy = |cpu: usize| {
            layout.siblings[cpu].iter().filter(|&&at| self.queues[at].len() > 0).count()
        };
        let cpus = &layout.cpus_of[node];
        let idle_core = cpus.iter().copied().find(|&cpu| busy(cpu) == 0);
        let crowded = cpus.iter().copied().find(|&cpu| self.queues[cpu].len() > 0 && busy(cpu) > 1);
        let (Some(to), Some(from)) = (idle_core, crowded) else {
            self.levels[node].core_failed = 0;
            return;
        };
        self.levels[node].core_failed += 1;
        if self.levels[node].core_failed > self.fit.active_after {
            self.levels[node].core_failed = 0;
            if let Some(entity) = self.running_for(from, to) {
                self.transfer(entity, from, to);
            }
        }
    }

    fn idle_cpus(&self, node: usize) -> Vec<usize> {
        let cpus = self.layout.cpus_of[node].iter().copied();
        cpus.filter(|&cpu| self.queues[cpu].len() == 0).collect()
    }

    fn running(&self, node: usize) -> usize {
        self.layout.cpus_of[node].iter().map(|&cpu| self.queues[cpu].len()).sum()
    }

    fn busiest_node(&self, node: usize) -> Option<usize> {
        (0..self.layout.nodes.len())
            .filter(|&other| other != node && !self.layout.cpus_of[other].is_empty())
            .max_by_key(|&other| {
                let cpus = self.layout.cpus_of[other].len();
                (self.running(other) * 1024 / cpus, usize::MAX - other)
            })
    }

    /// Pulls a waiting entity of a node to a CPU.
    fn pull_waiting(&mut self, from_node: usize, to: usize) -> bool {
        let layout = self.layout.clone();
        let longest = layout.cpus_of[from_node]
            .iter()
            .copied()
            .filter(|&cpu| self.waiting_for(cpu, to).is_some())
            .max_by_key(|&cpu| (self.queues[cpu].len(), usize::MAX - cpu));
        let Some(from) = longest else { return false };
        let Some(entity) = self.waiting_for(from, to) else { return false };
        self.transfer(entity, from, to);
        true
    }

    /// Active balancing: moves a running task of a node to a CPU, from a crowded core if there is one.
    fn push_running(&mut self, from_node: usize, to: usize) {
        let layout = self.layout.clone();
        let busy = |cpu: usize| {
            layout.siblings[cpu].iter().filter(|&&at| self.queues[at].len() > 0).count()
        };
        let candidates: Vec<usize> = layout.cpus_of[from_node]
            .iter()
            .copied()
            .filter(|&cpu| self.running_for(cpu, to).is_some())
            .collect();
        let most = candidates.iter().map(|&cpu| busy(cpu)).max();
        let best: Vec<usize> =
            candidates.into_iter().filter(|&cpu| Some(busy(cpu)) == most).collect();
        let drawn = self.balance.below(best.len() as u64) as usize;
        if let Some(&from) = best.get(drawn)
            && let Some(entity) = self.running_for(from, to)
        {
            self.transfer(entity, from, to);
        }
    }

    /// A waiting entity of one CPU that may run on another.
    fn waiting_for(&self, from: usize, to: usize) -> Option<Entity> {
        self.queues[from].waiting(|entity| self.may_run(entity, to))
    }

    /// The running entity of one CPU, if it may run on another.
    fn running_for(&self, from: usize, to: usize) -> Option<Entity> {
        let queue = &self.queues[from];
        let entity = queue.entries()[queue.next()?].entity;
        self.may_run(entity, to).then_some(entity)
    }
}
