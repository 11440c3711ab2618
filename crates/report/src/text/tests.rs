use crate::sample::report;

#[test]
fn a_whole_report() {
    let mut report = report(3, 1.1);
    report.comparisons[0].rows.retain(|row| row.key == "NUMA02");
    report.published.retain(|cell| cell.cell.key == "NUMA02");
    insta::assert_snapshot!(report.text());
}

#[test]
fn parts_without_data_are_left_out() {
    let mut report = report(1, 1.0);
    let comparison = &mut report.comparisons[0];
    comparison.rows.clear();
    comparison.durations.clear();
    comparison.vmstat.clear();
    comparison.regret.clear();
    report.published.clear();
    assert_eq!(report.text(), "AUTONUMA BENCH, machine r810\n\n");
}
