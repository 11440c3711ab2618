use homenode_topology::{CpuId, spec};
use proptest::prelude::*;

use super::*;
use crate::calibration::Calibration;

const QUANTUM: u64 = 10_000_000;
const SECOND: u64 = 1_000_000_000;

/// A scheduler and the time it has reached.
struct Machine {
    sched: Scheduler,
    slices: Vec<Slice>,
    now: u64,
}

impl Machine {
    fn with_noise(text: &str, noise: &NoiseFit, seed: u64) -> Self {
        let layout = Arc::new(Layout::new(&spec::parse(text).unwrap()));
        let fit = Calibration::shipped().unwrap().sched;
        let sched = Scheduler::new(layout, fit, noise, seed);
        Self { sched, slices: Vec::new(), now: 0 }
    }

    /// Without housekeeping.
    fn quiet(text: &str) -> Self {
        let never = 1 << 60;
        let noise = NoiseFit {
            kthread_period_ns: never,
            kthread_burst_ns: 1,
            daemons: 0,
            daemon_sleep_ns: never,
            daemon_burst_ns: 1,
        };
        let mut machine = Self::with_noise(text, &noise, 0);
        for keeper in &mut machine.sched.keepers {
            keeper.wakes = Some(u64::MAX);
        }
        machine
    }

    fn all(&self) -> CpuMask {
        self.sched.layout.cpus.iter().copied().collect()
    }

    /// Starts a task on one CPU, from where it may go anywhere.
    fn start_on(&mut self, cpu: usize) -> TaskId {
        let task = self.start(self.all());
        assert!(self.sched.send(task, cpu));
        task
    }

    fn start(&mut self, allowed: CpuMask) -> TaskId {
        let task = TaskId(self.sched.seats.len() as u32);
        self.sched.start(task, allowed);
        task
    }

    /// One quantum; returns the CPU time that tasks got.
    fn step(&mut self) -> u64 {
        self.sched.advance(self.now);
        self.sched.plan(self.now, QUANTUM, &mut self.slices);
        self.sched.settle();
        self.now += QUANTUM;
        self.slices.iter().map(|slice| slice.length).sum()
    }

    fn cpus_of(&self, tasks: &[TaskId]) -> Vec<usize> {
        tasks.iter().map(|&task| self.sched.cpu_of(task)).collect()
    }
}

#[test]
fn tasks_spread_over_nodes_then_cores_then_threads() {
    let mut machine = Machine::quiet("nodes=2 cores=2 threads=2");
    let all = machine.all();
    let tasks: Vec<TaskId> = (0..8).map(|_| machine.start(all.clone())).collect();
    let node = |at: usize| machine.sched.layout.node_of[machine.sched.cpu_of(tasks[at])];
    let core = |at: usize| &machine.sched.layout.siblings[machine.sched.cpu_of(tasks[at])];
    assert_ne!(node(0), node(1));
    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        assert_ne!(core(a), core(b), "four tasks on four cores");
    }
    let mut cpus = machine.cpus_of(&tasks);
    cpus.sort_unstable();
    assert_eq!(cpus, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn no_cpu_idles_while_a_task_waits_that_could_run_there() {
    let mut machine = Machine::quiet("nodes=2 cores=2");
    let tasks: Vec<TaskId> = (0..8).map(|_| machine.start(machine.all())).collect();
    assert_eq!(machine.step(), 4 * QUANTUM);
    for (blocked, task) in tasks.iter().enumerate() {
        machine.sched.block(*task);
        machine.sched.settle();
        let runnable = 7 - blocked as u64;
        assert_eq!(machine.step(), runnable.min(4) * QUANTUM, "{runnable} tasks left");
    }
}

#[test]
fn an_idle_cpu_pulls_from_its_core_then_its_node_then_anywhere() {
    // CPUs 0 and 2 are core 0 of node 0, 1 and 3 are core 1, on the other node.
    let mut machine = Machine::quiet("nodes=2 cores=2");
    let far: Vec<TaskId> = (0..3).map(|_| machine.start_on(2)).collect();
    let near: Vec<TaskId> = (0..2).map(|_| machine.start_on(1)).collect();
    let mine = machine.start_on(0);
    machine.step();
    machine.sched.block(mine);
    machine.sched.settle();
    assert!(near.iter().any(|&task| machine.sched.cpu_of(task) == 0), "from the other core");
    assert_eq!(machine.cpus_of(&far), [2, 2, 2], "although that queue is longer");
}

#[test]
fn tasks_on_one_cpu_get_equal_time() {
    let mut machine = Machine::quiet("cores=1");
    let tasks: Vec<TaskId> = (0..3).map(|_| machine.start(machine.all())).collect();
    let mut ran = vec![0u64; 3];
    for _ in 0..300 {
        machine.step();
        for slice in &machine.slices {
            ran[slice.task.index()] += slice.length;
        }
    }
    assert_eq!(ran.iter().sum::<u64>(), 300 * QUANTUM);
    let longest_slice = machine.sched.fit.latency_ns / tasks.len() as u64;
    for time in &ran {
        assert!(time.abs_diff(100 * QUANTUM) <= longest_slice, "{ran:?}");
    }
}

#[test]
fn a_running_task_moves_only_after_failed_attempts() {
    let mut machine = Machine::quiet("nodes=2 cores=2");
    let tasks = [machine.start_on(0), machine.start_on(1)];
    let failures = u64::from(machine.sched.fit.active_after);
    let interval = machine.sched.fit.numa_balance_idle_ns;
    machine.sched.levels[1].node_due = 0;
    let before = machine.sched.crossings();
    while machine.now < failures * interval {
        machine.step();
        assert_eq!(machine.cpus_of(&tasks), [0, 1], "at {} ns", machine.now);
    }
    while machine.now < (failures + 1) * (interval + interval / 2) + QUANTUM {
        machine.step();
    }
    let nodes = machine.cpus_of(&tasks).iter().filter(|&&cpu| cpu >= 2).count();
    assert_eq!(nodes, 1, "one of the two went to the idle node");
    assert_eq!(machine.sched.crossings() - before, 1);
}

#[test]
fn a_crowded_core_gives_a_task_to_an_idle_core() {
    let mut machine = Machine::quiet("cores=2 threads=2");
    let (a, b) = (machine.start_on(0), machine.start_on(2));
    assert_eq!(machine.sched.busy_siblings(0), 2);
    while machine.now < SECOND {
        machine.step();
    }
    assert_eq!((machine.sched.busy_siblings(0), machine.sched.busy_siblings(1)), (1, 1));
    assert_ne!(machine.sched.cpu_of(a) % 2, machine.sched.cpu_of(b) % 2);
    assert_eq!(machine.sched.crossings(), 0);
}

#[test]
fn a_balanced_machine_is_left_alone() {
    let mut machine = Machine::quiet("nodes=2 cores=2 threads=2");
    let tasks: Vec<TaskId> = (0..8).map(|_| machine.start(machine.all())).collect();
    let before = machine.cpus_of(&tasks);
    while machine.now < 20 * SECOND {
        machine.step();
    }
    assert_eq!(machine.cpus_of(&tasks), before);
}

#[test]
fn restriction_moves_a_task_at_once_and_keeps_it() {
    let mut machine = Machine::quiet("nodes=2 cores=2");
    let (task, other) = (machine.start_on(0), machine.start_on(3));
    let node1: CpuMask = [CpuId(2), CpuId(3)].into_iter().collect();
    machine.sched.restrict(task, node1.clone());
    assert_eq!(machine.sched.cpu_of(task), 2, "the idle one of the two");
    assert!(!machine.sched.send(task, 0) && machine.sched.send(task, 3));
    machine.sched.block(other);
    let third = machine.start_on(2);
    machine.sched.restrict(third, node1);
    for _ in 0..200 {
        machine.step();
        assert!(machine.sched.cpu_of(task) >= 2);
    }
    assert_eq!(machine.sched.allowed(task).iter().count(), 2);
}

#[test]
fn a_woken_task_returns_to_its_cpu_or_an_idle_neighbour() {
    let mut machine = Machine::quiet("nodes=2 cores=2");
    let task = machine.start_on(0);
    machine.sched.block(task);
    machine.sched.wake(task);
    assert_eq!(machine.sched.cpu_of(task), 0);
    machine.sched.block(task);
    machine.start_on(0);
    machine.sched.wake(task);
    assert_eq!(machine.sched.cpu_of(task), 1, "not to the other node");
    machine.sched.block(task);
    machine.start_on(1);
    machine.sched.wake(task);
    assert_eq!(machine.sched.cpu_of(task), 1, "waits where it was");
}

/// One call on the scheduler.
#[derive(Clone, Debug)]
enum Call {
    Start,
    Block(usize),
    Wake(usize),
    Restrict(usize, u8),
    Send(usize, usize),
    Run(u8),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        3 => Just(Call::Start),
        2 => (0usize..16).prop_map(Call::Block),
        2 => (0usize..16).prop_map(Call::Wake),
        1 => (0usize..16, 1u8..8).prop_map(|(task, nodes)| Call::Restrict(task, nodes)),
        1 => (0usize..16, 0usize..12).prop_map(|(task, cpu)| Call::Send(task, cpu)),
        4 => (1u8..60).prop_map(Call::Run),
    ]
}

proptest! {
    /// Whatever happens, with housekeeping: every runnable task is on one allowed queue, no CPU runs
    /// longer than there is time, kernel threads stay where they are bound, virtual time never falls.
    #[test]
    fn scheduling_is_sound(calls in prop::collection::vec(call(), 1..40), seed in any::<u64>()) {
        let noise = Calibration::shipped().unwrap().noise;
        let mut machine = Machine::with_noise("nodes=3 cores=2 threads=2", &noise, seed);
        for call in calls {
            let tasks = machine.sched.seats.len();
            let nth = |at: usize| TaskId((at % tasks.max(1)) as u32);
            match call {
                Call::Start => {
                    let all = machine.all();
                    machine.start(all);
                }
                Call::Block(at) if tasks > 0 => machine.sched.block(nth(at)),
                Call::Wake(at) if tasks > 0 && !machine.sched.seats[nth(at).index()].queued => {
                    machine.sched.wake(nth(at));
                }
                Call::Restrict(at, nodes) if tasks > 0 => {
                    let layout = machine.sched.layout.clone();
                    let allowed = (0..12).filter(|&cpu| nodes >> layout.node_of[cpu] & 1 == 1);
                    machine.sched.restrict(nth(at), allowed.map(|cpu| layout.cpus[cpu]).collect());
                }
                Call::Send(at, cpu) if tasks > 0 => {
                    let may = machine.sched.can_run(nth(at), cpu);
                    prop_assert_eq!(machine.sched.send(nth(at), cpu), may);
                }
                Call::Run(quanta) => {
                    for _ in 0..quanta {
                        run_quantum(&mut machine)?;
                    }
                }
                _ => {}
            }
            prop_assert!(machine.sched.is_sound());
        }
    }
}

fn run_quantum(machine: &mut Machine) -> Result<(), TestCaseError> {
    let before: Vec<u64> = machine.sched.min_vruntimes().collect();
    let kept = machine.sched.housekeeping();
    let ran = machine.step();
    let kept = machine.sched.housekeeping() - kept;
    let sched = &machine.sched;
    prop_assert!(sched.min_vruntimes().zip(&before).all(|(now, &before)| now >= before));
    prop_assert!(ran + kept <= 12 * QUANTUM);
    for cpu in 0..12 {
        let here = machine.slices.iter().filter(|slice| slice.cpu == cpu);
        prop_assert!(here.map(|slice| slice.length).sum::<u64>() <= QUANTUM);
        for queued in sched.queues[cpu].entries() {
            match queued.entity {
                Entity::Task(task) => {
                    prop_assert!(sched.can_run(task, cpu));
                }
                Entity::Noise(id) => {
                    prop_assert!(sched.keepers[id].bound.is_none_or(|at| at == cpu));
                }
            }
        }
    }
    Ok(())
}
