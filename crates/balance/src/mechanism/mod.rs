//! The parts policies are made of, one file each: state, rule, constants passed in.
//!
//! A mechanism knows nothing of [`crate::View`], [`crate::Outbox`] or other mechanisms. It is told what
//! it needs to know and says what follows; the tree puts that into words and actions.

mod eligibility;
mod page_filter;
mod rate_limit;
mod scan_clock;
mod scan_reset;
mod scan_turn;
mod start_gate;
mod table;

pub use eligibility::has_room;
pub use page_filter::record_node;
pub use rate_limit::{Limit, RateLimit};
pub use scan_clock::{ScanClock, ScanPeriod};
pub use scan_reset::ScanReset;
pub use scan_turn::ScanTurn;
pub use start_gate::StartGate;
pub use table::Table;
