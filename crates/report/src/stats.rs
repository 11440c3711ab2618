//! Statistics of small samples. Every function returns `None` where the figure is not defined; none uses randomness.

mod rank;
mod student;

#[cfg(test)]
mod tests;

pub use rank::{MannWhitney, kendall_tau_b, mann_whitney};
pub use student::mean_interval;

fn count(values: &[f64]) -> f64 {
    values.len() as f64
}

/// Arithmetic mean.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values))
}

/// Harmonic mean, n / sum(1/x); defined for positive values only.
pub fn harmonic_mean(values: &[f64]) -> Option<f64> {
    let positive = !values.is_empty() && values.iter().all(|value| *value > 0.0);
    positive.then(|| count(values) / values.iter().map(|value| 1.0 / value).sum::<f64>())
}

fn squared_distances(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    Some(values.iter().map(|value| (value - mean) * (value - mean)).sum())
}

/// Standard deviation dividing by n, as MMTests printed it in 2012-2013.
pub fn population_deviation(values: &[f64]) -> Option<f64> {
    Some((squared_distances(values)? / count(values)).sqrt())
}

/// Standard deviation dividing by n - 1; needs two values.
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        None
    } else {
        Some((squared_distances(values)? / (count(values) - 1.0)).sqrt())
    }
}

/// Standard deviation of the mean, sample deviation / sqrt(n): the spread `perf stat` prints.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    Some(sample_deviation(values)? / count(values).sqrt())
}

/// Smallest and largest value.
pub fn extremes(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    Some(
        values
            .iter()
            .fold((first, first), |(low, high), value| (low.min(*value), high.max(*value))),
    )
}

/// Largest minus smallest value.
pub fn range(values: &[f64]) -> Option<f64> {
    extremes(values).map(|(low, high)| high - low)
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50.0)
}

/// Percentile (0 to 100), interpolated linearly between the sorted values at rank p/100 (n - 1) (type 7 of Hyndman and Fan 1996).
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    if !(0.0..=100.0).contains(&percent) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = percent / 100.0 * (count(&sorted) - 1.0).max(0.0);
    let below = rank.floor();
    let low = *sorted.get(below as usize)?;
    let high = sorted.get(below as usize + 1).copied().unwrap_or(low);
    Some(low + (high - low) * (rank - below))
}
