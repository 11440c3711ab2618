//! A workload as named on the command line: a preset, a group of presets, or a file.

use std::path::{Path, PathBuf};

use homenode_balance::Launch;
use homenode_topology::Machine;
use homenode_workload::preset::{self, Params, PresetInfo};
use homenode_workload::{Build, Workload, file};

use crate::Error;

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
                let params = Params { start_parity: (seed & 1) as u8, ..Params::default() };
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
            Self::File(path) => path.display().to_string(),
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

    /// As the user writes it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Preset(preset) => preset.name.to_owned(),
            Self::File(path) => path.display().to_string(),
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
        assert_eq!(names("own.toml"), ["own.toml"]);
        assert_eq!(names("./numa01"), ["./numa01"]);
        let error = Choice::named("numa2").unwrap_err().to_string();
        assert!(error.contains("did you mean `numa02`?"), "{error}");
    }
}
