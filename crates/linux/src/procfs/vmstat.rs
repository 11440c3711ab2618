//! Counters in `name value` lines: `/proc/vmstat` and each node's `vmstat` and `numastat`.

use std::collections::BTreeMap;

use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{NodeId, Parsed, Result};

/// Named counters. Which ones exist depends on the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters(BTreeMap<String, u64>);

impl Counters {
    /// The counter, if the kernel has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// All counters by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, &count)| (name.as_str(), count))
    }

    /// How much each counter grew since an earlier reading; those that fell (gauges) are left out.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(
            self.0
                .iter()
                .filter_map(|(name, &now)| {
                    let before = earlier.get(name).unwrap_or(0);
                    now.checked_sub(before).map(|growth| (name.clone(), growth))
                })
                .collect(),
        )
    }
}

/// Reads counter lines.
#[must_use]
pub fn parse_counters(text: &str) -> Parsed<Counters> {
    let mut counters = BTreeMap::new();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        let Some((name, count)) = line.split_once(' ') else {
            warnings.add(index + 1, line, "a name and a count");
            continue;
        };
        // A few are signed gauges that may pass below zero for a moment.
        let count: std::result::Result<i128, _> = count.trim().parse();
        if let Some(count) = warnings.keep(count, index + 1, line, "a count") {
            let count = u64::try_from(count.max(0)).unwrap_or(u64::MAX);
            counters.insert(name.to_string(), count);
        }
    }
    warnings.with(Counters(counters))
}

/// Reads `/proc/vmstat`.
///
/// # Errors
/// The file cannot be read.
pub fn read_vmstat(files: &(impl Files + ?Sized)) -> Result<Parsed<Counters>> {
    Ok(parse_counters(&text(files, "proc/vmstat")?))
}

/// Reads a node's `vmstat`.
///
/// # Errors
/// There is no such node.
pub fn read_node_vmstat(files: &(impl Files + ?Sized), node: NodeId) -> Result<Parsed<Counters>> {
    let path = format!("sys/devices/system/node/node{}/vmstat", node.0);
    Ok(parse_counters(&text(files, &path)?))
}

/// Reads a node's `numastat`: allocations by where they were wanted and where they went.
///
/// # Errors
/// There is no such node.
pub fn read_node_numastat(files: &(impl Files + ?Sized), node: NodeId) -> Result<Parsed<Counters>> {
    let path = format!("sys/devices/system/node/node{}/numastat", node.0);
    Ok(parse_counters(&text(files, &path)?))
}
