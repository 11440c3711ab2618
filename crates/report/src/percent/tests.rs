use proptest::prelude::*;

use super::{Rule, rule_for};
use crate::mmtests::{Edition, decimals_of};
use crate::seed::{SeedCell, SeedTable, SeedTables};

/// How a printed percentage follows from the printed operands.
#[derive(PartialEq, Debug)]
enum Fit {
    Exact,
    Rounding,
    Mismatch,
}

fn edition(table: &SeedTable) -> Edition {
    if table.id.starts_with("T000") || table.id.starts_with("T001") {
        Edition::Y2012
    } else {
        Edition::Y2013
    }
}

fn fit(table: &SeedTable, cell: &SeedCell, baseline: &SeedCell) -> Fit {
    let by_hand = table.id.starts_with("T001") && cell.metric == "Elapsed";
    let rule = if by_hand { Rule::Speed } else { rule_for(&table.benchmark, &cell.metric) };
    let change = |x: f64, b: f64| rule.change(x, b, edition(table));
    let printed = cell.pct.unwrap();
    let half = |printed: &str| 0.5 * 10_f64.powi(-i32::try_from(decimals_of(printed)).unwrap());
    // 28.125 was printed as 28.13: an exact half may go either way
    if (change(cell.value, baseline.value) - printed).abs() <= half(&cell.printed_pct) + 1e-9 {
        return Fit::Exact;
    }
    let (x, b) = (half(&cell.printed), half(&baseline.printed));
    let corners = [(-x, -b), (-x, b), (x, -b), (x, b)]
        .map(|(x, b)| change(cell.value + x, baseline.value + b));
    let low = corners.iter().fold(f64::INFINITY, |low, corner| low.min(*corner));
    let high = corners.iter().fold(f64::NEG_INFINITY, |high, corner| high.max(*corner));
    let step = half(&cell.printed_pct);
    if low - step <= printed && printed <= high + step { Fit::Rounding } else { Fit::Mismatch }
}

#[test]
fn printed_percentages_follow_from_the_printed_operands() {
    let tables = SeedTables::load().unwrap();
    let (mut exact, mut rounding, mut mismatches) = (0, 0, Vec::new());
    for table in tables.all() {
        for cell in
            table.cells.iter().filter(|cell| cell.pct.is_some() && cell.column != table.baseline())
        {
            let baseline = table.cell(&cell.metric, &cell.key, table.baseline()).unwrap();
            match fit(table, cell, baseline) {
                Fit::Exact => exact += 1,
                Fit::Rounding => rounding += 1,
                Fit::Mismatch => mismatches.push((
                    table.id.clone(),
                    cell.metric.clone(),
                    cell.key.clone(),
                    cell.printed_pct.clone(),
                )),
            }
        }
    }
    assert_eq!((exact, rounding), (3464, 235));
    // written by hand and cut off: 26.76, 56.89, 258.13 and 224.28
    let expected = [
        ("T001-01", "Throughput", "avg", "26.7"),
        ("T001-02", "Elapsed", "NUMA01", "56"),
        ("T001-03", "Elapsed", "NUMA01_THREAD_ALLOC", "250"),
        ("T001-05", "Elapsed", "NUMA02_SMT", "220"),
    ];
    assert_eq!(
        mismatches,
        expected.map(|(a, b, c, d)| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned()))
    );
}

#[test]
fn baseline_cells_print_zero() {
    for table in SeedTables::load().unwrap().all() {
        for cell in table.cells.iter().filter(|cell| cell.column == table.baseline()) {
            assert!(cell.pct.is_none_or(|pct| pct == 0.0), "{} {}", table.id, cell.metric);
        }
    }
}

#[test]
fn special_cases() {
    for edition in [Edition::Y2012, Edition::Y2013] {
        for rule in [Rule::Larger, Rule::Smaller, Rule::Speed] {
            assert_eq!(rule.change(7.0, 7.0, edition), 0.0);
            assert_eq!(rule.change(0.0, 0.0, edition), 0.0);
        }
        assert_eq!(Rule::Larger.change(0.0, 7.0, edition), 0.0);
        assert_eq!(Rule::Larger.change(7.0, 0.0, edition), 100.0);
        assert_eq!(Rule::Smaller.change(7.0, 0.0, edition), -99.0);
    }
    assert_eq!(Rule::Smaller.change(0.0, 7.0, Edition::Y2012), 0.0);
    assert_eq!(Rule::Smaller.change(0.0, 7.0, Edition::Y2013), 100.0);
}

#[test]
fn two_signs_in_one_table() {
    assert_eq!(
        (rule_for("tlbflush", "Mean"), rule_for("tlbflush", "Stddev")),
        (Rule::Smaller, Rule::Larger)
    );
    assert_eq!(
        (rule_for("aim9", "Stddev"), rule_for("specjbb", "Stddev")),
        (Rule::Larger, Rule::Smaller)
    );
    assert_eq!(
        (rule_for("autonumabench", "CPU"), rule_for("specjbb", "Actual Warehouse")),
        (Rule::Smaller, Rule::Larger)
    );
    assert_eq!(
        (rule_for("my-own", "Elapsed"), rule_for("my-own", "Requests")),
        (Rule::Smaller, Rule::Larger)
    );
}

proptest! {
    #[test]
    fn rules_mirror_each_other(x in 1e-3_f64..1e6, b in 1e-3_f64..1e6) {
        let larger = Rule::Larger.change(x, b, Edition::Y2013);
        let smaller = Rule::Smaller.change(x, b, Edition::Y2013);
        prop_assert!((larger + smaller).abs() <= 1e-9 * (1.0 + larger.abs()));
        prop_assert_eq!(larger > 0.0, x > b);
        let speed = Rule::Speed.change(x, b, Edition::Y2013);
        prop_assert!((speed - Rule::Larger.change(b, x, Edition::Y2013)).abs() <= 1e-6 * (1.0 + speed.abs()));
    }
}
