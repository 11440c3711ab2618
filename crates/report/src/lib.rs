//! Prints and scores comparisons of NUMA balancing policies, beside the numbers published for them.
//!
//! Everything here is strings and numbers in, text out: this crate runs nothing and knows neither a simulator nor a policy.
//!
//! * [`seed`]: the 77 result tables of the five posts, shipped as data and checked on load
//! * [`stats`]: means, deviations, percentiles, rank statistics
//! * [`percent`], [`derived`], [`vmstat`], [`mmtests`]: the MMTests report, its sign rules and its computed rows
//! * [`Comparison`]: what a caller measured; [`published`]: the published value beside each simulated one;
//!   [`fidelity`]: the score; [`Report`]: all of it, and the writers [`text`], [`table_csv`], [`json`] and [`html`]
//!
//! ```
//! use homenode_report::{Column, Comparison, Report, Roles, Row, Samples, SeedTables};
//!
//! # fn main() -> Result<(), homenode_report::Error> {
//! let column = |name: &str, published: &str| Column { name: name.to_owned(), published: Some(published.to_owned()), predecessor: None };
//! let comparison = Comparison {
//!     title: "numa02".to_owned(),
//!     machine: "opteron-32".to_owned(),
//!     against: vec!["T001-04".to_owned()],
//!     columns: vec![column("mainline", "v3.7-vanilla"), column("hard-bind", "v3.7-HARD_BIND")],
//!     rows: vec![Row {
//!         benchmark: "autonumabench".to_owned(),
//!         metric: "Elapsed".to_owned(),
//!         key: "NUMA02".to_owned(),
//!         cells: vec![Some(Samples::new(vec![55.9, 56.0])?), Some(Samples::new(vec![14.8, 15.1])?)],
//!     }],
//!     ..Comparison::default()
//! };
//! let report = Report::new(vec![comparison], &SeedTables::load()?, &Roles::default(), &[], "hash of calibration.toml")?;
//! assert_eq!(report.published[1].published, 14.9);
//! println!("{}", report.text());
//! # Ok(())
//! # }
//! ```

pub mod comparison;
pub mod derived;
pub mod error;
pub mod fidelity;
pub mod html;
pub mod json;
pub mod mmtests;
pub mod percent;
pub mod published;
pub mod report;
pub mod role;
#[cfg(test)]
mod sample;
pub mod seed;
pub mod stats;
pub mod straw_man;
pub mod table_csv;
pub mod text;
pub mod vmstat;

pub use comparison::{
    Column, Comparison, Curve, Durations, Regret, RegretCell, Row, Samples, TimeChart,
};
pub use error::Error;
pub use fidelity::{Fidelity, Score};
pub use mmtests::Edition;
pub use published::{CellId, PublishedCell, SimulatedValue};
pub use report::Report;
pub use role::{Role, RoleRule, Roles};
pub use seed::{SeedTable, SeedTables};
pub use straw_man::StrawMan;
pub use vmstat::VmstatRun;
