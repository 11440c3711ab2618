//! Student's t distribution, as far as an interval of a mean needs it.

use super::{mean, standard_error};

/// Interval that holds the mean with this confidence (0 to 1), by Student's t. Needs two values.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let centre = mean(values)?;
    let half = standard_error(values)? * two_sided_quantile(values.len() as f64 - 1.0, confidence);
    Some((centre - half, centre + half))
}

/// The t with P(|T| <= t) = confidence, found by bisection.
fn two_sided_quantile(freedom: f64, confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while outside(freedom, high) > 1.0 - confidence && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..120 {
        let middle = low + (high - low) / 2.0;
        if outside(freedom, middle) > 1.0 - confidence { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// P(|T| > t).
fn outside(freedom: f64, t: f64) -> f64 {
    regularised_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// Regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).
fn regularised_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularised_beta(b, a, 1.0 - x);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    libm::exp(log_front) / a / beta_fraction(a, b, x)
}

/// 1 + d1/(1 + d2/(1 + ...)), evaluated by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..500 {
        let m = f64::from(step / 2);
        let term = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / away(1.0 + term * d);
        c = away(1.0 + term / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}
