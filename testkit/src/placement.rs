//! Where the pages are and where the threads last ran, by the guest kernel's account.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};

/// The node of each CPU, from the `cpulist` of each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuNodes(BTreeMap<usize, usize>);

impl CpuNodes {
    /// Reads `nodeN/cpulist` under `root`, as a rule `/sys/devices/system/node`.
    ///
    /// # Errors
    /// A folder or list that cannot be read or parsed, by its path.
    pub fn read(root: &Path) -> Result<Self> {
        let mut nodes = BTreeMap::new();
        for entry in fs::read_dir(root).with_context(|| format!("listing {}", root.display()))? {
            let path = entry?.path();
            let Some(node) = path
                .file_name()
                .and_then(|name| name.to_str()?.strip_prefix("node")?.parse::<usize>().ok())
            else {
                continue;
            };
            let list = path.join("cpulist");
            let text =
                fs::read_to_string(&list).with_context(|| format!("reading {}", list.display()))?;
            for cpus in ranges(text.trim())
                .with_context(|| format!("{}: `{}` is no CPU list", list.display(), text.trim()))?
            {
                nodes.extend(cpus.map(|cpu| (cpu, node)));
            }
        }
        Ok(Self(nodes))
    }

    /// The node that CPU `cpu` belongs to.
    #[must_use]
    pub fn node(&self, cpu: usize) -> Option<usize> {
        self.0.get(&cpu).copied()
    }

    /// The CPUs of node `node`, ascending.
    #[must_use]
    pub fn cpus(&self, node: usize) -> Vec<usize> {
        self.0.iter().filter(|&(_, &n)| n == node).map(|(&cpu, _)| cpu).collect()
    }
}

/// Ranges of a list such as `0-3,8`; empty text is an empty list.
fn ranges(list: &str) -> Option<Vec<Range<usize>>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..last.parse::<usize>().ok()? + 1)
    };
    list.split(',').filter(|part| !part.is_empty()).map(range).collect()
}

/// The CPU on which thread `tid` of this process last ran: field 39 of its `stat`.
#[must_use]
pub fn last_cpu(tid: i32) -> Option<usize> {
    cpu_of_stat(&fs::read_to_string(format!("/proc/self/task/{tid}/stat")).ok()?)
}

/// Field 39, counted from the last `)` since a name may hold blanks and parentheses.
fn cpu_of_stat(stat: &str) -> Option<usize> {
    const CPU_AFTER_NAME: usize = 39 - 3;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(CPU_AFTER_NAME)?.parse().ok()
}

/// What a thread works on and where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Pages of the area that the thread works on.
    pub pages: Range<usize>,
    /// Node of the CPU on which it last ran.
    pub node: Option<usize>,
}

/// Mean over the threads of the share of their pages that lie on their node; pages whose node the
/// kernel does not tell are left out. `None` when no page's node is known.
#[must_use]
pub fn local_share(page_nodes: &[i32], threads: &[Placement]) -> Option<f64> {
    let shares: Vec<f64> = threads
        .iter()
        .filter_map(|thread| {
            let nodes = page_nodes.get(thread.pages.clone())?.iter().filter(|&&node| node >= 0);
            let (mut local, mut known) = (0_u32, 0_u32);
            for &node in nodes {
                known += 1;
                local += u32::from(usize::try_from(node).ok() == thread.node);
            }
            (known > 0).then(|| f64::from(local) / f64::from(known))
        })
        .collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        assert_eq!(ranges(""), Some(vec![]));
        assert_eq!(ranges("0-3,8"), Some(vec![0..4, 8..9]));
        assert_eq!(ranges("0-x"), None);
    }

    #[test]
    fn the_cpu_stands_behind_any_name() {
        let tail = "S 1 ".to_owned() + &"0 ".repeat(34) + "7 0 0";
        assert_eq!(cpu_of_stat(&format!("12 (pol) map) x) {tail}")), Some(7));
        assert_eq!(cpu_of_stat("12 (short) S 1"), None);
    }

    #[test]
    fn the_share_is_a_mean_of_threads_not_of_pages() {
        let nodes = [0, 0, 0, 1, -14, 1];
        let thread = |pages, node| Placement { pages, node: Some(node) };
        assert_eq!(local_share(&nodes, &[thread(0..3, 0), thread(3..6, 1)]), Some(1.0));
        assert_eq!(local_share(&nodes, &[thread(0..3, 1), thread(3..6, 1)]), Some(0.5));
        assert_eq!(local_share(&nodes, &[thread(0..4, 0)]), Some(0.75));
        assert_eq!(local_share(&nodes, &[thread(4..5, 0)]), None);
    }
}
