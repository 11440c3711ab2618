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
