//! Statistics that use only the order of values.

use std::cmp::Ordering;

/// Result of the Mann-Whitney U test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Pairs in which the first sample's value is larger, ties counting half.
    pub u: f64,
    /// Two-sided probability of a U at least as far from its mean if both samples had one distribution.
    pub p: f64,
}

/// Largest product of sample sizes for which the exact distribution is counted.
const EXACT_PAIRS: usize = 2500;

/// Mann-Whitney U test of two samples: exact without ties up to 2500 pairs, else the normal approximation with tie and continuity corrections.
/// `None` if a sample is empty.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let (mut above, mut ties) = (0_usize, 0_usize);
    for a in first {
        for b in second {
            match a.total_cmp(b) {
                Ordering::Greater => above += 1,
                Ordering::Equal => ties += 1,
                Ordering::Less => {}
            }
        }
    }
    let u = above as f64 + ties as f64 / 2.0;
    let mut pooled: Vec<f64> = first.iter().chain(second).copied().collect();
    pooled.sort_by(f64::total_cmp);
    let groups: Vec<usize> =
        pooled.chunk_by(|a, b| a.total_cmp(b).is_eq()).map(<[f64]>::len).collect();
    let distinct = groups.iter().all(|size| *size == 1);
    let p = if distinct && first.len() * second.len() <= EXACT_PAIRS {
        exact_p(first.len(), second.len(), above)
    } else {
        normal_p(first.len() as f64, second.len() as f64, u, &groups)
    };
    Some(MannWhitney { u, p })
}

/// Counts the arrangements with each U by adding one value of the first sample at a time
/// (the Gaussian binomial coefficient), and sums the tail.
fn exact_p(first: usize, second: usize, u: usize) -> f64 {
    let pairs = first * second;
    let mut ways = vec![0.0_f64; pairs + 1];
    ways[0] = 1.0;
    for i in 1..=first {
        // multiply by 1 - q^(second + i), then divide by 1 - q^i
        for at in (second + i..=pairs).rev() {
            ways[at] -= ways[at - second - i];
        }
        for at in i..=pairs {
            ways[at] += ways[at - i];
        }
    }
    let total: f64 = ways.iter().sum();
    let tail: f64 = ways.iter().take(u.min(pairs - u) + 1).sum();
    (2.0 * tail / total).min(1.0)
}

fn normal_p(first: f64, second: f64, u: f64, groups: &[usize]) -> f64 {
    let all = first + second;
    let tied: f64 =
        groups.iter().map(|size| *size as f64).map(|size| size * size * size - size).sum();
    let variance = first * second / 12.0 * (all + 1.0 - tied / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - first * second / 2.0).abs() - 0.5).max(0.0);
    libm::erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2)
}

/// Kendall's tau-b of paired values: -1 for opposite orders, 1 for the same order. `None` if one side is all ties or shorter than two.
pub fn kendall_tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut balance, mut untied_first, mut untied_second) = (0_i64, 0_i64, 0_i64);
    for (at, a) in pairs.iter().enumerate() {
        for b in &pairs[at + 1..] {
            let first = sign(a.0.total_cmp(&b.0));
            let second = sign(a.1.total_cmp(&b.1));
            balance += first * second;
            untied_first += first.abs();
            untied_second += second.abs();
        }
    }
    let scale = ((untied_first as f64) * (untied_second as f64)).sqrt();
    (scale > 0.0).then(|| balance as f64 / scale)
}

fn sign(ordering: Ordering) -> i64 {
    match ordering {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}
