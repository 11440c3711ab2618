//! Which movers work here, tried on a child of this process.

use homenode_topology::NodeId;
use serde::Serialize;

use crate::procfs::read_status;
use crate::{Errno, Kernel, Nanos, Pid};

/// `CAP_SYS_NICE`: other users' processes, and pages that several processes map.
const CAP_SYS_NICE: u32 = 23;
/// `CAP_SYS_PTRACE`: looking into other users' processes.
const CAP_SYS_PTRACE: u32 = 19;
/// Pages of the child.
const PAGES: usize = 4;

/// Whether something works here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Availability {
    /// What.
    pub name: &'static str,
    /// Whether it works for this user's own processes.
    pub works: bool,
    /// Why not, or what is limited.
    pub reason: Option<String>,
    /// The capability or command that is missing.
    pub missing: Option<String>,
}

/// Tries the movers.
#[must_use]
pub fn movers(kernel: &impl Kernel) -> Vec<Availability> {
    let mut found = match kernel.spawn_writer(PAGES) {
        Ok(child) => {
            // The child touches its pages first.
            kernel.sleep(Nanos::millis(5));
            vec![pages(kernel, child.pid(), child.area().start), threads(kernel, child.pid())]
        }
        Err(errno) => ["pages", "threads"]
            .map(|name| Availability {
                name,
                works: false,
                reason: Some(format!("no child could be started to try it: {errno}")),
                missing: None,
            })
            .into(),
    };
    found.push(strangers(kernel));
    found
}

/// What stands between a call and its success.
fn missing(errno: Errno) -> Option<String> {
    match errno {
        Errno::EPERM => Some("CAP_SYS_NICE, or a seccomp profile that allows the call".into()),
        Errno::ENOSYS => Some("a kernel with CONFIG_NUMA and CONFIG_MIGRATION".into()),
        _ => None,
    }
}

fn tried(name: &'static str, result: Result<(), Errno>) -> Availability {
    Availability {
        name,
        works: result.is_ok(),
        reason: result.err().map(|errno| errno.to_string()),
        missing: result.err().and_then(missing),
    }
}

fn pages(kernel: &impl Kernel, pid: Pid, address: u64) -> Availability {
    let page = kernel.page_nodes(pid, &[address]).and_then(|nodes| {
        let node: NodeId = nodes.first().copied().unwrap_or(Err(Errno::EIO))?;
        // To where it is: shows that the call is allowed, and moves nothing.
        let moved = kernel.move_pages(pid, &[address], &[node])?;
        moved.first().copied().unwrap_or(Err(Errno::EIO)).map(drop)
    });
    tried("pages", page)
}

fn threads(kernel: &impl Kernel, pid: Pid) -> Availability {
    let tid = pid.leader();
    tried("threads", kernel.affinity(tid).and_then(|mask| kernel.set_affinity(tid, &mask)))
}

fn strangers(kernel: &impl Kernel) -> Availability {
    let own = Pid(i32::try_from(std::process::id()).unwrap_or(0));
    let bits = read_status(kernel, own)
        .ok()
        .and_then(|status| status.value.effective_capabilities)
        .unwrap_or(0);
    let lacking: Vec<&str> = [(CAP_SYS_NICE, "CAP_SYS_NICE"), (CAP_SYS_PTRACE, "CAP_SYS_PTRACE")]
        .into_iter()
        .filter(|(bit, _)| bits >> bit & 1 == 0)
        .map(|(_, name)| name)
        .collect();
    Availability {
        name: "processes of other users",
        works: lacking.is_empty(),
        reason: (!lacking.is_empty()).then(|| "this user may move own processes only".into()),
        missing: (!lacking.is_empty()).then(|| lacking.join(" and ")),
    }
}
