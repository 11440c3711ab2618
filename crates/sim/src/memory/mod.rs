//! Simulated memory: address spaces, their pages, and the nodes' free pages.

mod place;
mod pool;
mod space;
mod walk;
mod word;

pub(crate) use place::place;
pub(crate) use pool::Pool;
pub(crate) use space::{ChunkKind, Space};
pub(crate) use walk::walk;
pub(crate) use word::Word;
