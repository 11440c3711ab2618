//! What the kernel's balancer did to a process, from `task/TID/sched`.

use homenode_linux::procfs::TaskSched;
use homenode_topology::NodeId;
use serde::Serialize;

/// What it did to a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadBalancer {
    /// The node it would like the thread to run on.
    pub preferred_node: Option<NodeId>,
    /// Pages that moved because of the thread.
    pub pages_migrated: u64,
    /// Decayed sum of the thread's hinting faults.
    pub faults: u64,
    /// Its group of threads that share memory; 0 is none.
    pub group: u64,
}

/// What it did to a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Balancer {
    /// Passes over the address space.
    pub scans: u64,
    /// Pages moved because of the threads that live.
    pub pages_migrated: u64,
    /// Decayed sum of the hinting faults of these threads.
    pub faults: u64,
    /// Threads for each node that one of them is meant to run on.
    pub preferred: Vec<(NodeId, u32)>,
}

impl ThreadBalancer {
    /// What a `sched` file says; `None` if it says nothing about balancing.
    pub(super) fn of(sched: &TaskSched) -> Option<Self> {
        let any = sched.scan_sequence.is_some() || !sched.faults.is_empty();
        any.then(|| Self {
            preferred_node: sched.preferred_node,
            pages_migrated: sched.pages_migrated.unwrap_or(0),
            faults: sched.total_faults.unwrap_or(0),
            group: sched.group.unwrap_or(0),
        })
    }
}

impl Balancer {
    /// Adds a thread.
    pub(super) fn add(&mut self, scans: Option<u64>, thread: &ThreadBalancer) {
        // The count belongs to the address space; each thread shows the same.
        self.scans = self.scans.max(scans.unwrap_or(0));
        self.pages_migrated = self.pages_migrated.saturating_add(thread.pages_migrated);
        self.faults = self.faults.saturating_add(thread.faults);
        let Some(node) = thread.preferred_node else { return };
        match self.preferred.binary_search_by_key(&node, |&(node, _)| node) {
            Ok(at) => self.preferred[at].1 += 1,
            Err(at) => self.preferred.insert(at, (node, 1)),
        }
    }

    /// In one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        if *self == Self::default() {
            return "did nothing to it".into();
        }
        let wishes: Vec<String> =
            self.preferred.iter().map(|(node, threads)| format!("{threads} on {node}")).collect();
        let wishes = match wishes.as_slice() {
            [] => "prefers no node for any thread".to_owned(),
            some => format!("wants threads: {}", some.join(", ")),
        };
        let (scans, pages) = (self.scans, self.pages_migrated);
        let plural = if scans == 1 { "" } else { "es" };
        format!("{scans} pass{plural} over its memory, {pages} pages moved, {wishes}")
    }
}
