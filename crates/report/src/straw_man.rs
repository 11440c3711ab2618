//! Predictions that need no model: a score means something only beside theirs.

use std::collections::BTreeMap;

use crate::published::{CellId, PublishedCell};

/// A named set of predictions of published cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StrawMan {
    /// Its name in documents, such as `bandwidth arithmetic`.
    pub name: String,
    /// The predicted value of each cell it speaks of.
    pub predictions: BTreeMap<CellId, f64>,
}

impl StrawMan {
    /// "no change": every column does as the published baseline. It does not speak of the baseline itself.
    pub fn no_change(cells: &[PublishedCell]) -> Self {
        Self::of("no change", cells, |cell| cell.published_baseline.filter(|_| !cell.baseline))
    }

    /// "predecessor": every stage does as the published stage before it. It does not speak of columns without one.
    pub fn predecessor(cells: &[PublishedCell]) -> Self {
        Self::of("predecessor", cells, |cell| cell.published_predecessor)
    }

    fn of(
        name: &str,
        cells: &[PublishedCell],
        prediction: impl Fn(&PublishedCell) -> Option<f64>,
    ) -> Self {
        let predictions =
            cells.iter().filter_map(|cell| Some((cell.cell.clone(), prediction(cell)?))).collect();
        Self { name: name.to_owned(), predictions }
    }
}
