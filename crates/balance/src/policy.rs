//! The trait every balancing policy implements.

use homenode_topology::{CpuId, NodeId};

use crate::{
    Action, HostRules, MmId, Observation, Outbox, Outcome, PageTag, Scan, TaskId, View, Weight,
};

/// What a policy thinks of moving a task from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bias {
    /// The load balancer should rather not.
    Degrades,
    /// No opinion.
    Neutral,
    /// The load balancer may do it more readily.
    Improves,
}

/// A NUMA balancing policy. Every hook has a default that does nothing, so that a policy states only
/// what it does. Calls come from one thread, in the order of the host's time.
pub trait Policy: Send {
    /// Name as the user writes it, for example `balancenuma:delaystart`.
    fn name(&self) -> &str;

    /// How the host works under this policy.
    fn rules(&self) -> &HostRules;

    /// Whether observations of this weight's unit are understood.
    fn accepts(&self, weight: Weight) -> bool {
        matches!(weight, Weight::Faults(_))
    }

    /// A task was created (fork or thread); `mm` is its address space.
    fn task_started(&mut self, _view: &dyn View, _task: TaskId, _mm: MmId, _out: &mut Outbox) {}

    /// A task ended.
    fn task_exited(&mut self, _view: &dyn View, _task: TaskId) {}

    /// The host moved a task to another CPU by itself.
    fn task_moved(&mut self, _view: &dyn View, _task: TaskId, _from: CpuId, _to: CpuId) {}

    /// A task is running at the scheduler's tick.
    fn tick(&mut self, _view: &dyn View, _task: TaskId, _out: &mut Outbox) {}

    /// A memory access was seen. `tag` is what the policy left with the page before; what it holds
    /// after the call is kept. Must not allocate.
    fn observe(
        &mut self,
        _view: &dyn View,
        _seen: &Observation,
        _tag: &mut PageTag,
        _out: &mut Outbox,
    ) {
    }

    /// A walk asked for by [`Action::Arm`] is done.
    fn scanned(&mut self, _view: &dyn View, _task: TaskId, _scan: &Scan) {}

    /// An action other than [`Action::Arm`] was carried out or failed. `seen` is the observation in
    /// whose handling it was asked for, if any.
    fn outcome(
        &mut self,
        _view: &dyn View,
        _action: &Action,
        _outcome: Outcome,
        _seen: Option<&Observation>,
    ) {
    }

    /// What the policy thinks of a move the load balancer considers.
    fn bias(&self, _view: &dyn View, _task: TaskId, _from: NodeId, _to: NodeId) -> Bias {
        Bias::Neutral
    }
}
