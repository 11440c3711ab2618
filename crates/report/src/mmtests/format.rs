//! Decimals, field widths and header lines.

use super::Edition;

/// Decimals of a printed number.
pub fn decimals_of(printed: &str) -> usize {
    printed.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The value of a compare row as printed: two decimals, four for hackbench and the page fault test.
pub fn print_value(benchmark: &str, value: f64) -> String {
    let decimals = match benchmark {
        "hackbench-pipes" | "hackbench-sockets" | "pft" => 4,
        _ => 2,
    };
    fixed(value, decimals)
}

/// Fixed decimals; a value that rounds to zero has no sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| byte == b'0' || byte == b'.') => zero.to_owned(),
        _ => text,
    }
}

/// Width of the value field of a compare row.
pub fn value_width(benchmark: &str, metric: &str) -> usize {
    match (benchmark, metric.contains("Warehouse") || metric.contains("Bops")) {
        ("specjbb", true) => 15,
        ("specjbb", false) => 13,
        _ => 12,
    }
}

/// The upper and lower header line of a column: its name split at the first `-`, in 2013 after a `-rcN` that follows.
/// A name without `-` stands in the lower line.
pub(super) fn header(name: &str, edition: Edition) -> (&str, &str) {
    let Some((upper, lower)) = name.split_once('-') else {
        return ("", name);
    };
    if edition == Edition::Y2013
        && let Some((candidate, rest)) = lower.split_once('-')
        && candidate.strip_prefix("rc").is_some_and(|number| number.parse::<u32>().is_ok())
    {
        return (&name[..upper.len() + 1 + candidate.len()], rest);
    }
    (upper, lower)
}
