//! The decision engine: what a NUMA balancing policy sees, says and is told.
//!
//! A [`Policy`] is one object that lives in any host: the simulator, a real machine, a recording. The
//! host feeds it [`Observation`]s and scheduler events together with a read-only [`View`]; it answers
//! into an [`Outbox`] with [`Action`]s, each carrying the [`Reason`] and its numbers; what came of an
//! action returns through [`Policy::outcome`]. How the host itself works (what a scan arms, how a huge
//! page is counted) is stated as data in [`HostRules`].
//!
//! Nothing in this crate does input or output, reads a clock, starts a thread or draws a random number:
//! it is `no_std`, so most of that is true by construction. No floating point decides an order.
//!
//! * [`mechanism`]: the parts policies are made of, one file each (scan clock, page filter, rate limit, …)
//! * [`tree`]: the published kernels, one file each, assembled from mechanisms
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod mechanism;
pub mod tree;

mod action;
#[cfg(test)]
mod fake_view;
mod nearest;
mod observation;
mod outbox;
mod policy;
mod reason;
mod rules;
mod view;

pub use action::{Action, Failure, Outcome, Scan};
pub use nearest::nearest;
pub use observation::{MmId, Observation, Op, PageRange, PageTag, Source, TaskId, Weight};
pub use outbox::{Outbox, Verdict};
pub use policy::{Bias, Policy};
pub use reason::{Hold, Reason};
pub use rules::{CountRules, HostRules, Launch, MigrateRules, WalkRules};
pub use view::{Placement, TaskView, View};
