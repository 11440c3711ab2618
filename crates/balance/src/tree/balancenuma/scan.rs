//! The tick and the task work it queues (other-trees 4.3 steps 1 and 2, order as in 4.4).

use super::{Balancenuma, SCAN_PAGES};
use crate::{Action, Hold, Outbox, Reason, TaskId, View};

impl Balancenuma {
    /// The kernel queues the work at the tick and does it on the way back to user mode; nothing happens
    /// in between that it could see, so here it is done at once. A scan that the arming limit refuses
    /// has used up the turn of the address space.
    pub(super) fn scan(&mut self, view: &dyn View, task: TaskId, out: &mut Outbox) {
        let Some(clock) = self.clocks.get_mut(task.index()) else { return };
        let state = view.task(task);
        let Some(mm) = state.mm else { return };
        let Some(space) = self.spaces.get_mut(mm.index()) else { return };
        if !clock.expired(state.runtime, &self.period) {
            return;
        }
        let now = view.now();
        if !space.turn.is_due(now) {
            return out.hold(Hold::NotDue { next: space.turn.next() });
        }
        let node = view.node_of(state.cpu);
        if self.features.delayed_start
            && let Err(node) = space.gate.pass(node)
        {
            return out.hold(Hold::NotSpread { node });
        }
        if space.reset.is_due(now) {
            clock.restart(&self.period);
        }
        let period = clock.period();
        let from = space.turn.claim(now, period);
        if self.features.rate_limits
            && let Err(pages) = self.moved.arming(node, now)
        {
            return out.hold(Hold::ScanLimit { node, pages });
        }
        out.act(Action::Arm { mm, from, budget: SCAN_PAGES }, Reason::ScanDue { period });
    }
}
