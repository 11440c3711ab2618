//! Where sampled memory is: asked from the kernel page by page, never by touching it.

use std::collections::BTreeMap;

use homenode_topology::{HUGE_PAGE, NodeId, PAGE};

use super::Sample;
use crate::{Errno, Error, Identity, Kernel, Result};

/// Pages asked about in one call.
const BATCH: usize = 1024;

/// What a look-up brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeLookup {
    /// Samples that have a node now.
    pub located: u64,
    /// Samples whose page is not there, or is hidden by the kernel's balancer (before 6.6).
    pub absent: u64,
    /// Pages asked about.
    pub queried: u64,
}

/// Fills in the nodes of samples with an address; asks about at most `most` pages, the first sampled first.
///
/// # Errors
/// The process is gone or belongs to another user.
pub fn locate(
    kernel: &impl Kernel,
    process: Identity,
    samples: &mut [Sample],
    most: usize,
) -> Result<NodeLookup> {
    let page_of = |sample: &Sample| {
        let access = sample.access?;
        let size = if access.huge == Some(true) { HUGE_PAGE } else { PAGE };
        Some(access.address - access.address % size.0)
    };
    let mut nodes: BTreeMap<u64, Option<NodeId>> = BTreeMap::new();
    for page in samples.iter().filter(|sample| sample.node.is_none()).filter_map(page_of) {
        if nodes.len() >= most {
            break;
        }
        nodes.insert(page, None);
    }
    let pages: Vec<u64> = nodes.keys().copied().collect();
    process.verify(kernel)?;
    for batch in pages.chunks(BATCH) {
        let found = kernel.page_nodes(process.pid, batch).map_err(|errno| match errno {
            Errno::ESRCH => Error::Gone { pid: process.pid, start: process.start },
            errno => Error::Call {
                call: "move_pages (query)",
                target: format!("process {}", process.pid),
                errno,
            },
        })?;
        for (page, node) in batch.iter().zip(found) {
            nodes.insert(*page, node.ok());
        }
    }
    let mut lookup = NodeLookup { queried: pages.len() as u64, ..NodeLookup::default() };
    for sample in samples.iter_mut().filter(|sample| sample.node.is_none()) {
        match page_of(sample).and_then(|page| nodes.get(&page)) {
            Some(Some(node)) => {
                sample.node = Some(*node);
                lookup.located += 1;
            }
            Some(None) => lookup.absent += 1,
            None => {}
        }
    }
    Ok(lookup)
}
