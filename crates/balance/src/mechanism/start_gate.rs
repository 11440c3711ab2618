//! Delayed start: no scanning until an address space was seen on a second node.
//!
//! Intent: a program that never leaves its node has nothing to gain and should pay nothing. Source:
//! balancenuma V5 patch 40 (other-trees 4.2 "delaystart"). Known weakness: tasks that stay where they are
//! but share pages across nodes may never open it; V9 reverts it for that (other-trees 4.6).

use homenode_topology::NodeId;

/// The gate of one address space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartGate {
    /// No scan was tried yet.
    #[default]
    Init,
    /// Scans were tried on this node only.
    Seen(NodeId),
    /// Open, for good.
    Active,
}

impl StartGate {
    /// A task tries to scan on `node`.
    ///
    /// # Errors
    /// The only node the address space was seen on, while the gate stays shut.
    pub fn pass(&mut self, node: NodeId) -> Result<(), NodeId> {
        match *self {
            Self::Init => {
                *self = Self::Seen(node);
                Err(node)
            }
            Self::Seen(first) if first == node => Err(first),
            Self::Seen(_) | Self::Active => {
                *self = Self::Active;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StartGate;
    use homenode_topology::NodeId;

    /// Other-trees 4.2 "delaystart": INIT, then the first node, then ACTIVE forever.
    #[test]
    fn it_opens_on_the_second_node_and_stays_open() {
        let mut gate = StartGate::default();
        assert_eq!(gate.pass(NodeId(2)), Err(NodeId(2)));
        assert_eq!(gate.pass(NodeId(2)), Err(NodeId(2)));
        assert_eq!(gate.pass(NodeId(0)), Ok(()));
        assert_eq!(gate, StartGate::Active);
        assert_eq!(gate.pass(NodeId(2)), Ok(()));
    }
}
