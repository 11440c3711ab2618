//! `/proc/PID/cgroup`: the control groups of a process.

use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Parsed, Pid, Result};

/// Membership in one hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupPath {
    /// Number of the hierarchy; 0 is version 2.
    pub hierarchy: u32,
    /// Controllers of a version 1 hierarchy; empty in version 2.
    pub controllers: Vec<String>,
    /// Path from the hierarchy's mount point, as seen from the reader's namespace.
    pub path: String,
}

/// Reads the text of a `cgroup` file.
#[must_use]
pub fn parse_cgroup(text: &str) -> Parsed<Vec<CgroupPath>> {
    let mut paths = Vec::new();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        let mut parts = line.splitn(3, ':');
        let fields = (|| Some((parts.next()?.parse().ok()?, parts.next()?, parts.next()?)))();
        match fields {
            Some((hierarchy, controllers, path)) => paths.push(CgroupPath {
                hierarchy,
                controllers: controllers
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(String::from)
                    .collect(),
                path: path.to_string(),
            }),
            None => warnings.add(index + 1, line, "hierarchy:controllers:path"),
        }
    }
    warnings.with(paths)
}

/// Reads `/proc/PID/cgroup`.
///
/// # Errors
/// The process is gone.
pub fn read_cgroup(files: &(impl Files + ?Sized), pid: Pid) -> Result<Parsed<Vec<CgroupPath>>> {
    Ok(parse_cgroup(&text(files, &format!("proc/{pid}/cgroup"))?))
}
