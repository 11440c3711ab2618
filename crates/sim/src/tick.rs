//! The scheduler's tick: the policy may ask for a scan or move tasks.

use homenode_balance::{Action, Failure, MmId, Outcome, Scan, TaskId};
use homenode_topology::PageIndex;

use crate::memory::walk;
use crate::run::Run;

/// Ticks are 1 ms apart (HZ 1000, which the published growth of the scan period in jiffies fits). A
/// quantum holds several; the policy hears of the last.
pub(crate) const TICK: u64 = 1_000_000;

impl Run<'_> {
    /// Gives the policy a running task's tick and carries out what it asks for.
    pub(crate) fn tick(&mut self, task: TaskId) {
        self.policy.tick(&self.host, task, &mut self.out);
        self.report_holds(task);
        while let Some(verdict) = self.out.take() {
            if let Action::Arm { mm, from, budget } = verdict.action {
                let scan = self.scan(task, mm, from, budget);
                self.policy.scanned(&self.host, task, &scan);
                self.report(task, &verdict, None);
            } else {
                let outcome = self.carry_out_task_action(task, &verdict.action);
                self.report(task, &verdict, Some(outcome));
                self.policy.outcome(&self.host, &verdict.action, outcome, None);
            }
        }
    }

    /// Walks an address space in the task's time.
    fn scan(&mut self, task: TaskId, mm: MmId, from: PageIndex, budget: u64) -> Scan {
        let rules = self.policy.rules();
        let host = &mut self.host;
        let walked = walk(&mut host.spaces[mm.index()], from, budget, &rules.walk);
        let huge_units = u64::from(rules.count.huge_update);
        host.counters.numa_pte_updates += walked.armed_base + walked.armed_huge * huge_units;
        let cost = &host.cost;
        let mut time = walked.looked_at as f64 * cost.walk_page_ns
            + walked.armed_base as f64 * cost.arm_page_ns
            + walked.armed_huge as f64 * cost.arm_huge_ns;
        if walked.armed_base + walked.armed_huge > 0 {
            let elsewhere = host.threads[mm.index()].saturating_sub(1) as f64;
            time += cost.flush_ns + elsewhere * cost.flush_thread_ns;
        }
        host.table_locks[mm.index()].acquire(time, 1);
        host.tasks[task.index()].stall += time;
        Scan { mm, next: walked.next, scanned: walked.looked_at, charged: walked.charged }
    }

    /// Moves tasks at a policy's request.
    pub(crate) fn carry_out_task_action(&mut self, _task: TaskId, action: &Action) -> Outcome {
        let done = match *action {
            Action::MoveTask { task, to } => match self.host.layout.cpu_slot(to) {
                Some(cpu) => self.host.sched.send(task, cpu),
                None => false,
            },
            Action::Swap { task, with } => {
                let (a, b) = (self.host.sched.cpu_of(task), self.host.sched.cpu_of(with));
                self.host.sched.can_run(task, b)
                    && self.host.sched.can_run(with, a)
                    && self.host.sched.send(task, b)
                    && self.host.sched.send(with, a)
            }
            Action::Arm { .. } | Action::MoveRange { .. } => {
                return Outcome::Failed(Failure::Unsupported);
            }
        };
        if done { Outcome::Done { pages: 0 } } else { Outcome::Failed(Failure::Forbidden) }
    }
}
