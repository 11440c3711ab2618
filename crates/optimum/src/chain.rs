//! The longest chain of steps that must follow each other.

use homenode_workload::{Step, Thread, Workload};

use crate::demand::Demand;
use crate::speed::Speed;

/// Time that the workload needs even if every thread has a core to itself and all its memory is
/// local and idle, ns: the longest way through the threads, their creation and joins. Waiting at
/// barriers is left out.
pub(crate) fn chain(workload: &Workload, speed: &Speed) -> f64 {
    let ends = workload.processes.iter().map(|process| run(&process.main, 0.0, speed).last);
    ends.fold(0.0, f64::max)
}

/// When a thread ends, and when the last of it and the threads below it ends.
struct End {
    own: f64,
    last: f64,
}

fn run(thread: &Thread, start: f64, speed: &Speed) -> End {
    let (mut now, mut joined, mut last) = (start, start, start);
    for step in &thread.steps {
        match step {
            Step::Spawn(child) => {
                let end = run(child, now, speed);
                joined = end.own.max(joined);
                last = end.last.max(last);
            }
            Step::Join => now = now.max(joined),
            other => now += Demand::of_step(other, speed).time(speed),
        }
    }
    End { own: now, last: last.max(now) }
}
