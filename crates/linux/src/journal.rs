//! A journal of every act, on disk before the act, and the way back from it.
//!
//! One line a record: a CRC-32 in hexadecimal, a space, JSON. A record cut off at the end is the mark of a kill:
//! its act never happened. A record that is damaged elsewhere, or missing, makes the journal one that is not
//! followed without being told to.

mod entry;
mod reading;
mod store;
mod undo;
mod writer;

pub use entry::{Entry, FreezeHow, Header, PageRun, Record};
pub use reading::{Damage, Reading, read_journal};
pub use store::{FileStore, MemoryStore, Store};
pub use undo::{NotRestored, UndoOptions, UndoReport, Why, undo};
pub use writer::{Journal, settle};

#[cfg(test)]
mod tests;
