//! cpuset limits of a process, version 1 and 2, from its cgroup upwards.

use super::cgroup::{CgroupPath, read_cgroup};
use crate::files::{Files, value};
use crate::{CpuMask, NodeMask, Pid, Result};

/// What a cpuset allows. `None` where no cpuset says anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpuset {
    /// Folder of the cgroup whose limits these are, from the root.
    pub folder: Option<String>,
    /// CPUs its tasks may use.
    pub cpus: Option<CpuMask>,
    /// Nodes its tasks may allocate on.
    pub mems: Option<NodeMask>,
}

/// Limits of the cpuset that holds a process; the nearest ancestor that states them counts.
///
/// # Errors
/// The process is gone.
pub fn read_cpuset(files: &(impl Files + ?Sized), pid: Pid) -> Result<Cpuset> {
    let groups = read_cgroup(files, pid)?.into_value();
    let mounts = files
        .read("proc/mounts")
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let v1 = groups.iter().find(|group| group.controllers.iter().any(|name| name == "cpuset"));
    let v2 = groups.iter().find(|group| group.hierarchy == 0);
    let found = match (v1, v2) {
        (Some(group), _) => {
            let mount = mount_point(&mounts, "cgroup", Some("cpuset"));
            climb(
                files,
                &mount.unwrap_or_else(|| "sys/fs/cgroup/cpuset".into()),
                group,
                &["cpuset.effective_cpus", "cpuset.cpus"],
                &["cpuset.effective_mems", "cpuset.mems"],
            )
        }
        (None, Some(group)) => {
            let mount = mount_point(&mounts, "cgroup2", None);
            climb(
                files,
                &mount.unwrap_or_else(|| "sys/fs/cgroup".into()),
                group,
                &["cpuset.cpus.effective"],
                &["cpuset.mems.effective"],
            )
        }
        (None, None) => None,
    };
    Ok(found.unwrap_or_default())
}

/// Where a file system is mounted, from the root; the option must be among the mount's.
fn mount_point(mounts: &str, kind: &str, option: Option<&str>) -> Option<String> {
    mounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, place, found, options, ..] = fields.as_slice() else { return None };
        let fits = *found == kind
            && option.is_none_or(|name| options.split(',').any(|given| given == name));
        fits.then(|| place.trim_start_matches('/').to_string())
    })
}

fn climb(
    files: &(impl Files + ?Sized),
    mount: &str,
    group: &CgroupPath,
    cpu_files: &[&str],
    mem_files: &[&str],
) -> Option<Cpuset> {
    let mut path = group.path.trim_matches('/');
    if path.split('/').any(|part| part == "..") {
        // The group lies outside of the reader's cgroup namespace: only the mount point can be seen.
        path = "";
    }
    loop {
        let folder = if path.is_empty() { mount.to_string() } else { format!("{mount}/{path}") };
        let cpus: Option<CpuMask> = first_list(files, &folder, cpu_files);
        let mems: Option<NodeMask> = first_list(files, &folder, mem_files);
        if cpus.is_some() || mems.is_some() {
            return Some(Cpuset { folder: Some(folder), cpus, mems });
        }
        if path.is_empty() {
            return None;
        }
        path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
}

/// The first of the files that holds a list with a member; version 1 leaves lists empty in fresh groups.
fn first_list<I: Copy + From<usize> + Into<usize>>(
    files: &(impl Files + ?Sized),
    folder: &str,
    names: &[&str],
) -> Option<homenode_topology::Mask<I>> {
    names
        .iter()
        .filter_map(|name| value::<homenode_topology::Mask<I>>(files, &format!("{folder}/{name}")))
        .find(|mask| !mask.is_empty())
}
