//! A finished report: comparisons, the published cells beside them, and the score. Every writer takes one.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::comparison::Comparison;
use crate::fidelity::Fidelity;
use crate::published::{PublishedCell, published_cells};
use crate::role::Roles;
use crate::seed::SeedTables;
use crate::straw_man::StrawMan;

/// Everything a writer needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// One comparison per machine and configuration.
    pub comparisons: Vec<Comparison>,
    /// The published cells that have a counterpart.
    pub published: Vec<PublishedCell>,
    /// The score over these cells.
    pub fidelity: Fidelity,
}

impl Report {
    /// Checks the comparisons, finds their published counterparts and scores them. `straw_men` are judged besides "no change" and "predecessor".
    ///
    /// # Errors
    /// What [`Comparison::check`], [`Roles::check`] and [`published_cells`] return.
    pub fn new(
        comparisons: Vec<Comparison>,
        tables: &SeedTables,
        roles: &Roles,
        straw_men: &[StrawMan],
        calibration_hash: &str,
    ) -> Result<Self, Error> {
        roles.check(tables)?;
        let mut published = Vec::new();
        for comparison in &comparisons {
            comparison.check()?;
            published.extend(published_cells(comparison, tables, roles)?);
        }
        let fidelity = Fidelity::new(&published, straw_men, calibration_hash);
        Ok(Self { comparisons, published, fidelity })
    }
}
