//! `/proc/PID/numa_maps`: memory policy and pages per node of each mapping.

use std::fmt;

use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Bytes, NodeId, NodeMask, Parsed, Pid, Result};

/// How the kernel chooses a node for new pages of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyMode {
    /// The node of the CPU that touches it first.
    Default,
    /// As default, stated by the program.
    Local,
    /// One of the nodes, never another.
    Bind,
    /// Pages in turn over the nodes.
    Interleave,
    /// Pages in turn over the nodes by their weights (6.9 and later).
    WeightedInterleave,
    /// One node as long as it has memory.
    Prefer,
    /// Any of the nodes as long as they have memory.
    PreferMany,
    /// A spelling that this version does not know.
    Unknown(String),
}

/// Modifiers of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyFlags {
    /// Node numbers are kept when the cpuset changes.
    pub fixed: bool,
    /// Node numbers count from the cpuset's first node.
    pub relative: bool,
    /// The kernel's balancer may move pages between the nodes.
    pub balancing: bool,
}

/// Memory policy of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rule.
    pub mode: PolicyMode,
    /// Its modifiers.
    pub flags: PolicyFlags,
    /// Its nodes, empty where the rule has none.
    pub nodes: NodeMask,
}

impl Policy {
    /// Whether the program left the choice of nodes to the system, so that its pages may be moved.
    #[must_use]
    pub fn is_free(&self) -> bool {
        matches!(self.mode, PolicyMode::Default | PolicyMode::Local)
    }
}

impl fmt::Display for Policy {
    /// In the kernel's spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.mode {
            PolicyMode::Default => "default",
            PolicyMode::Local => "local",
            PolicyMode::Bind => "bind",
            PolicyMode::Interleave => "interleave",
            PolicyMode::WeightedInterleave => "weighted interleave",
            PolicyMode::Prefer => "prefer",
            PolicyMode::PreferMany => "prefer (many)",
            PolicyMode::Unknown(text) => return f.write_str(text),
        })?;
        let mut separator = '=';
        let PolicyFlags { fixed, relative, balancing } = self.flags;
        for (set, name) in [(fixed, "static"), (relative, "relative"), (balancing, "balancing")] {
            if set {
                write!(f, "{separator}{name}")?;
                separator = '|';
            }
        }
        if self.nodes.is_empty() { Ok(()) } else { write!(f, ":{}", self.nodes) }
    }
}

/// What a mapping is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VmaKind {
    /// Anonymous memory.
    #[default]
    Anonymous,
    /// The heap.
    Heap,
    /// The first thread's stack.
    Stack,
    /// A file, with its path; escapes are decoded.
    File(String),
}

/// One mapping with its policy and pages. Counts are in pages of `page_size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaVma {
    /// First address.
    pub start: u64,
    /// Memory policy in force.
    pub policy: Policy,
    /// What it is.
    pub kind: VmaKind,
    /// Whether it consists of hugetlb pages.
    pub hugetlb: bool,
    /// Anonymous pages.
    pub anonymous: u64,
    /// Dirty pages.
    pub dirty: u64,
    /// Mapped pages, where they differ from the sum of the nodes.
    pub mapped: u64,
    /// The most processes that map one of the pages; 1 unless stated.
    pub most_mappers: u64,
    /// Pages per node.
    pub pages: Vec<(NodeId, u64)>,
    /// Size of a page in the page table's unit (4 KiB also for transparent huge pages).
    pub page_size: Bytes,
}

impl NumaVma {
    /// Resident pages of all nodes.
    #[must_use]
    pub fn resident(&self) -> u64 {
        self.pages.iter().fold(0, |sum, &(_, pages)| sum.saturating_add(pages))
    }
}

/// Reads the text of a `numa_maps` file; lines without an address are left out with a warning.
#[must_use]
pub fn parse_numa_maps(text: &str) -> Parsed<Vec<NumaVma>> {
    let mut vmas = Vec::new();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        match vma(line, index + 1, &mut warnings) {
            Some(vma) => vmas.push(vma),
            None => warnings.add(index + 1, line, "an address and a policy"),
        }
    }
    warnings.with(vmas)
}

fn vma(line: &str, number: usize, warnings: &mut Warnings) -> Option<NumaVma> {
    let (start, rest) = line.split_once(' ')?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let (spelling, fields) = split_policy(rest.trim_start())?;
    let mut vma = NumaVma {
        start,
        policy: policy(spelling),
        kind: VmaKind::default(),
        hugetlb: false,
        anonymous: 0,
        dirty: 0,
        mapped: 0,
        most_mappers: 1,
        pages: Vec::new(),
        page_size: homenode_topology::PAGE,
    };
    for field in fields.split_ascii_whitespace() {
        let Some((key, value)) = field.split_once('=') else {
            match field {
                "heap" => vma.kind = VmaKind::Heap,
                "stack" => vma.kind = VmaKind::Stack,
                "huge" => vma.hugetlb = true,
                _ => {}
            }
            continue;
        };
        if key == "file" {
            vma.kind = VmaKind::File(unescape(value));
            continue;
        }
        let node = key.strip_prefix('N').and_then(|id| id.parse().ok()).map(NodeId);
        if node.is_none()
            && !matches!(key, "anon" | "dirty" | "mapped" | "mapmax" | "kernelpagesize_kB")
        {
            continue;
        }
        let Some(count) = warnings.keep(value.parse(), number, field, "a page count") else {
            continue;
        };
        match (node, key) {
            (Some(node), _) => vma.pages.push((node, count)),
            (None, "anon") => vma.anonymous = count,
            (None, "dirty") => vma.dirty = count,
            (None, "mapped") => vma.mapped = count,
            (None, "mapmax") => vma.most_mappers = count,
            (None, _) => vma.page_size = Bytes(count.saturating_mul(1024)),
        }
    }
    Some(vma)
}

/// Parts the policy from the fields after it. Two spellings hold a space.
fn split_policy(text: &str) -> Option<(&str, &str)> {
    let words = ["prefer (many)", "weighted interleave"];
    let start = words.iter().find(|word| text.starts_with(*word)).map_or(0, |word| word.len());
    let end = text[start..].find(' ').map_or(text.len(), |space| start + space);
    (end > 0).then(|| text.split_at(end))
}

fn policy(spelling: &str) -> Policy {
    let unknown = || Policy {
        mode: PolicyMode::Unknown(spelling.to_string()),
        flags: PolicyFlags::default(),
        nodes: NodeMask::new(),
    };
    let (rule, nodes) = spelling.split_once(':').unwrap_or((spelling, ""));
    let (name, modifiers) = rule.split_once('=').unwrap_or((rule, ""));
    let mode = match name {
        "default" => PolicyMode::Default,
        "local" => PolicyMode::Local,
        "bind" => PolicyMode::Bind,
        "interleave" => PolicyMode::Interleave,
        "weighted interleave" => PolicyMode::WeightedInterleave,
        "prefer" => PolicyMode::Prefer,
        "prefer (many)" => PolicyMode::PreferMany,
        _ => return unknown(),
    };
    let mut flags = PolicyFlags::default();
    for modifier in modifiers.split('|').filter(|modifier| !modifier.is_empty()) {
        match modifier {
            "static" => flags.fixed = true,
            "relative" => flags.relative = true,
            "balancing" => flags.balancing = true,
            _ => return unknown(),
        }
    }
    match nodes.parse() {
        Ok(nodes) => Policy { mode, flags, nodes },
        Err(_) => unknown(),
    }
}

/// Decodes the kernel's `\ooo` escapes; anything else stays as it is.
fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_string();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| first == b'\\').and_then(octal);
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0u8, |code, digit| match digit {
        b'0'..=b'7' => code.checked_mul(8)?.checked_add(digit - b'0'),
        _ => None,
    })
}

/// Reads `/proc/PID/numa_maps`.
///
/// # Errors
/// The process is gone or belongs to another user, or the kernel has no NUMA support.
pub fn read_numa_maps(files: &(impl Files + ?Sized), pid: Pid) -> Result<Parsed<Vec<NumaVma>>> {
    Ok(parse_numa_maps(&text(files, &format!("proc/{pid}/numa_maps"))?))
}
