//! Records of the journal.

use homenode_topology::{CpuMask, NodeId};
use serde::{Deserialize, Serialize};

use crate::{Identity, SpaceMark, TaskId};

/// First record: what the rest belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub version: u32,
    /// The kernel's boot id; process numbers mean nothing in another boot.
    pub boot: String,
    /// The process that writes it.
    pub tool: Identity,
}

/// Pages one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRun {
    /// Address of the first.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// Whether they are 2 MiB pages; 4 KiB otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub huge: bool,
}

impl PageRun {
    /// Distance from a page to the next.
    #[must_use]
    pub fn step(self) -> u64 {
        if self.huge { homenode_topology::HUGE_PAGE.0 } else { homenode_topology::PAGE.0 }
    }

    /// Addresses of the pages.
    pub fn addresses(self) -> impl Iterator<Item = u64> {
        (0..self.count).map_while(move |n| self.start.checked_add(n.checked_mul(self.step())?))
    }

    /// Runs that cover pages in ascending order.
    #[must_use]
    pub fn of(pages: &[(u64, bool)]) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for &(start, huge) in pages {
            match runs.last_mut() {
                Some(run)
                    if run.huge == huge
                        && run
                            .count
                            .checked_mul(run.step())
                            .and_then(|n| n.checked_add(run.start))
                            == Some(start) =>
                {
                    run.count += 1;
                }
                _ => runs.push(Self { start, count: 1, huge }),
            }
        }
        runs
    }
}

/// How a process is kept from running while its pages move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FreezeHow {
    /// Not at all.
    #[default]
    Never,
    /// By SIGSTOP and SIGCONT. Its parent may notice.
    Signal,
    /// By the `cgroup.freeze` file in this folder (from the root), with everything else in the group.
    Cgroup(String),
}

/// What is about to be done, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// The first record.
    Header(Header),
    /// A thread's mask will be set.
    Mask {
        /// The thread.
        task: TaskId,
        /// The mask its user gave.
        before: CpuMask,
        /// The mask to be set.
        after: CpuMask,
    },
    /// Pages will be moved.
    Pages {
        /// The process.
        process: Identity,
        /// Mark of the address space, where it can be seen.
        space: Option<SpaceMark>,
        /// Where they are.
        from: NodeId,
        /// Where they go.
        to: NodeId,
        /// Which.
        pages: Vec<PageRun>,
    },
    /// A process will be kept from running.
    Freeze {
        /// The process.
        process: Identity,
        /// How.
        how: FreezeHow,
    },
    /// It runs again.
    Thaw {
        /// The process.
        process: Identity,
    },
    /// Everything before this was undone, or needs no undoing.
    Settled,
}

/// A numbered record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Number, from 0 without gaps.
    pub seq: u64,
    /// The record.
    pub record: Record,
}

impl Entry {
    /// The line that stands for it.
    pub(super) fn line(&self) -> Result<String, serde_json::Error> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())))
    }

    /// Reads a line; `None` if its checksum or content is wrong.
    pub(super) fn from_line(line: &[u8]) -> Option<Self> {
        let (sum, json) = line.split_at_checked(9)?;
        let sum = std::str::from_utf8(sum).ok()?.strip_suffix(' ')?;
        let right = u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(json);
        right.then(|| serde_json::from_slice(json).ok())?
    }
}
