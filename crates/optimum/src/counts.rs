//! Thread counts by group and node: which are worth solving for.

use crate::demand::Group;
use crate::placement::Seats;
use crate::speed::Speed;

/// Most combinations that are tried.
const MOST: usize = 256;
/// A group with less than this share of the traffic runs on all nodes in every combination.
const SMALL: f64 = 0.05;

/// Every way to give each large group a set of nodes to run on, its threads dealt out over them in
/// proportion to their CPUs; only all nodes for all groups where that would be too many.
pub(crate) fn combinations(groups: &[Group], speed: &Speed) -> Vec<Vec<Vec<usize>>> {
    let traffic = |group: &Group| group.each.traffic() * group.members.len() as f64;
    let all: f64 = groups.iter().map(traffic).sum();
    let sets = 1_usize.checked_shl(speed.runners.len() as u32).map_or(usize::MAX, |n| n - 1);
    let choices = |group: &Group| if traffic(group) < SMALL * all { 1 } else { sets };
    let whole = |group: &Group| dealt(group.members.len(), &speed.runners, speed);
    let count = groups.iter().try_fold(1_usize, |count, group| count.checked_mul(choices(group)));
    let Some(count) = count.filter(|&count| count <= MOST) else {
        return vec![groups.iter().map(whole).collect()];
    };
    let combination = |mut number: usize| {
        let counts = groups.iter().map(|group| {
            let choices = choices(group);
            let set = sets - number % choices;
            number /= choices;
            let inside = |at: &usize| set & (1 << at) != 0;
            let nodes: Vec<usize> =
                (0..speed.runners.len()).filter(inside).map(|at| speed.runners[at]).collect();
            dealt(group.members.len(), &nodes, speed)
        });
        counts.collect()
    };
    (0..count).map(combination).collect()
}

/// Deals threads out over nodes in proportion to their CPUs; the result is by node of the machine.
fn dealt(threads: usize, nodes: &[usize], speed: &Speed) -> Vec<usize> {
    let all: usize = nodes.iter().map(|&node| speed.cpus[node]).sum();
    let mut counts = vec![0; speed.nodes.len()];
    let (mut cpus, mut given) = (0, 0);
    for &node in nodes {
        cpus += speed.cpus[node];
        let until = threads * cpus / all.max(1);
        counts[node] = until - given;
        given = until;
    }
    counts
}

/// Seats of all threads: members of each group fill their nodes in order.
pub(crate) fn seats(threads: usize, groups: &[Group], counts: &[Vec<usize>]) -> Seats {
    let mut seats = vec![None; threads];
    for (group, counts) in groups.iter().zip(counts) {
        let nodes = counts.iter().enumerate();
        let nodes = nodes.flat_map(|(node, &count)| std::iter::repeat_n(node, count));
        for (&member, node) in group.members.iter().zip(nodes) {
            seats[member] = Some(node);
        }
    }
    seats
}

#[cfg(test)]
mod tests {
    use homenode_topology::spec;

    use super::*;
    use crate::demand::{Demand, Flow};

    fn group(members: std::ops::Range<usize>) -> Group {
        let flows = [(Flow::Stream, 1.0)].into();
        let each = Demand { flows, ..Demand::default() };
        Group { process: 0, each, members: members.collect() }
    }

    #[test]
    fn two_groups_on_four_nodes_have_225_combinations() {
        let speed = Speed::new(&spec::parse("nodes=4 cores=6").unwrap()).unwrap();
        let groups = [group(0..24), group(24..48)];
        let combinations = combinations(&groups, &speed);
        assert_eq!(combinations.len(), 225);
        assert_eq!(combinations[0], [vec![6, 6, 6, 6], vec![6, 6, 6, 6]]);
        for counts in &combinations {
            assert!(counts.iter().all(|of_group| of_group.iter().sum::<usize>() == 24));
            assert!(seats(48, &groups, counts).iter().all(Option::is_some));
        }
        let distinct: std::collections::BTreeSet<_> = combinations.iter().collect();
        assert_eq!(distinct.len(), 225);
    }

    #[test]
    fn small_groups_are_not_enumerated_and_many_groups_run_everywhere() {
        let speed = Speed::new(&spec::parse("nodes=4 cores=6").unwrap()).unwrap();
        assert_eq!(combinations(&[group(0..1), group(1..48)], &speed).len(), 15);
        let many: Vec<Group> = (0..8).map(|at| group(at..at + 1)).collect();
        assert_eq!(combinations(&many, &speed).len(), 1);
    }

    #[test]
    fn threads_are_dealt_in_proportion_to_cpus() {
        let speed =
            Speed::new(&spec::parse("nodes=3 cores=2 cores@1=0 cores@2=6").unwrap()).unwrap();
        assert_eq!(dealt(8, &speed.runners, &speed), [2, 0, 6]);
        assert_eq!(dealt(3, &speed.runners, &speed), [0, 0, 3]);
    }
}
