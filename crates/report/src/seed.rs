//! The result tables of the five published posts (2012-2013), shipped as data and checked on load.

mod files;
mod load;
mod table;
mod tables;

#[cfg(test)]
mod tests;

pub use table::{Better, Kind, SeedCell, SeedTable};
pub use tables::SeedTables;
