//! What holds after any history.

use std::collections::BTreeMap;
use std::vec;

use proptest::prelude::*;

use super::*;

/// One thing that happens to the host.
#[derive(Clone, Debug)]
enum Event {
    Run { task: u8, ms: u16 },
    Move { task: u8, cpu: u8 },
    Touch { task: u8, page: u8, huge: bool, batched: bool, fails: bool },
    Walked { mm: u8, next: Option<u16> },
}

const TASKS: u8 = 4;
const CPUS: u8 = 6;

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => (0..TASKS, 0u16..1500).prop_map(|(task, ms)| Event::Run { task, ms }),
        1 => (0..TASKS, 0..CPUS).prop_map(|(task, cpu)| Event::Move { task, cpu }),
        8 => (0..TASKS, 0u8..6, any::<bool>(), any::<bool>(), prop::bool::weighted(0.1)).prop_map(
            |(task, page, huge, batched, fails)| Event::Touch { task, page, huge, batched, fails }
        ),
        1 => (0u8..2, prop::option::of(any::<u16>())).prop_map(|(mm, next)| Event::Walked { mm, next }),
    ]
}

fn stage() -> impl Strategy<Value = Features> {
    prop::sample::select(vec![Features::THPMIGRATE, Features::ADAPTSCAN, Features::DELAYSTART])
}

/// Plays a history, with pages that really move; returns all that was said, and checks on the way what
/// must hold after each step.
fn play(features: Features, history: &[Event]) -> Vec<Answer> {
    let mut host = Host::new(features);
    for task in 0..TASKS {
        host.start(MmId(u32::from(task % 2)), CpuId(u32::from(task)));
    }
    let mut homes: BTreeMap<u64, NodeId> = BTreeMap::new();
    let mut last: BTreeMap<u64, NodeId> = BTreeMap::new();
    let mut said = Vec::new();
    for event in history {
        match *event {
            Event::Run { task, ms } => said.push(host.run(TaskId(u32::from(task)), u64::from(ms))),
            Event::Move { task, cpu } => {
                host.view.tasks[usize::from(task)].cpu = CpuId(u32::from(cpu));
            }
            Event::Walked { mm, next } => {
                host.walked(TaskId(0), MmId(u32::from(mm)), next.map(u64::from));
            }
            Event::Touch { task, page, huge, batched, fails } => {
                let task = TaskId(u32::from(task));
                let mm = u64::from(task.0 % 2);
                let page = (mm << 32) + (u64::from(huge) << 24) + 512 * u64::from(page);
                let home = homes.entry(page).or_insert(NODE_NEAR);
                let source = if batched { Source::PmdBatch } else { Source::HintingFault };
                let pages = if huge { 512 } else { 1 };
                let seen = host.seen(task, page, pages, *home, source);
                let node = host.view.machine.cpu(seen.cpu).and_then(|cpu| cpu.node).unwrap();
                let answer = host.observe(&seen);
                if let Some(&Action::MoveRange { to, .. }) = answer.action() {
                    assert_eq!(
                        (to, last.get(&page)),
                        (node, Some(&node)),
                        "a first touch moved it"
                    );
                    assert_ne!(to, *home, "it is there already");
                    if fails {
                        host.failed(&answer);
                    } else {
                        *home = to;
                        host.ended(&answer, Outcome::Done { pages });
                    }
                }
                last.insert(page, node);
                said.push(answer);
            }
        }
        let bounds = features.period();
        for task in 0..u32::from(TASKS) {
            let period = host.policy.clocks.get(task as usize).unwrap().period();
            assert!((bounds.min..=bounds.max).contains(&period), "{period:?}");
        }
    }
    said
}

proptest! {
    /// The period stays within its bounds, and no page moves on a first touch from a node.
    #[test]
    fn invariants_hold_after_any_history(
        features in stage(),
        history in prop::collection::vec(event(), 0..400),
    ) {
        play(features, &history);
    }

    /// Same inputs, same outputs.
    #[test]
    fn the_same_history_gives_the_same_answers(
        features in stage(),
        history in prop::collection::vec(event(), 0..200),
    ) {
        prop_assert_eq!(play(features, &history), play(features, &history));
    }

    /// Balancing-v9 invariant 6: at most the limit and one huge page more in a window of a node.
    #[test]
    fn a_window_accepts_no_more_than_the_limit_and_a_huge_page(
        touches in prop::collection::vec((0u32..6, any::<bool>(), 0u64..1500), 200..1500),
    ) {
        let mut host = Host::new(Features::ADAPTSCAN);
        let task = host.start(MM, NEAR);
        let mut windows: BTreeMap<NodeId, (Option<Nanos>, u64)> = BTreeMap::new();
        for (cpu, huge, micros) in touches {
            host.view.now += Nanos::micros(micros / 10);
            host.view.tasks[task.index()].cpu = CpuId(cpu);
            let node = host.view.machine.cpu(CpuId(cpu)).and_then(|cpu| cpu.node).unwrap();
            let home = if node == NODE_NEAR { NODE_FAR } else { NODE_NEAR };
            let pages = if huge { 512 } else { 1 };
            let seen = host.seen(task, u64::from(cpu), pages, home, Source::HintingFault);
            host.observe(&seen);
            let answer = host.observe(&seen);
            if answer.action().is_some() {
                let (end, sum) = windows.entry(node).or_default();
                if end.is_none_or(|end| host.view.now > end) {
                    (*end, *sum) = (Some(host.view.now + Nanos::millis(100)), 0);
                }
                *sum += u64::from(pages);
                prop_assert!(*sum <= LIMIT + 512);
            }
        }
    }
}
