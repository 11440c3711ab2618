//! How close predictions come to the published values: one score per class of metrics (machine-model spec 5.1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::published::{CellId, MetricClass, PublishedCell, log_error};
use crate::role::Role;
use crate::stats;
use crate::straw_man::StrawMan;

#[cfg(test)]
mod tests;

/// Smallest published change against the baseline whose sign counts.
const DEAD_BAND: f64 = 0.02;
/// Standard deviations of the simulated value that widen the dead band.
const DEAD_BAND_DEVIATIONS: f64 = 2.0;

/// The score of one class of metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Cells counted, the chaotic ones left out.
    pub cells: usize,
    /// Counted cells whose error has no value because exactly one side is 0.
    pub undefined: usize,
    /// Median of |ln(prediction / published)|.
    pub median_abs_log_error: Option<f64>,
    /// 90th percentile of |ln(prediction / published)|.
    pub p90_abs_log_error: Option<f64>,
    /// Largest |ln(prediction / published)|.
    pub max_abs_log_error: Option<f64>,
    /// Of a straw man: the model's median on the same cells, the figure to hold against its own. `None` in the model's scores.
    pub model_median_abs_log_error: Option<f64>,
    /// Kendall's tau-b between predicted and published order of the columns, mean over the rows that have one.
    pub kendall_tau: Option<f64>,
    /// Share of the cells whose published value differs from the baseline by more than max(2 %, 2 standard deviations) and whose prediction differs in the same direction.
    pub sign_agreement: Option<f64>,
    /// Share of the cells, the chaotic ones included, whose published value lies inside the simulated 5-95 % band; `None` below 20 runs and for straw men.
    pub in_band: Option<f64>,
}

/// A score for each class that has cells.
pub type Scores = BTreeMap<MetricClass, Score>;

/// The whole judgement of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fidelity {
    /// On the cells the model was fitted to.
    pub calibration: Scores,
    /// On all other cells.
    pub held_out: Scores,
    /// Straw men on the held-out cells they speak of.
    pub straw_men: BTreeMap<String, Scores>,
    /// Hash of the calibration file.
    pub calibration_hash: String,
}

/// Whose predictions are judged.
#[derive(Clone, Copy, PartialEq)]
enum Predictor {
    Model,
    StrawMan,
}

/// One cell with a prediction for it and for its baseline.
struct Judged<'a> {
    cell: &'a PublishedCell,
    prediction: f64,
    baseline: Option<f64>,
}

impl Fidelity {
    /// Scores the simulated values of `cells`, and the straw men "no change", "predecessor" and `others` on the same cells.
    pub fn new(cells: &[PublishedCell], others: &[StrawMan], calibration_hash: &str) -> Self {
        let own = [StrawMan::no_change(cells), StrawMan::predecessor(cells)];
        let straw_men =
            own.iter().chain(others).map(|man| (man.name.clone(), straw_scores(cells, man)));
        Self {
            calibration: model_scores(cells, &[Role::Calibration]),
            held_out: model_scores(cells, &[Role::HeldOut, Role::HeldOutChaotic]),
            straw_men: straw_men.collect(),
            calibration_hash: calibration_hash.to_owned(),
        }
    }
}

/// Scores of the simulated medians on the cells of these roles.
fn model_scores(cells: &[PublishedCell], roles: &[Role]) -> Scores {
    let chosen = cells.iter().filter(|cell| roles.contains(&cell.role));
    let judged = chosen.map(|cell| Judged {
        cell,
        prediction: cell.simulated.median,
        baseline: cell.simulated_baseline,
    });
    scores(judged, Predictor::Model)
}

/// Scores of a straw man on the held-out cells it speaks of; its baseline is the published one.
fn straw_scores(cells: &[PublishedCell], man: &StrawMan) -> Scores {
    let held_out = cells.iter().filter(|cell| cell.role == Role::HeldOut);
    let judged = held_out.filter_map(|cell| {
        let prediction = *man.predictions.get(&cell.cell)?;
        Some(Judged { cell, prediction, baseline: cell.published_baseline })
    });
    scores(judged, Predictor::StrawMan)
}

fn scores<'a>(judged: impl Iterator<Item = Judged<'a>>, predictor: Predictor) -> Scores {
    let mut classes: BTreeMap<MetricClass, Vec<Judged<'a>>> = BTreeMap::new();
    for cell in judged {
        if let Some(class) = cell.cell.class {
            classes.entry(class).or_default().push(cell);
        }
    }
    classes.into_iter().map(|(class, cells)| (class, score(&cells, predictor))).collect()
}

fn score(cells: &[Judged<'_>], predictor: Predictor) -> Score {
    let steady: Vec<&Judged<'_>> =
        cells.iter().filter(|judged| judged.cell.role != Role::HeldOutChaotic).collect();
    let errors: Vec<f64> = steady
        .iter()
        .filter_map(|judged| log_error(judged.prediction, judged.cell.published))
        .map(f64::abs)
        .collect();
    let (model, in_band) = match predictor {
        Predictor::Model => {
            (Vec::new(), cells.iter().filter_map(|judged| judged.cell.in_band()).collect())
        }
        Predictor::StrawMan => (
            steady.iter().filter_map(|judged| judged.cell.log_error).map(f64::abs).collect(),
            Vec::new(),
        ),
    };
    Score {
        cells: steady.len(),
        undefined: steady.len() - errors.len(),
        median_abs_log_error: stats::median(&errors),
        p90_abs_log_error: stats::percentile(&errors, 90.0),
        max_abs_log_error: stats::percentile(&errors, 100.0),
        model_median_abs_log_error: stats::median(&model),
        kendall_tau: row_order(&steady),
        sign_agreement: share(steady.iter().filter_map(|judged| sign_agrees(judged))),
        in_band: share(in_band.into_iter()),
    }
}

fn share(answers: impl Iterator<Item = bool>) -> Option<f64> {
    stats::mean(&answers.map(|yes| f64::from(u8::from(yes))).collect::<Vec<f64>>())
}

fn row_order(cells: &[&Judged<'_>]) -> Option<f64> {
    let mut rows: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
    for judged in cells {
        let CellId { table, metric, key, .. } = &judged.cell.cell;
        rows.entry((table.as_str(), metric.as_str(), key.as_str()))
            .or_default()
            .push((judged.prediction, judged.cell.published));
    }
    stats::mean(&rows.values().filter_map(|row| stats::kendall_tau_b(row)).collect::<Vec<f64>>())
}

/// Whether prediction and publication differ from their baselines in the same direction; `None` for baseline cells and inside the dead band.
fn sign_agrees(judged: &Judged<'_>) -> Option<bool> {
    let cell = judged.cell;
    let change = |value: f64, baseline: Option<f64>| {
        baseline.filter(|base| *base > 0.0).map(|base| value / base - 1.0)
    };
    let published = change(cell.published, cell.published_baseline)?;
    let predicted = change(judged.prediction, judged.baseline)?;
    let deviation = if cell.simulated.median > 0.0 {
        cell.simulated.stddev / cell.simulated.median
    } else {
        0.0
    };
    let counts =
        !cell.baseline && published.abs() > DEAD_BAND.max(DEAD_BAND_DEVIATIONS * deviation);
    counts.then_some(predicted * published > 0.0)
}
