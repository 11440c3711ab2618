//! Nodes a thread can be bound to together with its memory: those with both CPUs and memory.

use homenode_topology::{Machine, NodeId, NodeMask};

/// The nodes of a machine that have CPUs and memory, in ascending order, as the binding builds use them.
///
/// Nodes with only one of the two take no part in bindings. A machine with fewer than two such nodes
/// offers no choice: [`Places::is_choice`] is false and binding builds bind nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    nodes: Vec<NodeId>,
}

impl Places {
    /// The places of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let both = machine.memory_nodes().intersection(&machine.cpu_nodes());
        Self { nodes: both.iter().collect() }
    }

    /// Number of places.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node has both CPUs and memory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether there is more than one place, so that binding means anything.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        self.nodes.len() > 1
    }

    /// All places.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().copied()
    }

    /// Node set 1: the first half, rounded down.
    #[must_use]
    pub fn first_half(&self) -> NodeMask {
        self.iter().take(self.len() / 2).collect()
    }

    /// Node set 2: the rest; it has the middle place of an odd number.
    #[must_use]
    pub fn second_half(&self) -> NodeMask {
        self.iter().skip(self.len() / 2).collect()
    }

    /// The place of member `i` of a team of `of`: members in order fill places in order, as evenly as
    /// whole numbers allow. Where the number of places divides the team this is `i / (of / places)`.
    /// `None` if there are no places or `i` is not below `of`.
    #[must_use]
    pub fn share(&self, i: usize, of: usize) -> Option<NodeId> {
        if i >= of {
            return None;
        }
        self.nodes.get(i * self.len() / of).copied()
    }

    /// The mirror images of the places in a set: first for last, second for last but one, and so on.
    /// Nodes that are no places stay as they are, and so does the middle one of an odd number.
    #[must_use]
    pub fn mirror(&self, nodes: &NodeMask) -> NodeMask {
        let mirrored = |node| match self.nodes.binary_search(&node) {
            Ok(i) => self.nodes[self.len() - 1 - i],
            Err(_) => node,
        };
        nodes.iter().map(mirrored).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_machine::{any, machine};

    fn nodes(list: &str) -> NodeMask {
        list.parse().unwrap()
    }

    #[test]
    fn nodes_without_cpus_or_memory_are_no_places() {
        let odd =
            machine(&[(0, 0..4, 4), (2, 4..4, 4), (4, 4..8, 0), (5, 8..12, 4), (7, 12..16, 4)]);
        let places = Places::of(&odd);
        assert_eq!(places.iter().collect::<NodeMask>(), nodes("0,5,7"));
        assert_eq!((places.first_half(), places.second_half()), (nodes("0"), nodes("5,7")));
        // The middle one is its own mirror image; node 2 is no place.
        assert_eq!(places.mirror(&nodes("0,2")), nodes("2,7"));
        assert_eq!(places.mirror(&nodes("5")), nodes("5"));
    }

    #[test]
    fn one_place_is_no_choice() {
        let places = Places::of(&machine(&[(0, 0..4, 4), (1, 4..8, 0)]));
        assert!(!places.is_choice() && !places.is_empty());
        assert_eq!(places.share(3, 4), Some(NodeId(0)));
        assert_eq!(places.share(4, 4), None);
    }

    #[test]
    fn a_team_that_does_not_divide_is_shared_out_in_order() {
        let places =
            Places::of(&machine(&[(0, 0..1, 1), (1, 1..2, 1), (2, 2..3, 1), (3, 3..4, 1)]));
        let team = |of: usize| -> Vec<u16> {
            (0..of).filter_map(|i| places.share(i, of)).map(|node| node.0).collect()
        };
        assert_eq!(team(8), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(team(10), [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(team(2), [0, 2]);
    }

    proptest! {
        #[test]
        fn shares_differ_by_one_at_most_and_mirrors_undo_themselves(
            machine in any(),
            team in 1_usize..100,
        ) {
            let places = Places::of(&machine);
            let shares: Vec<_> = (0..team).filter_map(|i| places.share(i, team)).collect();
            prop_assert_eq!(shares.len(), team);
            let of = |node| shares.iter().filter(|&&share| share == node).count();
            let counts: Vec<usize> = places.iter().map(of).collect();
            let (most, least) = (counts.iter().max().unwrap(), counts.iter().min().unwrap());
            prop_assert!(most - least <= 1);
            let half = places.first_half();
            prop_assert_eq!(places.mirror(&places.mirror(&half)), half);
        }
    }
}
