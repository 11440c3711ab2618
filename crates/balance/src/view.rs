//! What a policy may look at: the host's present state, read-only.

use homenode_topology::{CpuId, CpuMask, Machine, Nanos, NodeId};

use crate::{MmId, PageRange, TaskId};

/// A task as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Its address space; `None` for a kernel thread.
    pub mm: Option<MmId>,
    /// The CPU it runs on, or ran on last.
    pub cpu: CpuId,
    /// CPU time it has used in its life, user and system together.
    pub runtime: Nanos,
    /// When it was started.
    pub started: Nanos,
}

/// What the memory policy in force over a page, the mapping's or else the task's, says about its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// No explicit policy: it belongs where it is used.
    #[default]
    FollowsUse,
    /// An explicit policy without migrate-on-fault: it stays where it was allocated.
    Stays,
    /// An explicit policy with migrate-on-fault: it belongs on this node.
    On(NodeId),
}

/// The host's state at the moment of a call.
pub trait View {
    /// The machine; does not change during a run.
    fn machine(&self) -> &Machine;

    /// The present time: virtual in the simulator, `CLOCK_MONOTONIC` live.
    fn now(&self) -> Nanos;

    /// The node of a CPU. CPUs that firmware gives no node count as on the first node that has memory.
    fn node_of(&self, cpu: CpuId) -> NodeId;

    /// A task that was started and has not exited.
    fn task(&self, task: TaskId) -> TaskView;

    /// CPUs a task may run on.
    fn allowed(&self, task: TaskId) -> &CpuMask;

    /// Free base pages of a node above its high watermark; 0 for a node without memory.
    fn free_pages(&self, node: NodeId) -> u64;

    /// Where the memory policy in force wants these pages: the mapping's, or else the task's.
    fn placement(&self, _task: TaskId, _range: &PageRange) -> Placement {
        Placement::FollowsUse
    }
}
