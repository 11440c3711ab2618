use super::Samples;
use crate::Error;
use crate::sample::comparison;

#[test]
fn samples_are_numbers() {
    for bad in [vec![], vec![f64::NAN], vec![1.0, f64::INFINITY], vec![1e151]] {
        assert!(matches!(Samples::new(bad), Err(Error::Samples { .. })));
    }
    let samples = Samples::new(vec![3.0, 1.0, 2.0]).unwrap();
    assert_eq!(
        (samples.mean(), samples.median(), samples.deviation(), samples.values()),
        (2.0, 2.0, 1.0, &[3.0, 1.0, 2.0][..])
    );
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let error = |change: fn(&mut super::Comparison)| {
        let mut changed = comparison(1, 1.0);
        changed.check().unwrap();
        change(&mut changed);
        changed.check().unwrap_err().to_string()
    };
    assert_eq!(
        error(|comparison| comparison.rows[0].cells.truncate(2)),
        "comparison `AUTONUMA BENCH`, row `autonumabench User NUMA01`: 2 entries for 3 columns; give one entry per column"
    );
    assert!(error(|comparison| comparison.durations.truncate(1)).contains("durations: 1 entries"));
    assert!(error(|comparison| comparison.vmstat.truncate(1)).contains("vmstat: 1 entries"));
    assert!(
        error(|comparison| comparison.regret[0].cells.truncate(1))
            .contains("regret of `numa02`: 1 entries")
    );
    assert!(
        error(|comparison| comparison.columns[1].name = comparison.columns[0].name.clone())
            .contains("column `balancenuma:stats` stands twice")
    );
    assert!(
        error(|comparison| comparison.rows[1] = comparison.rows[0].clone())
            .contains("row `autonumabench User NUMA01` stands twice")
    );
    assert!(
        error(|comparison| comparison.charts[0].curves[0].points[3].1 = f64::NAN)
            .contains("chart `numa02: local share of accesses`: NaN")
    );
    assert!(
        error(|comparison| comparison.regret[0].cells[0].regret_bound = Some(f64::INFINITY))
            .contains("regret of `numa02`: inf")
    );
    assert!(
        error(|comparison| comparison.vmstat[0][0].elapsed_seconds = f64::NAN)
            .contains("vmstat: NaN")
    );
}
