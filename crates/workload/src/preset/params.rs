//! What can be varied about a preset.

use homenode_topology::{Bytes, Machine, NodeId, NodeMask, PAGE};

use super::PresetInfo;
use crate::Error;

/// Parameters of a preset; `None` stands for what the program itself does on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// Memory of each process: one base page a thread at least, 1 PiB at most.
    pub size: Option<Bytes>,
    /// Passes of the main work: 1 to 1,000,000.
    pub loops: Option<u32>,
    /// Threads of each process besides its first: 1 to 65,536.
    pub threads: Option<u32>,
    /// The node both processes of `numa01*` start on; must have memory. Decided by `start_parity`
    /// where absent.
    pub start_node: Option<NodeId>,
    /// Parity of the second in which the program starts, 0 or 1: `numa01*` start on the first memory
    /// node if it is 0, on the second if it is 1.
    pub start_parity: u8,
}

/// Parameters with every default filled in and every range checked.
pub(super) struct Resolved {
    pub(super) size: Bytes,
    pub(super) loops: u32,
    pub(super) threads: u32,
    /// The node that both processes of `numa01*` start on; none on a machine without memory.
    pub(super) start: NodeMask,
}

const HIGHEST_LOOPS: u32 = 1_000_000;
const HIGHEST_THREADS: u32 = 1 << 16;
const HIGHEST_SIZE: Bytes = Bytes(1 << 50);

impl Params {
    /// Fills in the program's own `size`, `loops` and `threads` and checks all ranges.
    pub(super) fn resolve(
        &self,
        preset: &PresetInfo,
        machine: &Machine,
        size: Bytes,
        loops: u32,
        threads: usize,
    ) -> Result<Resolved, Error> {
        let refuse = |parameter, value: String, expected: String| Error::Parameter {
            workload: preset.name,
            parameter,
            value,
            expected,
        };
        let threads = self.threads.unwrap_or(u32::try_from(threads).unwrap_or(u32::MAX).max(1));
        if !(1..=HIGHEST_THREADS).contains(&threads) {
            return Err(refuse("threads", threads.to_string(), format!("1 to {HIGHEST_THREADS}")));
        }
        let loops = self.loops.unwrap_or(loops);
        if !(1..=HIGHEST_LOOPS).contains(&loops) {
            return Err(refuse("loops", loops.to_string(), format!("1 to {HIGHEST_LOOPS}")));
        }
        let size = self.size.unwrap_or(size);
        let smallest = PAGE * u64::from(threads);
        if size < smallest || size > HIGHEST_SIZE {
            let expected = format!("{smallest} (a page for each thread) to {HIGHEST_SIZE}");
            return Err(refuse("size", size.to_string(), expected));
        }
        if self.start_parity > 1 {
            return Err(refuse("start_parity", self.start_parity.to_string(), "0 or 1".to_owned()));
        }
        let memory = machine.memory_nodes();
        if let Some(node) = self.start_node.filter(|&node| !memory.contains(node)) {
            let expected = format!("a node with memory ({memory})");
            return Err(refuse("start_node", node.to_string(), expected));
        }
        let by_parity = memory.iter().nth(self.start_parity.into()).or_else(|| memory.first());
        let start = self.start_node.or(by_parity).into_iter().collect();
        Ok(Resolved { size, loops, threads, start })
    }
}
