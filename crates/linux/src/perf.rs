//! perf events: what to ask for, and the records that come back.

mod event;
mod record;

pub use event::{EventKind, EventSpec, Layout};
pub(crate) use record::encode_sample;
pub use record::{RawSample, Record, Registers, decode};

#[cfg(test)]
mod tests;
