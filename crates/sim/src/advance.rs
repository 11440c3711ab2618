//! One task's slice: kernel time owed, then its program, step by step.

use std::sync::Arc;

use homenode_balance::TaskId;
use homenode_topology::Nanos;
use homenode_workload::{Access, Step, Thread};

use crate::meter::Meter;
use crate::run::Run;
use crate::sched::Slice;
use crate::task::{KernelWork, Progress, State, Task};
use crate::tick::TICK;

impl Run<'_> {
    /// Runs a task for its slice; returns how much of it was used, ns.
    pub(crate) fn advance(&mut self, slice: Slice, speed: f64) -> u64 {
        let t = slice.task.index();
        let mut meter = Meter::new(slice.length, speed);
        meter.spend_system(slice.length as f64 / TICK as f64 * self.host.cost.tick_ns);
        while !meter.is_spent() && self.host.tasks[t].state == State::Runnable {
            let task = &mut self.host.tasks[t];
            if task.stall > 0.0 {
                task.stall -= meter.spend_system(task.stall);
                if task.stall < 0.1 {
                    task.stall = 0.0;
                }
            } else if task.work.is_some() {
                self.kernel_work(slice.task, &mut meter);
            } else {
                self.program(slice.task, &mut meter);
            }
        }
        let (user, system) = meter.close();
        let task = &mut self.host.tasks[t];
        task.user += user;
        task.system += system;
        user + system
    }

    /// Goes on with clearing or copying a huge page.
    fn kernel_work(&mut self, id: TaskId, meter: &mut Meter) {
        let Some(work) = self.host.tasks[id.index()].work else { return };
        let host = &mut self.host;
        let here = host.node_of_task(id);
        match work {
            KernelWork::Clear { chunk, node, left } => {
                let rate = host.contention.rate(here, node) * meter.speed() * host.cost.clear_speed;
                let bytes = left.min(meter.left() * rate).min(host.traffic.room(here, node));
                host.traffic.book(here, node, bytes);
                meter.spend_system(bytes / rate);
                self.put_back(id, work, left - bytes, meter);
                if left - bytes < 1.0 {
                    self.finish_clear(id, chunk, node);
                }
            }
            KernelWork::Copy { chunk, from, to, left, seen } => {
                let rate = host.contention.copy_rate(here, from, to)
                    * meter.speed()
                    * host.cost.copy_speed;
                let room = host.traffic.room(here, from).min(host.traffic.room(here, to));
                let bytes = left.min(meter.left() * rate).min(room);
                host.traffic.book(here, from, bytes);
                host.traffic.book(here, to, bytes);
                meter.spend_system(bytes / rate);
                self.put_back(id, work, left - bytes, meter);
                if left - bytes < 1.0 {
                    self.finish_copy(chunk, from, to, &seen);
                }
            }
        }
    }

    fn put_back(&mut self, id: TaskId, work: KernelWork, left: f64, meter: &mut Meter) {
        self.host.tasks[id.index()].work = (left >= 1.0).then_some(match work {
            KernelWork::Clear { chunk, node, .. } => KernelWork::Clear { chunk, node, left },
            KernelWork::Copy { chunk, from, to, seen, .. } => {
                KernelWork::Copy { chunk, from, to, left, seen }
            }
        });
        if left >= 1.0 {
            let rest = meter.left();
            meter.spend_system(rest);
        }
    }

    /// Goes on with the program until the slice is spent or the task needs the kernel.
    fn program(&mut self, id: TaskId, meter: &mut Meter) {
        let t = id.index();
        if let Some(&Step::Sweep { region, part, passes, access }) = self.host.tasks[t].current() {
            self.sweep(id, region, part, passes, access, meter);
            return;
        }
        let script = self.host.tasks[t].script.clone();
        let Some(step) = script.steps.get(self.host.tasks[t].step) else {
            self.exit(id, meter);
            return;
        };
        match step {
            Step::Sweep { .. } => {}
            Step::Random { region, part, lines, access, compute } => {
                self.random(id, *region, *part, *lines, *access, *compute, meter);
            }
            Step::Compute(time) => self.compute(id, *time, meter),
            Step::Sleep(time) => self.sleep(id, *time, meter),
            Step::SetPolicy(policy) => {
                self.host.tasks[t].policy = policy.clone();
                self.host.tasks[t].next_step();
            }
            Step::RunOn(nodes) => {
                let cpus = self.host.layout.cpus_on(nodes);
                // A policy hears of each move while the affinity it was made under holds.
                self.tell_moves();
                self.host.sched.restrict(id, cpus);
                self.tell_moves();
                self.host.tasks[t].next_step();
            }
            Step::Spawn(child) => {
                self.host.tasks[t].next_step();
                self.host.tasks[t].children += 1;
                self.spawn(id, child, meter);
            }
            Step::Join => {
                if self.host.tasks[t].children == 0 {
                    self.host.tasks[t].next_step();
                } else {
                    self.block(id, State::Joining);
                }
            }
            Step::Barrier { id: barrier, parties } => self.meet(id, *barrier, *parties),
        }
    }

    fn compute(&mut self, id: TaskId, time: Nanos, meter: &mut Meter) {
        let task = &mut self.host.tasks[id.index()];
        let left = match task.progress {
            Progress::Compute { left } => left,
            _ => time.0 as f64,
        };
        task.target = None;
        let done = left.min(meter.left() * meter.speed());
        meter.spend(done / meter.speed());
        task.progress = Progress::Compute { left: left - done };
        if left - done < 0.1 {
            task.next_step();
        }
    }

    fn sleep(&mut self, id: TaskId, time: Nanos, meter: &Meter) {
        let until = self.host.now + meter.offset() + time.0;
        match self.host.tasks[id.index()].progress {
            Progress::Waited => self.host.tasks[id.index()].next_step(),
            _ => self.block(id, State::Sleeping { until }),
        }
    }

    /// Waits at a barrier, or opens it as the last to come.
    fn meet(&mut self, id: TaskId, barrier: u32, parties: u32) {
        let t = id.index();
        if let Progress::Waited = self.host.tasks[t].progress {
            self.host.tasks[t].next_step();
            return;
        }
        let mm = self.host.tasks[t].mm;
        let at = State::AtBarrier { id: barrier };
        let waits = |task: &Task| task.mm == mm && task.state == at;
        let waiting: Vec<usize> =
            (0..self.host.tasks.len()).filter(|&other| waits(&self.host.tasks[other])).collect();
        if waiting.len() + 1 < parties as usize {
            self.block(id, at);
            return;
        }
        for other in waiting {
            self.wake(TaskId(other as u32));
        }
        self.host.tasks[t].next_step();
    }

    pub(crate) fn block(&mut self, id: TaskId, state: State) {
        self.host.tasks[id.index()].state = state;
        self.host.sched.block(id);
    }

    /// Wakes a task that waited; it goes on behind what it waited for.
    pub(crate) fn wake(&mut self, id: TaskId) {
        self.host.tasks[id.index()].progress = Progress::Waited;
        self.resume(id);
    }

    /// Wakes a task that was held up inside a step.
    pub(crate) fn resume(&mut self, id: TaskId) {
        self.host.tasks[id.index()].state = State::Runnable;
        self.host.sched.wake(id);
    }

    fn spawn(&mut self, parent: TaskId, thread: &Thread, meter: &Meter) {
        let creator = &self.host.tasks[parent.index()];
        let child = Task::new(
            creator.mm,
            Some(parent),
            creator.policy.clone(),
            Arc::new(thread.clone()),
            Nanos(self.host.now + meter.offset()),
        );
        let allowed = self.host.sched.allowed(parent).clone();
        self.start(child, allowed);
    }

    fn exit(&mut self, id: TaskId, meter: &Meter) {
        let at = self.host.now + meter.offset();
        self.block(id, State::Ended { at });
        let task = &self.host.tasks[id.index()];
        let (mm, parent) = (task.mm, task.parent);
        self.host.threads[mm.index()] -= 1;
        self.policy.task_exited(&self.host, id);
        if let Some(parent) = parent {
            self.host.tasks[parent.index()].children -= 1;
            let waiting = &self.host.tasks[parent.index()];
            if waiting.state == State::Joining && waiting.children == 0 {
                self.wake(parent);
                self.host.tasks[parent.index()].next_step();
            }
        }
    }
}

/// Whether a step's accesses go to memory.
pub(crate) fn accesses_memory(step: &Step) -> Option<Access> {
    match step {
        Step::Sweep { access, .. } | Step::Random { access, .. } => Some(*access),
        _ => None,
    }
}
