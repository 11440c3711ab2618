//! Why a policy acted, or did not: each with the numbers that decided it.

use core::fmt;
use homenode_topology::{Nanos, NodeId};
use serde::{Deserialize, Serialize};

/// Why an action was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// The task's scan period ran out and it won the address space's turn.
    ScanDue {
        /// The period of the task that scans.
        period: Nanos,
    },
    /// A page is used from another node than it lies on, and every filter passed.
    Misplaced {
        /// Where the page lies.
        from: NodeId,
        /// Where it is used.
        to: NodeId,
    },
}

/// Why a policy left something as it is. Recorded only while somebody asks for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "hold")]
pub enum Hold {
    /// The page already lies where it is used.
    Local {
        /// That node.
        node: NodeId,
    },
    /// An explicit memory policy, or a kernel that cannot move this kind of page, keeps it there.
    Bound {
        /// Where the page lies.
        node: NodeId,
    },
    /// The two-stage filter: the previous fault came from another node.
    FirstTouchFrom {
        /// The node that touches now.
        node: NodeId,
        /// The node recorded before, if any.
        last: Option<NodeId>,
    },
    /// The target node's migration window is used up.
    MigrateLimit {
        /// Pages moved in this window.
        pages: u64,
        /// The limit.
        limit: u64,
    },
    /// The target node lacks room.
    NodeFull {
        /// The target.
        node: NodeId,
        /// Its free pages.
        free: u64,
    },
    /// Scanning waits until the address space was seen on a second node (delayed start).
    NotSpread {
        /// The only node it was seen on.
        node: NodeId,
    },
    /// Another task of the address space scans, or its turn is not due.
    NotDue {
        /// When the next turn is.
        next: Nanos,
    },
    /// Scanning is off while this node migrates at its limit.
    ScanLimit {
        /// The node.
        node: NodeId,
        /// Pages moved to it in the window.
        pages: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ScanDue { period } => {
                write!(f, "scan period of {} ms ran out", period.0 / 1_000_000)
            }
            Self::Misplaced { from, to } => write!(f, "lies on {from}, used from {to}"),
        }
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local { node } => write!(f, "already on {node}"),
            Self::Bound { node } => write!(f, "has to stay on {node}"),
            Self::FirstTouchFrom { node, last: Some(last) } => {
                write!(f, "touched from {node} now but from {last} before")
            }
            Self::FirstTouchFrom { node, last: None } => {
                write!(f, "touched from {node} for the first time")
            }
            Self::MigrateLimit { pages, limit } => {
                write!(f, "{pages} pages moved in this window, the limit is {limit}")
            }
            Self::NodeFull { node, free } => write!(f, "{node} has only {free} free pages"),
            Self::NotSpread { node } => write!(f, "seen on {node} only so far"),
            Self::NotDue { next } => write!(f, "next scan is due at {} ms", next.0 / 1_000_000),
            Self::ScanLimit { node, pages } => {
                write!(f, "{node} is at its migration limit ({pages} pages in this window)")
            }
        }
    }
}
