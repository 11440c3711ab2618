//! All findings about a machine.

use super::finding::{Finding, Severity};
use super::movers::{Availability, movers};
use super::others::{KernelBalancer, OtherMover, kernel_balancer, other_movers};
use super::settings::{knob_findings, node_findings, nodes};
use crate::procfs::{
    Cpuset, Knobs, MemoryTier, Thp, read_cpuset, read_knobs, read_memory_tiers, read_thp,
};
use crate::sampler::{SelfTest, Verdict};
use crate::{Kernel, NodeMask, Pid};

/// What this machine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Kernel settings.
    pub knobs: Knobs,
    /// Huge page settings.
    pub thp: Thp,
    /// Memory tiers, fast to slow.
    pub tiers: Vec<MemoryTier>,
    /// Nodes online.
    pub nodes: NodeMask,
    /// cpuset of this program, and so of what it starts.
    pub cpuset: Cpuset,
    /// The kernel's balancer.
    pub balancer: KernelBalancer,
    /// Others that move things.
    pub others: Vec<OtherMover>,
    /// Samplers, with the verdict of their self-tests.
    pub samplers: Vec<SelfTest>,
    /// Movers.
    pub movers: Vec<Availability>,
    /// What is worth telling, the worst first.
    pub findings: Vec<Finding>,
}

/// Looks at everything. Starts small children for the self-tests, and changes nothing.
#[must_use]
pub fn probe(kernel: &impl Kernel) -> Probe {
    let (knobs, thp, tiers) = (read_knobs(kernel), read_thp(kernel), read_memory_tiers(kernel));
    let nodes = nodes(kernel);
    let own = Pid(i32::try_from(std::process::id()).unwrap_or(0));
    let cpuset = read_cpuset(kernel, own).unwrap_or_default();
    let others = other_movers(kernel);
    let samplers = vec![SelfTest::fault(kernel), SelfTest::averages(kernel)];
    let movers = movers(kernel);
    let mut findings = knob_findings(&knobs, &thp, &tiers);
    findings.extend(node_findings(kernel, &nodes));
    findings.extend(cpuset_finding(&cpuset, &nodes.online));
    findings.extend(others.iter().map(OtherMover::finding));
    findings.extend(samplers.iter().map(sampler_finding));
    findings.extend(movers.iter().map(mover_finding));
    // Stable: within a severity the order above is kept.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Probe {
        balancer: kernel_balancer(kernel),
        knobs,
        thp,
        tiers,
        nodes: nodes.online,
        cpuset,
        others,
        samplers,
        movers,
        findings,
    }
}

/// A cpuset that allows CPUs and memory of different nodes is seldom meant; one that leaves nodes out limits what
/// can be balanced.
fn cpuset_finding(cpuset: &Cpuset, online: &NodeMask) -> Option<Finding> {
    let mems = cpuset.mems.as_ref()?;
    let missing = online.difference(mems);
    if missing.is_empty() {
        return None;
    }
    let folder = cpuset.folder.as_deref().unwrap_or_default();
    let reason = format!(
        "the cpuset /{folder} allows memory on nodes {mems} only: nothing is moved to {missing}"
    );
    Some(Finding::new(Severity::Warning, "cpuset", reason))
}

fn sampler_finding(test: &SelfTest) -> Finding {
    let source = test.source;
    match &test.verdict {
        Verdict::Trusted { evidence } => Finding::new(
            Severity::Info,
            "sampler",
            format!("sampler {source:?} passed its self-test: {evidence}"),
        ),
        Verdict::NotTrusted { reason, remedy } => {
            let finding = Finding::new(
                Severity::Info,
                "sampler-unavailable",
                format!("sampler {source:?} is not used: {reason}"),
            );
            match remedy {
                Some(command) => finding.command(command.as_str()),
                None => finding,
            }
        }
    }
}

fn mover_finding(mover: &Availability) -> Finding {
    let Availability { name, works, reason, missing } = mover;
    if *works {
        return Finding::new(Severity::Info, "mover", format!("moving {name} works"));
    }
    let reason = reason.as_deref().unwrap_or("it does not work");
    let missing = missing.as_ref().map_or(String::new(), |what| format!("; missing: {what}"));
    let own = matches!(*name, "pages" | "threads");
    let severity = if own { Severity::Problem } else { Severity::Info };
    Finding::new(severity, "mover-unavailable", format!("moving {name}: {reason}{missing}"))
}
