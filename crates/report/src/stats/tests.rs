use proptest::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::statistics::Statistics;

use super::{
    extremes, harmonic_mean, kendall_tau_b, mann_whitney, mean, mean_interval, median, percentile,
    population_deviation, range, sample_deviation, standard_error,
};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn moments_agree_with_statrs(values in prop::collection::vec(-1e6_f64..1e6, 2..40)) {
        prop_assert!(close(mean(&values).unwrap(), values.iter().mean()));
        prop_assert!(close(sample_deviation(&values).unwrap(), values.iter().std_dev()));
        prop_assert!(close(population_deviation(&values).unwrap(), values.iter().population_std_dev()));
        prop_assert!(close(standard_error(&values).unwrap(), values.iter().std_dev() / (values.len() as f64).sqrt()));
        let (low, high) = extremes(&values).unwrap();
        prop_assert_eq!((low, high), (Statistics::min(values.iter()), Statistics::max(values.iter())));
        prop_assert_eq!(range(&values).unwrap(), high - low);
    }

    #[test]
    fn harmonic_mean_agrees_with_statrs(values in prop::collection::vec(1e-3_f64..1e6, 1..40)) {
        prop_assert!(close(harmonic_mean(&values).unwrap(), values.iter().harmonic_mean()));
    }

    #[test]
    fn the_interval_agrees_with_statrs(values in prop::collection::vec(-1e3_f64..1e3, 2..60), confidence in 0.5_f64..0.999) {
        let t = StudentsT::new(0.0, 1.0, values.len() as f64 - 1.0).unwrap().inverse_cdf(0.5 + confidence / 2.0);
        let half = values.iter().std_dev() / (values.len() as f64).sqrt() * t;
        let (low, high) = mean_interval(&values, confidence).unwrap();
        prop_assert!((high - low - 2.0 * half).abs() <= 1e-6 * (1.0 + half), "{} {}", high - low, 2.0 * half);
    }

    #[test]
    fn percentiles_are_ordered_and_inside(values in prop::collection::vec(-1e6_f64..1e6, 1..40), p in 0.0_f64..100.0, q in 0.0_f64..100.0) {
        let (low, high) = extremes(&values).unwrap();
        let at = |percent| percentile(&values, percent).unwrap();
        prop_assert!(at(p.min(q)) <= at(p.max(q)));
        prop_assert_eq!((at(0.0), at(100.0)), (low, high));
    }

    #[test]
    fn rank_statistics_are_symmetric(pairs in prop::collection::vec((-5_i8..5, -5_i8..5), 2..30)) {
        let pairs: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).collect();
        let turned: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        let negated: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (*a, -*b)).collect();
        let tau = kendall_tau_b(&pairs);
        prop_assert_eq!(tau, kendall_tau_b(&turned));
        prop_assert_eq!(tau, kendall_tau_b(&negated).map(|tau| -tau));
        prop_assert!(tau.is_none_or(|tau| tau.abs() <= 1.0));
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let (there, back) = (mann_whitney(&first, &second).unwrap(), mann_whitney(&second, &first).unwrap());
        prop_assert!(close(there.u + back.u, (first.len() * second.len()) as f64));
        prop_assert!(close(there.p, back.p) && (0.0..=1.0).contains(&there.p));
    }
}

/// U of every choice of the ranks 1..=n for the first sample, each choice being equally likely.
fn enumerated_p(first: usize, second: usize, u: usize) -> f64 {
    let all = first + second;
    let (mut total, mut tail) = (0_u32, 0_u32);
    for choice in 0_u32..1 << all {
        if choice.count_ones() as usize != first {
            continue;
        }
        let mut above = 0;
        for high in (0..all).filter(|at| choice >> at & 1 == 1) {
            above += (0..high).filter(|at| choice >> at & 1 == 0).count();
        }
        total += 1;
        tail += u32::from(above <= u.min(first * second - u));
    }
    (2.0 * f64::from(tail) / f64::from(total)).min(1.0)
}

#[test]
fn the_exact_test_agrees_with_enumeration() {
    for (first, second) in [(1, 1), (2, 3), (3, 3), (4, 6), (5, 5)] {
        let b: Vec<f64> = (0..second).map(|at| at as f64).collect();
        for shift in 0..=second {
            let a: Vec<f64> = (0..first).map(|at| shift as f64 - 0.5 + 0.01 * at as f64).collect();
            let test = mann_whitney(&a, &b).unwrap();
            assert_eq!(test.u, (first * shift) as f64);
            assert!(
                close(test.p, enumerated_p(first, second, first * shift)),
                "{first} {second} {shift}"
            );
        }
    }
}

#[test]
fn ties_use_the_normal_approximation() {
    // U = 4.5, variance 3*3/12 (7 - 6/30) = 5.1, z = 0
    let test = mann_whitney(&[1.0, 2.0, 3.0], &[0.0, 2.0, 4.0]).unwrap();
    assert_eq!((test.u, test.p), (4.5, 1.0));
    assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0]).unwrap().p, 1.0);
    let ones: Vec<f64> = vec![1.0; 20];
    let twos: Vec<f64> = vec![2.0; 20];
    assert!(mann_whitney(&ones, &twos).unwrap().p < 1e-8);
    assert_eq!(mann_whitney(&[], &[1.0]), None);
}

#[test]
fn kendall_by_hand() {
    // 6 pairs, 1 tied in the first, 4 concordant, 1 discordant: 3 / sqrt(5 * 6)
    let tau = kendall_tau_b(&[(1.0, 1.0), (2.0, 2.0), (2.0, 4.0), (3.0, 3.0)]).unwrap();
    assert!(close(tau, 3.0 / 30.0_f64.sqrt()));
    assert_eq!(kendall_tau_b(&[(1.0, 1.0), (2.0, 1.0)]), None);
    assert_eq!(kendall_tau_b(&[(1.0, 1.0)]), None);
}

#[test]
fn medians_and_percentiles_by_hand() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(percentile(&[0.0, 10.0, 20.0], 5.0), Some(1.0));
    assert_eq!((percentile(&[], 50.0), percentile(&[1.0], 101.0), median(&[])), (None, None, None));
    assert_eq!(
        (mean(&[]), sample_deviation(&[1.0]), population_deviation(&[1.0])),
        (None, None, Some(0.0))
    );
    assert_eq!(
        (harmonic_mean(&[1.0, 0.0]), mean_interval(&[1.0], 0.9), mean_interval(&[1.0, 2.0], 1.0)),
        (None, None, None)
    );
}

/// The four runs of the Java benchmark in the hand-written post: a spread 13.4 times larger without balancing.
#[test]
fn the_published_runs_have_the_published_spread() {
    let vanilla = population_deviation(&[475_630.0, 538_271.0, 533_888.0, 431_525.0]).unwrap();
    let numa = population_deviation(&[626_692.0, 622_069.0, 630_335.0, 629_817.0]).unwrap();
    assert_eq!((vanilla.round(), numa.round()), (44_127.0, 3_289.0));
}
