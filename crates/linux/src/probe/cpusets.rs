//! cpusets that keep tasks from the memory of their CPUs, or memory from whole nodes.

use super::finding::{Finding, Severity};
use crate::files::value;
use crate::procfs::read_cpuset;
use crate::{CpuMask, Files, NodeMask, Pid};

/// Groups looked at; a machine with more has them made by a program, all alike.
const MOST_GROUPS: usize = 2000;
/// Where version 2 lists groups.
const MOUNT: &str = "sys/fs/cgroup";

/// Mistakes in the cpuset of this program and in every group that sets one itself.
pub(super) fn cpuset_findings(
    files: &(impl Files + ?Sized),
    online: &NodeMask,
) -> impl Iterator<Item = Finding> {
    let own = Pid(i32::try_from(std::process::id()).unwrap_or(0));
    let own = read_cpuset(files, own).ok();
    let left_out = own.as_ref().and_then(|cpuset| left_out(cpuset.mems.as_ref()?, online));
    let mut folders = groups(files);
    folders.extend(own.and_then(|cpuset| cpuset.folder).filter(|own| !own.starts_with(MOUNT)));
    let cpus: Vec<(NodeMask, CpuMask)> = online
        .iter()
        .filter_map(|node| {
            let list = value(files, &format!("sys/devices/system/node/node{}/cpulist", node.0))?;
            Some((NodeMask::from_iter([node]), list))
        })
        .collect();
    let mismatches: Vec<Finding> =
        folders.iter().filter_map(|folder| mismatch(files, folder, &cpus)).collect();
    left_out.into_iter().chain(mismatches)
}

/// A cpuset that leaves nodes out limits what can be balanced.
fn left_out(mems: &NodeMask, online: &NodeMask) -> Option<Finding> {
    let missing = online.difference(mems);
    let reason = format!(
        "the cpuset of this program allows memory on nodes {mems} only: nothing of what it starts \
         is moved to {missing}"
    );
    (!missing.is_empty())
        .then(|| Finding::new(Severity::Warning, "cpuset", reason).command("cat /proc/self/cgroup"))
}

/// CPUs on nodes whose memory is not allowed: seldom meant, and slow whatever is balanced.
fn mismatch(
    files: &(impl Files + ?Sized),
    folder: &str,
    nodes: &[(NodeMask, CpuMask)],
) -> Option<Finding> {
    let cpus: CpuMask = list(files, folder, "cpuset.cpus")?;
    let mems: NodeMask = list(files, folder, "cpuset.mems")?;
    let far = nodes
        .iter()
        .filter(|(_, of_node)| !of_node.intersection(&cpus).is_empty())
        .fold(NodeMask::new(), |far, (node, _)| far.union(&node.difference(&mems)));
    if far.is_empty() {
        return None;
    }
    let wanted = mems.union(&far);
    let reason = format!(
        "the cpuset /{folder} allows CPUs {cpus} but memory on nodes {mems} only: on nodes {far} \
         all memory of its tasks is remote"
    );
    let command = format!("echo {wanted} > /{folder}/cpuset.mems");
    Some(Finding::new(Severity::Warning, "cpuset-mismatch", reason).command(command))
}

/// What is in force, else what was set.
fn list<I: Copy + From<usize> + Into<usize>>(
    files: &(impl Files + ?Sized),
    folder: &str,
    name: &str,
) -> Option<homenode_topology::Mask<I>> {
    let names = [format!("{folder}/{name}.effective"), format!("{folder}/{name}")];
    names
        .iter()
        .filter_map(|path| value::<homenode_topology::Mask<I>>(files, path))
        .find(|mask| !mask.is_empty())
}

/// Groups below the mount point that set CPUs or memory themselves.
fn groups(files: &(impl Files + ?Sized)) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![MOUNT.to_string()];
    let mut seen = 0;
    while let Some(folder) = waiting.pop() {
        seen += 1;
        if seen > MOST_GROUPS {
            break;
        }
        for name in files.list(&folder).unwrap_or_default() {
            let path = format!("{folder}/{name}");
            if matches!(name.as_str(), "cpuset.cpus" | "cpuset.mems") {
                let set: Option<String> = value(files, &path);
                if set.is_some_and(|list| !list.is_empty()) && found.last() != Some(&folder) {
                    found.push(folder.clone());
                }
            } else if is_group(&name) {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a name may be a group's: settings have a point in their names, groups only before systemd's endings.
fn is_group(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_none_or(|ending| matches!(ending, "slice" | "scope" | "service" | "mount"))
}
