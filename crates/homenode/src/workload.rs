//! A workload as named on the command line: a preset, a group of presets, or a file.

use std::path::{Path, PathBuf};

use homenode_balance::Launch;
use homenode_topology::Machine;
use homenode_workload::preset::{self, Params, PresetInfo};
use homenode_workload::{Build, Workload, file};

use crate::Error;

/// A program may start in an even or an odd second: seeds that differ by a multiple of this start alike.
pub const STARTS: u64 = 2;

/// Something that can be built for a machine.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A benchmark by name.
    Preset(&'static PresetInfo),
    /// A file.
    File(PathBuf),
}

impl Choice {
    /// What a name stands for: a path (with a `/`, or ending in `.toml`), a preset, or a group.
    ///
    /// # Errors
    /// [`Error::Workload`] with the nearest known name.
    pub fn named(name: &str) -> Result<Vec<Self>, Error> {
        let path = Path::new(name);
        if name.contains('/') || path.extension().is_some_and(|extension| extension == "toml") {
            return Ok(vec![Self::File(path.to_owned())]);
        }
        Ok(preset::select(name)?.iter().map(Self::Preset).collect())
    }

    /// Builds the workload for a machine and checks that it can run there. What depends on the moment of
    /// the start depends on the seed.
    ///
    /// # Errors
    /// [`Error::Workload`] if a file is malformed or the machine cannot hold the workload.
    pub fn build(&self, machine: &Machine, launch: Launch, seed: u64) -> Result<Workload, Error> {
        let build = match launch {
            Launch::AsWritten => Build::AsWritten,
            Launch::HardBind => Build::HardBind,
            Launch::InverseBind => Build::InverseBind,
            Launch::Interleave => Build::Interleave,
        };
        let workload = match self {
            Self::Preset(preset) => {
                let params = Params { start_parity: (seed % STARTS) as u8, ..Params::default() };
                preset.build(machine, build, &params)?
            }
            Self::File(path) => file::read(path, machine, build)?,
        };
        workload.check(machine)?;
        Ok(workload)
    }

    /// The benchmark that its rows belong to.
    #[must_use]
    pub fn benchmark(&self) -> String {
        match self {
            Self::Preset(_) => preset::AUTONUMABENCH.to_owned(),
            Self::File(_) => self.name(),
        }
    }

    /// The preset, if it is one.
    #[must_use]
    pub fn preset(&self) -> Option<&'static PresetInfo> {
        match self {
            Self::Preset(preset) => Some(preset),
            Self::File(_) => None,
        }
    }

    /// The name of the preset, or that of the file without folder and ending.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Preset(preset) => preset.name.to_owned(),
            Self::File(path) => {
                path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<String> {
        Choice::named(name).unwrap().iter().map(Choice::name).collect()
    }

    #[test]
    fn a_name_is_a_preset_a_group_or_a_path() {
        assert_eq!(names("NUMA01_THEADLOCAL"), ["numa01-thread-alloc"]);
        assert_eq!(names("autonumabench").len(), 4);
        assert_eq!(names("own.toml"), ["own"]);
        assert!(matches!(&Choice::named("./numa01").unwrap()[..], [Choice::File(_)]));
        let error = Choice::named("numa2").unwrap_err().to_string();
        assert!(error.contains("did you mean `numa02`?"), "{error}");
    }
}
