//! The change of a value against its baseline in per cent, with the signs and special cases of MMTests.

use crate::mmtests::Edition;

/// How a row type turns a value x and a baseline b into per cent. It belongs to the row type, not to its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Plus means larger: 100 x/b - 100. Equal values or x = 0 give 0; b = 0 gives 100.
    Larger,
    /// Plus means smaller: 100 - 100 x/b. Equal values give 0; x = 0 gives 100 since 2013 (0 before); b = 0 gives -99.
    Smaller,
    /// Gain in speed of a time: 100 (b/x - 1). Used only by the hand-written post, which cuts it off instead of rounding.
    Speed,
}

impl Rule {
    /// The change of `value` against `baseline` in per cent. [`Rule::Speed`] of a zero time is 0.
    pub fn change(self, value: f64, baseline: f64, edition: Edition) -> f64 {
        if value == baseline {
            return 0.0;
        }
        match self {
            Self::Larger if value == 0.0 => 0.0,
            Self::Larger if baseline == 0.0 => 100.0,
            Self::Larger => value * 100.0 / baseline - 100.0,
            Self::Smaller if value == 0.0 => match edition {
                Edition::Y2012 => 0.0,
                Edition::Y2013 => 100.0,
            },
            Self::Smaller if baseline == 0.0 => -99.0,
            Self::Smaller => 100.0 - value * 100.0 / baseline,
            Self::Speed if value == 0.0 => 0.0,
            Self::Speed => 100.0 * (baseline / value - 1.0),
        }
    }
}

/// Rules of the row types: the first line whose benchmark matches and whose metrics hold the row's metric (an empty list holds all).
const RULES: [(&str, &[&str], Rule); 15] = [
    ("autonumabench", &[], Rule::Smaller),
    ("kernbench", &[], Rule::Smaller),
    ("specjbb", &["Stddev"], Rule::Smaller),
    ("specjbb", &[], Rule::Larger),
    ("aim9", &[], Rule::Larger),
    ("hackbench-pipes", &[], Rule::Smaller),
    ("hackbench-sockets", &[], Rule::Smaller),
    ("pft", &["Faults/cpu", "Faults/sec"], Rule::Larger),
    ("pft", &[], Rule::Smaller),
    ("ebizzy", &["Range", "Stddev"], Rule::Smaller),
    ("ebizzyrange", &["Stddev"], Rule::Larger),
    ("ebizzyrange", &[], Rule::Smaller),
    ("tlbflush", &["Stddev"], Rule::Larger),
    ("tlbflush", &[], Rule::Smaller),
    ("nas", &[], Rule::Smaller),
];

/// The rule of a row of an MMTests report (spec benchmarks 13.1). Benchmarks without a line of their own report rates
/// (netperf, ebizzy, perf bench numa mem): plus means larger, except for rows that are times or spreads by name.
pub fn rule_for(benchmark: &str, metric: &str) -> Rule {
    let listed = RULES.iter().find(|(name, metrics, _)| {
        *name == benchmark && (metrics.is_empty() || metrics.contains(&metric))
    });
    match (listed, metric) {
        (Some((_, _, rule)), _) => *rule,
        (None, "Elapsed" | "User" | "System" | "CPU" | "Stddev" | "Range") => Rule::Smaller,
        (None, _) => Rule::Larger,
    }
}

#[cfg(test)]
mod tests;
