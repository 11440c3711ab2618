//! The machine's hardware: who sits where, and how fast memory answers under load.

mod contention;
mod layout;
mod traffic;

pub(crate) use contention::Contention;
pub(crate) use layout::Layout;
pub(crate) use traffic::Traffic;
