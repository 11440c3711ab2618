//! What may be moved and what not, and the reason with its numbers for each refusal.

mod memory;
mod refusal;
mod room;
mod thread;

pub use memory::MemoryLimits;
pub use refusal::Refusal;
pub use room::{Room, Watermark};
pub use thread::ThreadLimits;

#[cfg(test)]
mod tests;
