use crate::comparison::Samples;
use crate::sample::report;

#[test]
fn the_page_stands_alone_and_shows_every_part() {
    let page = report(20, 1.05).html().unwrap();
    for part in [
        "<!DOCTYPE html>",
        "c0ffee",
        "<h2>Score</h2>",
        "straw man: no change",
        "Regret",
        "numa02: local share of accesses",
        "held_out_chaotic",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // four Elapsed rows and one chart over time
    assert_eq!(page.matches("<svg ").count(), 5);
    assert_eq!(page.matches("<polygon ").count(), 12, "one mark for each published cell");
    for outside in ["<script", "<link", "@import", "url(", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn everything_from_outside_is_escaped() {
    let mut report = report(1, 1.0);
    let bad = "<script>alert(\"1\")</script>&'";
    report.fidelity.calibration_hash = bad.to_owned();
    let comparison = &mut report.comparisons[0];
    comparison.title = bad.to_owned();
    comparison.machine = bad.to_owned();
    comparison.columns[0].name = bad.to_owned();
    comparison.rows[8].key = bad.to_owned();
    comparison.regret[0].workload = bad.to_owned();
    comparison.charts[0].title = bad.to_owned();
    comparison.charts[0].value_label = bad.to_owned();
    comparison.charts[0].curves[0].name = bad.to_owned();
    report.published[0].reason = Some(bad.to_owned());
    report.published[0].cell.key = bad.to_owned();
    let page = report.html().unwrap();
    assert!(!page.contains("<script") && !page.contains("</script") && !page.contains("&'"));
    assert!(page.contains("&lt;script&gt;"));
}

#[test]
fn odd_values_are_drawn() {
    let mut report = report(1, 1.0);
    let comparison = &mut report.comparisons[0];
    for row in &mut comparison.rows {
        row.cells = vec![
            None,
            Some(Samples::new(vec![0.0]).unwrap()),
            Some(Samples::new(vec![-1e150, 1e150]).unwrap()),
        ];
    }
    comparison.charts[0].curves[0].points = vec![(f64::NAN, 1.0), (1.0, f64::INFINITY), (0.0, 0.0)];
    comparison.charts[0].curves[1].points.clear();
    let page = report.html().unwrap();
    assert!(page.contains("not run") && !page.contains("NaN") && !page.contains("inf"));
    assert_eq!(page, report.html().unwrap());
}
