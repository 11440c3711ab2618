use proptest::prelude::*;

use super::{SCHEMA, VERSION};
use crate::comparison::Samples;
use crate::sample::report;
use crate::{Error, Report};

#[test]
fn a_report_is_read_back_as_it_was() {
    let report = report(20, 1.05);
    let text = report.json().unwrap();
    let back = Report::from_json(&text).unwrap();
    assert_eq!(back, report);
    assert_eq!(back.json().unwrap(), text);
}

#[test]
fn the_document_says_what_it_is_and_holds_the_score() {
    let value: serde_json::Value = serde_json::from_str(&report(20, 1.0).json().unwrap()).unwrap();
    assert_eq!(
        (value["schema"].as_str(), value["version"].as_u64()),
        (Some(SCHEMA), Some(u64::from(VERSION)))
    );
    let elapsed = &value["fidelity"]["held_out"]["elapsed"];
    let fields: Vec<&String> = elapsed.as_object().unwrap().keys().collect();
    let expected = [
        "cells",
        "undefined",
        "median_abs_log_error",
        "p90_abs_log_error",
        "max_abs_log_error",
        "model_median_abs_log_error",
        "kendall_tau",
        "sign_agreement",
        "in_band",
    ];
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    let mut found = fields.clone();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(elapsed["in_band"].as_f64(), Some(1.0));
    assert_eq!(value["fidelity"]["calibration_hash"].as_str(), Some("c0ffee"));
    assert_eq!(value["published"][0]["role"].as_str(), Some("unscored"));
    assert!(value["fidelity"]["straw_men"]["no change"]["elapsed"]["in_band"].is_null());
}

#[test]
fn another_document_is_refused() {
    let text = report(1, 1.0).json().unwrap();
    for (from, to) in [
        ("homenode.compare", "homenode.sim"),
        ("\"version\": 1", "\"version\": 2"),
        ("\"median\"", "\"middle\""),
        ("{", "["),
    ] {
        assert!(
            matches!(Report::from_json(&text.replacen(from, to, 1)), Err(Error::Document { .. })),
            "{from} -> {to}"
        );
    }
    let error =
        Report::from_json(&text.replacen("\"version\": 1", "\"version\": 2", 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the comparison document: it is `homenode.compare` version 2, expected `homenode.compare` version 1"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_finite_values_survive(values in prop::collection::vec(prop_oneof![-1e150..1e150, -1e-300..1e-300, Just(0.0)], 1..6), name in "\\PC{0,20}") {
        let mut report = report(1, 1.0);
        report.comparisons[0].rows.truncate(1);
        report.comparisons[0].vmstat.clear();
        report.comparisons[0].rows[0].cells[0] = Some(Samples::new(values.clone()).unwrap());
        report.comparisons[0].columns[0].name = name;
        prop_assume!(report.comparisons[0].check().is_ok());
        let back = Report::from_json(&report.json().unwrap()).unwrap();
        prop_assert_eq!(back, report);
    }
}
