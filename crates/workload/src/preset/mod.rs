//! Published benchmarks by name.

mod numa01;
mod numa02;
mod params;

#[cfg(test)]
mod tests;

use homenode_topology::Machine;

use crate::{Build, Error, Workload};
pub use params::Params;

/// A benchmark that can be built for any machine.
#[derive(Debug)]
pub struct PresetInfo {
    /// Name on the command line, for example `numa01-thread-alloc`.
    pub name: &'static str,
    /// Other spellings that are accepted.
    pub aliases: &'static [&'static str],
    /// Label of its row in MMTests tables, spelt as printed there.
    pub row: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    program: fn(&PresetInfo, &Machine, Build, &Params) -> Result<Workload, Error>,
}

impl PresetInfo {
    /// The benchmark as it would be compiled for `machine`.
    ///
    /// # Errors
    /// A parameter out of range, or a workload that `machine` cannot hold (see [`Workload::check`]).
    pub fn build(
        &self,
        machine: &Machine,
        build: Build,
        params: &Params,
    ) -> Result<Workload, Error> {
        let workload = (self.program)(self, machine, build, params)?;
        workload.check(machine)?;
        Ok(workload)
    }

    fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name, self.row].into_iter().chain(self.aliases.iter().copied())
    }
}

/// Name of the group that holds the four programs of the autonuma benchmark, in table order.
pub const AUTONUMABENCH: &str = "autonumabench";

static PRESETS: [PresetInfo; 4] =
    [numa01::NUMA01, numa01::THREAD_ALLOC, numa02::NUMA02, numa02::SMT];

/// All presets, in the order of the published tables.
#[must_use]
pub fn all() -> &'static [PresetInfo] {
    &PRESETS
}

/// The preset with this name, alias or row label; upper and lower case are the same.
///
/// # Errors
/// [`Error::UnknownPreset`] with the nearest known name.
pub fn find(name: &str) -> Result<&'static PresetInfo, Error> {
    all().iter().find(|preset| preset.is_called(name)).ok_or_else(|| unknown(name))
}

/// The presets meant by a name: one preset, or all of the group [`AUTONUMABENCH`].
///
/// # Errors
/// As [`find`].
pub fn select(name: &str) -> Result<&'static [PresetInfo], Error> {
    if name.eq_ignore_ascii_case(AUTONUMABENCH) {
        return Ok(all());
    }
    find(name).map(std::slice::from_ref)
}

fn unknown(name: &str) -> Error {
    let lower = name.to_lowercase();
    let nearest = all()
        .iter()
        .map(|preset| preset.name)
        .chain([AUTONUMABENCH])
        .min_by_key(|known| strsim::damerau_levenshtein(known, &lower))
        .unwrap_or(AUTONUMABENCH);
    Error::UnknownPreset { name: name.to_owned(), nearest }
}
