//! What a test expects of the files that came back, as data.
//!
//! A result file is lines, each either `kind key=value key=value …`, or blank-separated words, or a JSON
//! object. A query picks lines, takes one number of each, and folds them into one.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// One demand on the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// What the value is, for the reader of the report.
    what: String,
    value: Query,
    /// Divides the value.
    over: Option<Query>,
    /// Is subtracted from the value.
    minus: Option<Query>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

/// A number out of a result file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Path under the folder of results: `files/X` came from `/out/X`, `plugin` from the plugin.
    file: String,
    /// First word of the lines meant; any line when absent.
    line: Option<String>,
    /// Fields that a line must have, with their values.
    #[serde(default, rename = "where")]
    conditions: BTreeMap<String, String>,
    /// Text that a line must hold.
    contains: Option<String>,
    /// The number: a key, the place of a word (the first is 0), or a JSON pointer. `count` needs none.
    field: Option<String>,
    /// Leaves out so many of the first lines.
    #[serde(default)]
    skip: usize,
    /// Takes only so many of the last lines.
    last: Option<usize>,
    by: Fold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fold {
    Mean,
    Min,
    Max,
    Sum,
    First,
    Last,
    Count,
}

/// A demand with what was found.
pub(super) struct Finding {
    what: String,
    bounds: String,
    /// The value, or why there is none.
    value: Result<f64>,
    /// Whether the demand is met.
    pub(super) met: bool,
}

impl Expect {
    /// Whether the demand can fail at all.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.at_least.is_some() || self.at_most.is_some(),
            "`{}` has neither at_least nor at_most",
            self.what
        );
        for query in
            [Some(&self.value), self.over.as_ref(), self.minus.as_ref()].into_iter().flatten()
        {
            ensure!(
                query.field.is_some() != (query.by == Fold::Count),
                "`{}`: every fold but count needs a field, and count none",
                self.what
            );
        }
        Ok(())
    }

    /// Looks into the folder of results.
    pub(super) fn judge(&self, folder: &Path) -> Finding {
        let value = self.evaluate(folder);
        let met = value.as_ref().is_ok_and(|&value| {
            self.at_least.is_none_or(|least| value >= least)
                && self.at_most.is_none_or(|most| value <= most)
        });
        let bound = |words: &str, bound: Option<f64>| bound.map(|bound| format!("{words} {bound}"));
        let bounds = [bound("at least", self.at_least), bound("at most", self.at_most)];
        let bounds = bounds.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Finding { what: self.what.clone(), bounds, value, met }
    }

    fn evaluate(&self, folder: &Path) -> Result<f64> {
        let mut value = self.value.evaluate(folder)?;
        if let Some(over) = &self.over {
            value /= over.evaluate(folder)?;
        }
        if let Some(minus) = &self.minus {
            value -= minus.evaluate(folder)?;
        }
        Ok(value)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.met { "ok  " } else { "FAIL" };
        match &self.value {
            Ok(value) => {
                let digits = if value.abs() < 1000.0 { 3 } else { 0 };
                write!(f, "{mark} {}: {value:.digits$} ({})", self.what, self.bounds)
            }
            Err(error) => write!(f, "{mark} {}: {error:#} ({})", self.what, self.bounds),
        }
    }
}

impl Query {
    fn evaluate(&self, folder: &Path) -> Result<f64> {
        let text = fs::read_to_string(folder.join(&self.file))
            .with_context(|| format!("reading {}", self.file))?;
        self.fold(&text).with_context(|| format!("in {}", self.file))
    }

    fn fold(&self, text: &str) -> Result<f64> {
        let lines: Vec<&str> =
            text.lines().filter(|line| self.selects(line)).skip(self.skip).collect();
        let lines = &lines[lines.len() - self.last.unwrap_or(lines.len()).min(lines.len())..];
        let Some(key) = &self.field else { return Ok(lines.len() as f64) };
        let values = lines
            .iter()
            .map(|line| {
                let value =
                    field(line, key).with_context(|| format!("no field {key} in `{line}`"))?;
                value.parse().with_context(|| format!("{key}={value} is no number"))
            })
            .collect::<Result<Vec<f64>>>()?;
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            anyhow::bail!("no line {}", self.line.as_deref().unwrap_or("at all"));
        };
        let sum: f64 = values.iter().sum();
        Ok(match self.by {
            Fold::Mean => sum / values.len() as f64,
            Fold::Min => values.iter().copied().fold(first, f64::min),
            Fold::Max => values.iter().copied().fold(first, f64::max),
            Fold::Sum => sum,
            Fold::First => first,
            Fold::Last => last,
            Fold::Count => values.len() as f64,
        })
    }

    fn selects(&self, line: &str) -> bool {
        let kind = || line.split_ascii_whitespace().next();
        self.line.as_deref().is_none_or(|wanted| kind() == Some(wanted))
            && self.contains.as_deref().is_none_or(|text| line.contains(text))
            && self.conditions.iter().all(|(key, value)| field(line, key).as_ref() == Some(value))
    }
}

/// The value that a line has for this key.
fn field(line: &str, key: &str) -> Option<String> {
    if key.starts_with('/') {
        let object: serde_json::Value = serde_json::from_str(line).ok()?;
        let value = object.pointer(key)?;
        return Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let mut words = line.split_ascii_whitespace();
    if let Ok(place) = key.parse() {
        return words.nth(place).map(str::to_owned);
    }
    words.find_map(|word| word.strip_prefix(key)?.strip_prefix('=')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "workload pid=1\nsecond t=1 local=0.25\nsecond t=2 local=0.5\nsecond t=3 local=1.0\n\
                        pgmigrate_success 12345\n{\"action\":\"move\",\"pages\":7,\"why\":{\"lead\":\"3\"}}\n";

    fn query(text: &str) -> Query {
        toml::from_str(&format!("file = 'x'\n{text}")).unwrap()
    }

    #[test]
    fn numbers_out_of_lines() {
        for (text, expected) in [
            ("line = 'second'\nfield = 'local'\nby = 'max'", 1.0),
            ("line = 'second'\nfield = 'local'\nby = 'min'", 0.25),
            ("line = 'second'\nfield = 'local'\nby = 'sum'", 1.75),
            ("line = 'second'\nfield = 'local'\nby = 'first'\nskip = 1", 0.5),
            ("line = 'second'\nfield = 'local'\nby = 'mean'\nlast = 2", 0.75),
            ("line = 'second'\nfield = 'local'\nby = 'mean'\nlast = 1\nskip = 9", f64::NAN),
            ("line = 'second'\nfield = 't'\nby = 'last'\nwhere = { local = '0.5' }", 2.0),
            ("line = 'pgmigrate_success'\nfield = '1'\nby = 'last'", 12345.0),
            ("by = 'count'\ncontains = 'pid'", 1.0),
            ("by = 'count'\nline = 'third'", 0.0),
            ("by = 'sum'\nfield = '/pages'\nwhere = { '/action' = 'move' }", 7.0),
            ("by = 'sum'\nfield = '/why/lead'\ncontains = 'lead'", 3.0),
            ("by = 'sum'\nfield = 'gain'\nline = 'second'", f64::NAN),
        ] {
            let found = query(text).fold(TEXT);
            assert_eq!(found.is_err(), expected.is_nan(), "{text}");
            if let Ok(found) = found {
                assert!((found - expected).abs() < 1e-9, "{text}: {found}");
            }
        }
    }

    #[test]
    fn a_demand_is_met_within_its_bounds_only() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), TEXT).unwrap();
        let judge = |rest: &str| {
            let text = format!(
                "what = 'w'\nvalue = {{ file = 'x', line = 'second', field = 'local', by = 'last' }}\n{rest}"
            );
            let expect: Expect = toml::from_str(&text).unwrap();
            expect.check().unwrap();
            expect.judge(folder.path()).met
        };
        let first = "{ file = 'x', line = 'second', field = 'local', by = 'first' }";
        assert!(judge("at_least = 1.0\nat_most = 1.0"));
        assert!(!judge("at_least = 1.1"));
        assert!(!judge("at_most = 0.9"));
        assert!(judge(&format!("over = {first}\nat_least = 3.9\nat_most = 4.1")));
        assert!(judge(&format!("minus = {first}\nat_least = 0.7\nat_most = 0.8")));
        assert!(!judge(&format!("minus = {}\nat_most = 9", first.replace("'x'", "'absent'"))));
    }

    #[test]
    fn a_demand_without_bounds_is_refused() {
        let text = "what = 'w'\nvalue = { file = 'x', by = 'count' }";
        assert!(toml::from_str::<Expect>(text).unwrap().check().is_err());
        let text = "what = 'w'\nat_least = 1\nvalue = { file = 'x', by = 'mean' }";
        assert!(toml::from_str::<Expect>(text).unwrap().check().is_err());
    }
}
