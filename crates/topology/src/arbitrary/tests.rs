use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;

/// What every machine of this crate must hold to.
fn assert_consistent(machine: &Machine) {
    assert!(machine.nodes.is_sorted_by(|a, b| a.id < b.id));
    assert!(machine.cpus.is_sorted_by(|a, b| a.id < b.id));
    assert!(machine.online().intersection(&machine.offline).is_empty());
    assert!(!machine.cpu_nodes().is_empty() && !machine.memory_nodes().is_empty());
    for node in &machine.nodes {
        assert_eq!(node.cpus, cpus_of(&machine.cpus, node.id));
        assert_eq!(machine.distances.get(node.id, node.id), LOCAL_DISTANCE);
    }
    for cpu in &machine.cpus {
        assert!(cpu.llc.contains(cpu.id) && cpu.llc.is_subset(&machine.online()));
    }
}

proptest! {
    #[test]
    fn machines_are_consistent(machine in machine()) {
        assert_consistent(&machine);
    }

    #[test]
    fn machines_with_stray_cpus_are_consistent(machine in machine_with_stray_cpus()) {
        assert_consistent(&machine);
    }
}

/// The generator would be of little use if it never came up with what it promises.
#[test]
fn each_oddity_comes_up() {
    let mut runner = TestRunner::deterministic();
    let machines: Vec<Machine> = (0..200)
        .map(|_| machine_with_stray_cpus().new_tree(&mut runner).unwrap().current())
        .collect();
    let oddities: [fn(&Machine) -> bool; 7] = [
        |m| m.nodes.last().unwrap().id.index() >= m.nodes.len(),
        |m| m.cpu_nodes().len() < m.nodes.len(),
        |m| m.memory_nodes().len() < m.nodes.len(),
        |m| m.distances.is_asymmetric(),
        |m| !m.offline.is_empty(),
        |m| m.cpus.iter().any(|cpu| cpu.node.is_none()),
        |m| m.nodes.len() == 1,
    ];
    for (index, oddity) in oddities.iter().enumerate() {
        assert!(machines.iter().filter(|m| oddity(m)).count() >= 5, "oddity {index}");
    }
}
