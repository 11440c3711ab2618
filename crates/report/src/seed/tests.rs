use std::collections::BTreeSet;

use proptest::prelude::*;

use super::files::{FILES, INDEX};
use super::{Kind, SeedTables};
use crate::Error;

#[test]
fn the_shipped_tables_are_complete() {
    let tables = SeedTables::load().unwrap();
    assert_eq!(tables.all().len(), 77);
    assert_eq!(tables.all().iter().map(|table| table.cells.len()).sum::<usize>(), 7656);
    let rows: usize = tables
        .all()
        .iter()
        .map(|table| table.cells.iter().map(|cell| cell.line).collect::<BTreeSet<_>>().len())
        .sum();
    assert_eq!(rows, 1615);
    assert_eq!(tables.get("T000-01").unwrap().kind, Kind::Compare);
}

#[test]
fn every_file_of_the_folder_is_compiled_in() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/seed-tables");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut expected: Vec<String> = FILES.iter().map(|(id, _)| format!("{id}.csv")).collect();
    expected.push("index.csv".to_owned());
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_cell_is_found_by_row_and_column() {
    let tables = SeedTables::load().unwrap();
    let table = tables.get("T001-04").unwrap();
    let cell = table.cell("Elapsed", "NUMA02", "v3.7-HARD_BIND").unwrap();
    assert_eq!((cell.value, cell.printed.as_str(), cell.pct), (14.9, "14.9", None));
    assert_eq!(table.baseline(), "v3.7-vanilla");
}

#[test]
fn a_prefix_selects_a_post_and_an_unknown_name_gets_a_suggestion() {
    let tables = SeedTables::load().unwrap();
    assert_eq!(tables.select("T001").unwrap().len(), 7);
    assert_eq!(tables.select("T004-05").unwrap().len(), 1);
    let nearest = |name: &str| match tables.select(name) {
        Err(Error::UnknownTable { nearest, .. }) => nearest,
        other => panic!("{other:?}"),
    };
    assert_eq!(nearest("T01"), "T001");
    assert_eq!(nearest("t000-1"), "T000-01");
    assert_eq!(nearest("T009"), "T000");
    assert!(tables.get("T001").is_err());
    assert!(tables.select("").is_err());
}

/// Loads the tables after `change` was applied to the text of one of them, or of the index.
fn damaged(id: &str, change: impl Fn(&str) -> String) -> Error {
    let texts: Vec<(&str, String)> = FILES
        .iter()
        .map(|(name, text)| (*name, if *name == id { change(text) } else { (*text).to_owned() }))
        .collect();
    let files: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let index = if id == "index" { change(INDEX) } else { INDEX.to_owned() };
    SeedTables::parse(&index, &files).unwrap_err()
}

#[test]
fn damage_is_named_by_table_line_and_field() {
    let place = |error: Error| match error {
        Error::SeedTable { table, line, field, .. } => (table, line, field),
        other => panic!("{other:?}"),
    };
    let cases: [(&str, &str, &str, u64, &str); 9] = [
        ("T000-01", ",75064.91,", ",75o64.91,", 2, "value"),
        ("T000-01", ",75064.91,", ",nan,", 2, "value"),
        ("T000-01", ",66.91,", ",x,", 3, "pct"),
        ("T000-01", "autonuma-v28fastr4,31651.70", "autonuma,31651.70", 4, "column"),
        ("T000-01", "0.00,false", "0.00,maybe", 2, "higher_is_better"),
        ("T000-01", "txt,43", "txt,430", 2, "line"),
        ("T000-01", "metric,key", "key,metric", 1, "*"),
        ("T000-01", "User,NUMA01_THEADLOCAL", "User,NUMA01", 8, "metric"),
        ("index", "compare", "compared", 2, "kind"),
    ];
    for (table, from, to, line, field) in cases {
        assert_eq!(
            place(damaged(table, |text| text.replacen(from, to, 1))),
            (table.to_owned(), line, field),
            "{from} -> {to}"
        );
    }
    let cut =
        damaged("T000-01", |text| text.lines().take(90).map(|line| format!("{line}\n")).collect());
    assert_eq!(place(cut), ("T000-01".to_owned(), 0, "cells"));
    let missing = SeedTables::parse(INDEX, &FILES[1..]).unwrap_err();
    assert_eq!(place(missing), ("index".to_owned(), 2, "table_id"));
    let message = damaged("T003-01", |text| text.replacen(",60,", ",6O,", 1)).to_string();
    assert_eq!(
        message,
        "seed table T003-01, line 3, field `value`: `6O` is not a number; restore the file from the release"
    );
}

proptest! {
    #[test]
    fn no_text_makes_the_loader_panic(at in 0_usize..2000, with in "\\PC{0,12}", cut in 0_usize..2000) {
        let text = FILES[36].1;
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        let broken = format!("{}{with}{}", &text[..at], &text[end..]);
        let mut files = FILES;
        files[36].1 = &broken;
        let _ = SeedTables::parse(INDEX, &files);
    }
}
