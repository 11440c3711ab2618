//! Reads the index and the tables and checks one against the other.

use std::collections::{BTreeMap, BTreeSet};

use super::table::{Better, Kind, SeedCell, SeedTable};
use crate::Error;

const INDEX_FIELDS: [&str; 12] = [
    "table_id",
    "title",
    "seed_file",
    "columns",
    "rows",
    "cells",
    "kind",
    "benchmark",
    "config",
    "machine",
    "first_line",
    "last_line",
];
const TABLE_FIELDS: [&str; 12] = [
    "table_id",
    "benchmark",
    "config",
    "machine",
    "metric",
    "key",
    "column",
    "value",
    "pct",
    "higher_is_better",
    "source",
    "line",
];

/// One line of a CSV file with the place it came from.
struct Record<'a> {
    table: &'a str,
    line: u64,
    fields: &'static [&'static str],
    record: csv::StringRecord,
}

impl Record<'_> {
    fn error(&self, field: &'static str, problem: String) -> Error {
        Error::SeedTable { table: self.table.to_owned(), line: self.line, field, problem }
    }

    fn text(&self, field: &'static str) -> &str {
        self.fields
            .iter()
            .position(|name| *name == field)
            .and_then(|at| self.record.get(at))
            .unwrap_or_default()
    }

    fn whole(&self, field: &'static str) -> Result<u64, Error> {
        let text = self.text(field);
        text.parse().map_err(|_| self.error(field, format!("`{text}` is not a whole number")))
    }

    fn number(&self, field: &'static str) -> Result<f64, Error> {
        let text = self.text(field);
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-');
        text.parse::<f64>()
            .ok()
            .filter(|number| plain && number.is_finite())
            .ok_or_else(|| self.error(field, format!("`{text}` is not a number")))
    }

    fn expect(&self, field: &'static str, expected: &str) -> Result<(), Error> {
        let text = self.text(field);
        if text == expected {
            Ok(())
        } else {
            Err(self.error(field, format!("`{text}`, expected `{expected}` as in the index")))
        }
    }
}

/// The lines of a CSV file with exactly these columns.
fn records<'a>(
    table: &'a str,
    text: &str,
    fields: &'static [&'static str],
) -> Result<Vec<Record<'a>>, Error> {
    let damage =
        |line, problem| Error::SeedTable { table: table.to_owned(), line, field: "*", problem };
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| damage(1, error.to_string()))?;
    if header.iter().ne(fields.iter().copied()) {
        return Err(damage(1, format!("the header must be `{}`", fields.join(","))));
    }
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            damage(error.position().map_or(0, csv::Position::line), error.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        records.push(Record { table, line, fields, record });
    }
    Ok(records)
}

/// All tables of an index, each checked against its line.
pub(super) fn tables(index: &str, files: &[(&str, &str)]) -> Result<Vec<SeedTable>, Error> {
    let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
    let mut tables: Vec<SeedTable> = Vec::new();
    for entry in records("index", index, &INDEX_FIELDS)? {
        let id = entry.text("table_id");
        if tables.last().is_some_and(|last| last.id.as_str() >= id) {
            return Err(entry.error("table_id", format!("`{id}` is out of order or stands twice")));
        }
        let text = texts
            .get(id)
            .ok_or_else(|| entry.error("table_id", format!("the file of `{id}` is missing")))?;
        tables.push(table(&entry, id, text)?);
    }
    if tables.len() != files.len() {
        let problem = format!("{} tables in the index, {} files", tables.len(), files.len());
        return Err(Error::SeedTable {
            table: "index".to_owned(),
            line: 0,
            field: "table_id",
            problem,
        });
    }
    Ok(tables)
}

fn table(entry: &Record<'_>, id: &str, text: &str) -> Result<SeedTable, Error> {
    let kind = entry.text("kind");
    let kind = Kind::from_name(kind)
        .ok_or_else(|| entry.error("kind", format!("`{kind}` is no kind of table")))?;
    let columns: Vec<String> = entry.text("columns").split('|').map(str::to_owned).collect();
    let post_lines = entry.whole("first_line")?..=entry.whole("last_line")?;
    let mut cells = Vec::new();
    let mut seen = BTreeSet::new();
    let mut rows = BTreeSet::new();
    for record in records(id, text, &TABLE_FIELDS)? {
        record.expect("table_id", id)?;
        for field in ["benchmark", "config", "machine"] {
            record.expect(field, entry.text(field))?;
        }
        record.expect("source", entry.text("seed_file"))?;
        let cell = cell(&record)?;
        if !columns.contains(&cell.column) {
            return Err(
                record.error("column", format!("`{}` is not a column of the index", cell.column))
            );
        }
        if !post_lines.contains(&cell.line) {
            return Err(record.error(
                "line",
                format!("{} is outside the table's lines {post_lines:?}", cell.line),
            ));
        }
        if !seen.insert((cell.metric.clone(), cell.key.clone(), cell.column.clone())) {
            return Err(record.error("metric", "this row and column stand twice".to_owned()));
        }
        rows.insert(cell.line);
        cells.push(cell);
    }
    for (field, found) in [("cells", cells.len()), ("rows", rows.len())] {
        let expected = entry.whole(field)?;
        if u64::try_from(found).ok() != Some(expected) {
            let problem = format!("{found} {field}, the index says {expected}");
            return Err(Error::SeedTable { table: id.to_owned(), line: 0, field, problem });
        }
    }
    Ok(SeedTable {
        id: id.to_owned(),
        title: entry.text("title").to_owned(),
        columns,
        kind,
        benchmark: entry.text("benchmark").to_owned(),
        config: entry.text("config").to_owned(),
        machine: entry.text("machine").to_owned(),
        source: entry.text("seed_file").to_owned(),
        cells,
    })
}

fn cell(record: &Record<'_>) -> Result<SeedCell, Error> {
    let printed_pct = record.text("pct");
    let better = match record.text("higher_is_better") {
        "true" => Better::Higher,
        "false" => Better::Lower,
        "unknown" => Better::Unknown,
        other => {
            return Err(record
                .error("higher_is_better", format!("`{other}`, expected true, false or unknown")));
        }
    };
    let metric = record.text("metric");
    if metric.is_empty() {
        return Err(record.error("metric", "empty".to_owned()));
    }
    Ok(SeedCell {
        metric: metric.to_owned(),
        key: record.text("key").to_owned(),
        column: record.text("column").to_owned(),
        value: record.number("value")?,
        printed: record.text("value").to_owned(),
        pct: if printed_pct.is_empty() { None } else { Some(record.number("pct")?) },
        printed_pct: printed_pct.to_owned(),
        better,
        line: record.whole("line")?,
    })
}
