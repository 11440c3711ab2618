//! What can go wrong in this crate, each with the place and the way out.

use thiserror::Error;

/// The error of this crate.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// A shipped seed table is damaged.
    #[error(
        "seed table {table}, line {line}, field `{field}`: {problem}; restore the file from the release"
    )]
    SeedTable {
        /// Table id, or `index` for the index file.
        table: String,
        /// Line of the CSV file, 1 being the header; 0 when the whole file is meant.
        line: u64,
        /// Column of the CSV file.
        field: &'static str,
        /// What was found and what was expected.
        problem: String,
    },
    /// No published table has this id or prefix.
    #[error(
        "no published table `{name}`; the nearest is `{nearest}` (ids look like T000-01, T000 selects a whole post)"
    )]
    UnknownTable {
        /// What was asked for.
        name: String,
        /// The nearest id or prefix that exists.
        nearest: String,
    },
    /// A role rule matches no published cell, so it has a misspelt field.
    #[error(
        "role rule {number} ({rule}) matches no published cell; check table, metric, key and column"
    )]
    IdleRule {
        /// Position in the list, from 1.
        number: usize,
        /// The rule as text.
        rule: String,
    },
    /// The factor of a role rule is not a positive number.
    #[error("role rule {number} ({rule}) has scale {scale}; it must be a positive number")]
    RuleScale {
        /// Position in the list, from 1.
        number: usize,
        /// The rule as text.
        rule: String,
        /// The factor.
        scale: String,
    },
    /// Samples must be numbers and at least one.
    #[error("samples must be at least one number between -1e150 and 1e150, found {found}")]
    Samples {
        /// What was found.
        found: String,
    },
    /// A comparison whose parts do not fit together.
    #[error(
        "comparison `{comparison}`, {item}: {found} entries for {columns} columns; give one entry per column"
    )]
    Shape {
        /// Title of the comparison.
        comparison: String,
        /// The part that does not fit.
        item: String,
        /// Entries it has.
        found: usize,
        /// Columns of the comparison.
        columns: usize,
    },
    /// Two things that must differ have one name.
    #[error("comparison `{comparison}`: {item} stands twice; give each its own name")]
    Duplicate {
        /// Title of the comparison.
        comparison: String,
        /// What stands twice.
        item: String,
    },
    /// A value that is not a number between -1e150 and 1e150.
    #[error("comparison `{comparison}`, {item}: {value} is not a number between -1e150 and 1e150")]
    Number {
        /// Title of the comparison.
        comparison: String,
        /// Where it stands.
        item: String,
        /// The value.
        value: String,
    },
    /// A document that is not a `homenode.compare` document of a known version, or not JSON at all.
    #[error("cannot read the comparison document: {problem}")]
    Document {
        /// What is wrong and where.
        problem: String,
    },
    /// A chart could not be drawn.
    #[error("cannot draw the chart `{chart}`: {problem}")]
    Chart {
        /// Title of the chart.
        chart: String,
        /// What the plotting library said.
        problem: String,
    },
}
