//! A CPU's run queue.

use homenode_balance::TaskId;

/// What a CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entity {
    /// A thread of the workload.
    Task(TaskId),
    /// A housekeeping process, by number.
    Noise(usize),
}

/// An entity that wants to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued {
    pub(crate) entity: Entity,
    /// Time run, as the queue counts it, ns.
    pub(crate) vruntime: u64,
}

/// Run queue of one CPU.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    entries: Vec<Queued>,
    min_vruntime: u64,
}

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entries(&self) -> &[Queued] {
        &self.entries
    }

    /// Smallest virtual runtime the queue has reached; never falls.
    #[cfg(test)]
    pub(crate) fn min_vruntime(&self) -> u64 {
        self.min_vruntime
    }

    /// Adds an entity. A sleeper that wakes gets `credit` ns so that it runs soon.
    pub(crate) fn push(&mut self, entity: Entity, credit: u64) {
        let vruntime = self.min_vruntime.saturating_sub(credit);
        self.entries.push(Queued { entity, vruntime });
    }

    /// Removes an entity; false if it is not here.
    pub(crate) fn remove(&mut self, entity: Entity) -> bool {
        let at = self.entries.iter().position(|queued| queued.entity == entity);
        at.map(|at| self.entries.remove(at)).is_some()
    }

    /// The entity to run next: smallest virtual runtime, first come first served on a tie.
    pub(crate) fn next(&self) -> Option<usize> {
        (0..self.entries.len()).min_by_key(|&at| self.entries[at].vruntime)
    }

    /// Books run time of an entry.
    pub(crate) fn ran(&mut self, at: usize, time: u64) {
        self.entries[at].vruntime += time;
        let least = self.entries.iter().map(|queued| queued.vruntime).min().unwrap_or(0);
        self.min_vruntime = self.min_vruntime.max(least);
    }

    /// An entity that waits while another runs: the one that will run last.
    pub(crate) fn waiting(&self, movable: impl Fn(Entity) -> bool) -> Option<Entity> {
        let running = self.next()?;
        let waits = |&at: &usize| at != running && movable(self.entries[at].entity);
        let last =
            (0..self.entries.len()).filter(waits).max_by_key(|&at| self.entries[at].vruntime);
        last.map(|at| self.entries[at].entity)
    }
}

#[cfg(test)]
mod tests {
    use super::{Entity, Queue};
    use homenode_balance::TaskId;

    #[test]
    fn equal_tasks_share_a_cpu_equally() {
        let mut queue = Queue::default();
        queue.push(Entity::Task(TaskId(0)), 0);
        queue.push(Entity::Task(TaskId(1)), 0);
        let mut ran = [0u64; 2];
        for _ in 0..1000 {
            let at = queue.next().unwrap();
            ran[at] += 3;
            queue.ran(at, 3);
        }
        assert!(ran[0].abs_diff(ran[1]) <= 3);
    }

    #[test]
    fn a_woken_sleeper_runs_first_but_not_for_its_whole_absence() {
        let mut queue = Queue::default();
        queue.push(Entity::Task(TaskId(0)), 0);
        queue.ran(0, 1_000_000);
        queue.push(Entity::Noise(0), 100);
        assert_eq!(queue.entries()[queue.next().unwrap()].entity, Entity::Noise(0));
        queue.ran(1, 101);
        assert_eq!(queue.entries()[queue.next().unwrap()].entity, Entity::Task(TaskId(0)));
    }

    #[test]
    fn only_a_waiting_entity_can_be_taken() {
        let mut queue = Queue::default();
        queue.push(Entity::Task(TaskId(0)), 0);
        assert_eq!(queue.waiting(|_| true), None);
        queue.push(Entity::Task(TaskId(1)), 0);
        queue.ran(0, 5);
        assert_eq!(queue.waiting(|_| true), Some(Entity::Task(TaskId(0))));
    }
}
