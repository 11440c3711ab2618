//! Barriers and joins: do all threads of a process come to an end?

use std::collections::{BTreeMap, VecDeque};

use super::Found;
use crate::{Problem, Process, Step, Thread};

/// Runs the process with everything but its meetings left out. More threads than parties at a barrier
/// meet in the order of their numbers; where the order decides whether the last ones are met, another
/// order of arrival may differ.
pub(super) fn check(process: &Process) -> Result<(), Found> {
    let mut parties_of = BTreeMap::new();
    let mut tasks = vec![Task::new(&process.main, None)];
    let mut runnable = VecDeque::from([0]);
    let mut waiting: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    while let Some(me) = runnable.pop_back() {
        let Some(step) = tasks[me].steps.next() else {
            if let Some(creator) = tasks[me].creator {
                tasks[creator].living -= 1;
                if tasks[creator].joins && tasks[creator].living == 0 {
                    tasks[creator].joins = false;
                    runnable.push_back(creator);
                }
            }
            continue;
        };
        match step {
            Step::Spawn(child) => {
                tasks[me].living += 1;
                runnable.push_back(me);
                runnable.push_front(tasks.len());
                tasks.push(Task::new(child, Some(me)));
            }
            Step::Join if tasks[me].living > 0 => tasks[me].joins = true,
            Step::Barrier { id, parties } => {
                let first = *parties_of.entry(*id).or_insert(*parties);
                if first != *parties {
                    let problem = Problem::PartiesDiffer { first, then: *parties };
                    return Err((format!("barrier {id}"), problem));
                }
                let here = waiting.entry(*id).or_default();
                here.push(me);
                if here.len() >= *parties as usize {
                    runnable.extend(here.drain(..));
                }
            }
            _ => runnable.push_back(me),
        }
    }
    match waiting.iter().find(|(_, here)| !here.is_empty()) {
        None => Ok(()),
        Some((id, here)) => {
            let parties = parties_of.get(id).copied().unwrap_or_default();
            Err((format!("barrier {id}"), Problem::NeverMet { waiting: here.len(), parties }))
        }
    }
}

struct Task<'a> {
    steps: std::slice::Iter<'a, Step>,
    creator: Option<usize>,
    /// Threads it created that have not ended.
    living: usize,
    /// Whether it waits for them.
    joins: bool,
}

impl<'a> Task<'a> {
    fn new(thread: &'a Thread, creator: Option<usize>) -> Self {
        Self { steps: thread.steps.iter(), creator, living: 0, joins: false }
    }
}
