//! The simulated machine with everything on it, and the view of it that policies get.

use std::sync::Arc;

use homenode_balance::{PageRange, Placement, TaskId, TaskView, View};
use homenode_topology::{CpuId, CpuMask, Machine, Nanos, NodeId, PAGES_PER_HUGE};
use homenode_workload::MemoryPolicy;

use crate::calibration::Cost;
use crate::counters::Counters;
use crate::hardware::{Contention, Layout, Traffic};
use crate::lock::Lock;
use crate::memory::{Pool, Space, place};
use crate::sched::Scheduler;
use crate::task::Task;

/// All state of a run except the policy's own.
pub(crate) struct Host {
    pub(crate) machine: Arc<Machine>,
    pub(crate) layout: Arc<Layout>,
    pub(crate) cost: Cost,
    pub(crate) thp: bool,
    pub(crate) contention: Contention,
    pub(crate) traffic: Traffic,
    pub(crate) pool: Pool,
    pub(crate) spaces: Vec<Space>,
    /// The page table lock of each address space.
    pub(crate) table_locks: Vec<Lock>,
    /// Living threads of each address space: those that could contend for its locks.
    pub(crate) threads: Vec<usize>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) sched: Scheduler,
    pub(crate) counters: Counters,
    /// Bytes that sweeps have passed over.
    pub(crate) swept: u64,
    /// Start of the present quantum, moved on inside it while a task runs.
    pub(crate) now: u64,
}

impl Host {
    /// Node slot of the CPU a task runs on.
    pub(crate) fn node_of_task(&self, task: TaskId) -> usize {
        self.layout.node_of[self.sched.cpu_of(task)]
    }
}

impl View for Host {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn now(&self) -> Nanos {
        Nanos(self.now)
    }

    fn node_of(&self, cpu: CpuId) -> NodeId {
        let slot = self.layout.cpu_slot(cpu).unwrap_or(0);
        self.layout.nodes[self.layout.node_of[slot]]
    }

    fn task(&self, id: TaskId) -> TaskView {
        let task = &self.tasks[id.index()];
        TaskView {
            mm: Some(task.mm),
            cpu: self.layout.cpus[self.sched.cpu_of(id)],
            runtime: Nanos(task.user + task.system),
            started: task.started,
        }
    }

    fn allowed(&self, task: TaskId) -> &CpuMask {
        self.sched.allowed(task)
    }

    fn free_pages(&self, node: NodeId) -> u64 {
        self.layout.node_slot(node).map_or(0, |slot| self.pool.above_watermark(slot))
    }

    fn placement(&self, task: TaskId, range: &PageRange) -> Placement {
        let mm = range.mm.index();
        let region = self.region_of(mm, (range.first.0 / PAGES_PER_HUGE) as usize);
        let policy = self.policy_for(task, region);
        if matches!(policy, MemoryPolicy::Default | MemoryPolicy::Local) {
            return Placement::FollowsUse;
        }
        if !policy.migrates_on_fault() {
            return Placement::Stays;
        }
        let here = self.node_of_task(task);
        let first = self.spaces[mm].vmas[region].first as u64 * PAGES_PER_HUGE;
        let (index, pages) = (range.first.0 - first, u64::from(range.pages));
        let wanted = place(policy, here, index, pages, &self.pool, &self.layout);
        wanted.map_or(Placement::Stays, |slot| Placement::On(self.layout.nodes[slot]))
    }
}
