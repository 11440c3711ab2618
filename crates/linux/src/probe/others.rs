//! Who else moves tasks and memory on this machine.

use serde::Serialize;

use super::finding::{Finding, Severity};
use super::tasks::named;
use crate::files::{text, value};
use crate::procfs::{Balancing, Knobs, read_knobs, read_vmstat};
use crate::{Files, Pid};

/// DAMON's worker threads and their settings.
const DAMON: &str = "sys/kernel/mm/damon/admin/kdamonds";

/// The kernel's balancer: what it is set to and what it did since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelBalancer {
    /// Its mode; `None` if the kernel has none.
    pub mode: Option<Balancing>,
    /// Page table entries armed.
    pub pte_updates: Option<u64>,
    /// Hinting faults.
    pub hint_faults: Option<u64>,
    /// Hinting faults on local memory.
    pub hint_faults_local: Option<u64>,
    /// Pages moved.
    pub pages_migrated: Option<u64>,
}

/// Reads the mode and counters of the kernel's balancer.
#[must_use]
pub fn kernel_balancer(files: &(impl Files + ?Sized)) -> KernelBalancer {
    let counters = read_vmstat(files).map(|parsed| parsed.value).unwrap_or_default();
    KernelBalancer {
        mode: read_knobs(files).balancing,
        pte_updates: counters.get("numa_pte_updates"),
        hint_faults: counters.get("numa_hint_faults"),
        hint_faults_local: counters.get("numa_hint_faults_local"),
        pages_migrated: counters.get("numa_pages_migrated"),
    }
}

/// Another mover that is at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "mover", rename_all = "kebab-case")]
pub enum OtherMover {
    /// The kernel's balancer.
    Kernel {
        /// Value of `kernel.numa_balancing`.
        mode: String,
    },
    /// numad.
    Numad {
        /// Its processes.
        pids: Vec<Pid>,
    },
    /// Another homenode.
    Homenode {
        /// Its processes.
        pids: Vec<Pid>,
    },
    /// A DAMON scheme that moves pages.
    Damon {
        /// Folder of the scheme.
        scheme: String,
        /// Its action.
        action: String,
    },
    /// A scheduler loaded as BPF.
    SchedExt {
        /// Its name.
        scheduler: String,
    },
}

impl OtherMover {
    pub(super) fn finding(&self) -> Finding {
        let warn = |code, reason| Finding::new(Severity::Warning, code, reason);
        let list =
            |pids: &[Pid]| pids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        match self {
            Self::Kernel { mode } => warn(
                "kernel-balancer",
                format!(
                    "the kernel balances by itself ({mode}): both would move the same pages; switch \
                     it off, or use homenode to observe only"
                ),
            )
            .command("sysctl kernel.numa_balancing=0"),
            Self::Numad { pids } => warn(
                "numad",
                format!("numad runs (process {}) and places whole processes", list(pids)),
            )
            .command("systemctl stop numad"),
            Self::Homenode { pids } => {
                let command = format!("kill {}", list(pids));
                warn(
                    "another-homenode",
                    format!("another homenode runs (process {}): one is enough", list(pids)),
                )
                .command(command)
            }
            Self::Damon { scheme, action } => warn(
                "damon-scheme",
                format!("the DAMON scheme {scheme} acts on memory with `{action}`"),
            )
            .command(format!("echo off > /{}/state", kdamond(scheme))),
            Self::SchedExt { scheduler } => warn(
                "sched-ext",
                format!(
                    "the BPF scheduler {scheduler} chooses CPUs; it need not follow a thread's \
                     former node, so a thread that is only nudged may not stay"
                ),
            )
            .command("systemctl stop scx"),
        }
    }
}

/// The kdamond folder that a scheme's folder belongs to.
fn kdamond(scheme: &str) -> &str {
    scheme.find("/contexts").map_or(scheme, |end| &scheme[..end])
}

/// Finds other movers.
#[must_use]
pub fn other_movers(files: &(impl Files + ?Sized)) -> Vec<OtherMover> {
    let knobs = read_knobs(files);
    let mut found = Vec::new();
    if let Some(mode) = kernel_mode(&knobs) {
        found.push(OtherMover::Kernel { mode });
    }
    let numad = named(files, "numad");
    if !numad.is_empty() {
        found.push(OtherMover::Numad { pids: numad });
    }
    let own = i32::try_from(std::process::id()).map(Pid);
    let mut peers = named(files, "homenode");
    peers.retain(|&pid| Ok(pid) != own);
    if !peers.is_empty() {
        found.push(OtherMover::Homenode { pids: peers });
    }
    found.extend(damon_schemes(files));
    if knobs.sched_ext.as_deref().is_some_and(|state| state != "disabled") {
        let name = text(files, "sys/kernel/sched_ext/root/ops").unwrap_or_default();
        let name = name.trim();
        let scheduler = if name.is_empty() { "without a name" } else { name }.to_string();
        found.push(OtherMover::SchedExt { scheduler });
    }
    found
}

fn kernel_mode(knobs: &Knobs) -> Option<String> {
    let mode = knobs.balancing.filter(|mode| mode.is_on())?;
    Some(match mode {
        Balancing::Off => return None,
        Balancing::Nodes => "mode 1, between nodes".into(),
        Balancing::Tiers => "mode 2, between memory tiers".into(),
        Balancing::NodesAndTiers => "mode 3, between nodes and memory tiers".into(),
        Balancing::Unknown(number) => format!("mode {number}, unknown to this version"),
    })
}

/// Schemes of running kdamonds whose action moves or frees memory.
fn damon_schemes(files: &(impl Files + ?Sized)) -> Vec<OtherMover> {
    let folders = |path: &str| -> Vec<String> {
        let names = files.list(path).unwrap_or_default();
        let numbered = names.into_iter().filter(|name| name.parse::<u32>().is_ok());
        numbered.map(|name| format!("{path}/{name}")).collect()
    };
    let mut found = Vec::new();
    for kdamond in folders(DAMON) {
        let state: Option<String> = value(files, &format!("{kdamond}/state"));
        if state.as_deref() != Some("on") {
            continue;
        }
        for context in folders(&format!("{kdamond}/contexts")) {
            for scheme in folders(&format!("{context}/schemes")) {
                let action: Option<String> = value(files, &format!("{scheme}/action"));
                if let Some(action) = action.filter(|action| action != "stat") {
                    found.push(OtherMover::Damon { scheme, action });
                }
            }
        }
    }
    found
}
