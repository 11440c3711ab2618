//! The hinting fault (other-trees 4.3 steps 3 to 5, corner cases as in 4.4).

use homenode_topology::NodeId;

use super::Balancenuma;
use crate::mechanism::{has_room, record_node};
use crate::{
    Action, Hold, Observation, Outbox, Outcome, PageTag, Placement, Reason, Source, TaskId, View,
};

impl Balancenuma {
    /// Decides about one page, or about the alike pages of a batch. Faults that do not move a page
    /// lengthen the period of the task that took them, with one exception: entries found in a batch that
    /// need no move are passed over.
    pub(super) fn fault(
        &mut self,
        view: &dyn View,
        seen: &Observation,
        tag: &mut PageTag,
        out: &mut Outbox,
    ) {
        let batched = seen.source == Source::PmdBatch;
        let faults = if batched { seen.range.pages } else { 1 };
        let to = match self.target(view, seen, tag) {
            Ok(to) => to,
            Err(hold) => {
                out.hold(hold);
                if !batched {
                    self.lengthen(seen.task, faults);
                }
                return;
            }
        };
        let refused = match self.admit(view, seen, to) {
            Err(hold) => {
                out.hold(hold);
                faults
            }
            Ok(pages) => {
                let (range, task) = (seen.range.shortened_to(pages), seen.task);
                let reason = Reason::Misplaced { from: seen.node, to };
                out.act(Action::MoveRange { range, to, task }, reason);
                seen.range.pages - pages
            }
        };
        self.lengthen(seen.task, if self.features.adaptive_scan { refused } else { faults });
    }

    /// A move ended. From patch 38 on the period depends on how; before, the fault has lengthened it
    /// already.
    pub(super) fn move_ended(&mut self, task: TaskId, outcome: Outcome) {
        let moved = matches!(outcome, Outcome::Done { pages } if pages > 0);
        if self.features.adaptive_scan && !moved {
            self.lengthen(task, 1);
        }
    }

    /// Where the page should go, if it should go anywhere.
    fn target(
        &self,
        view: &dyn View,
        seen: &Observation,
        tag: &mut PageTag,
    ) -> Result<NodeId, Hold> {
        let to = match view.placement(seen.task, &seen.range) {
            Placement::Stays => return Err(Hold::Bound { node: seen.node }),
            Placement::On(node) => node,
            Placement::FollowsUse => {
                let node = view.node_of(seen.cpu);
                let last = record_node(tag, node);
                if seen.node != node && self.features.two_stage_filter && last != Some(node) {
                    return Err(Hold::FirstTouchFrom { node, last });
                }
                node
            }
        };
        if to == seen.node { Err(Hold::Local { node: to }) } else { Ok(to) }
    }

    /// How many of the pages may be moved now. The limit comes first, so that a move for which there is
    /// no room uses it up as well (balancing-v9 5.4, same order in 3.11).
    fn admit(&mut self, view: &dyn View, seen: &Observation, to: NodeId) -> Result<u32, Hold> {
        let batched = seen.source == Source::PmdBatch;
        let mut pages = seen.range.pages;
        if seen.is_huge() && !self.features.thp_migration {
            return Err(Hold::Bound { node: seen.node });
        }
        if self.features.rate_limits {
            let limit = self.moved.limit().pages;
            let charged = if batched {
                self.moved.charge_singly(to, pages, view.now())
            } else {
                self.moved.charge(to, pages, view.now()).map(|()| pages)
            };
            pages = charged.map_err(|pages| Hold::MigrateLimit { pages, limit })?;
        }
        let free = view.free_pages(to);
        if batched {
            pages = pages.min(u32::try_from(free).unwrap_or(u32::MAX));
        }
        if pages > 0 && has_room(free, pages) {
            Ok(pages)
        } else {
            Err(Hold::NodeFull { node: to, free })
        }
    }

    fn lengthen(&mut self, task: TaskId, faults: u32) {
        if let Some(clock) = self.clocks.get_mut(task.index()) {
            clock.lengthen_by(&self.period, faults);
        }
    }
}
