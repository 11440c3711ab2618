//! All findings about a machine.

use super::cpusets::cpuset_findings;
use super::finding::{Finding, Severity};
use super::movers::{Availability, movers};
use super::others::{KernelBalancer, OtherMover, kernel_balancer, other_movers};
use super::settings::{knob_findings, node_findings, nodes};
use crate::procfs::{
    Cpuset, Knobs, MemoryTier, Thp, read_cpuset, read_knobs, read_memory_tiers, read_thp,
};
use crate::sampler::{SelfTest, Verdict};
use crate::{Files, Kernel, NodeMask, Pid};

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
    let mut probe = survey(kernel);
    probe.samplers = vec![SelfTest::fault(kernel), SelfTest::averages(kernel)];
    probe.movers = movers(kernel);
    probe.findings.extend(probe.samplers.iter().map(sampler_finding));
    probe.findings.extend(probe.movers.iter().map(mover_finding));
    worst_first(&mut probe.findings);
    probe
}

/// Looks at files only, so that it works on a captured tree: samplers and movers are not tried and stay empty.
#[must_use]
pub fn survey(files: &(impl Files + ?Sized)) -> Probe {
    let (knobs, thp, tiers) = (read_knobs(files), read_thp(files), read_memory_tiers(files));
    let nodes = nodes(files);
    let own = Pid(i32::try_from(std::process::id()).unwrap_or(0));
    let cpuset = read_cpuset(files, own).unwrap_or_default();
    let others = other_movers(files);
    let mut findings = knob_findings(&knobs, &thp, &tiers);
    findings.extend(node_findings(files, &nodes));
    findings.extend(cpuset_findings(files, &nodes.online));
    findings.extend(others.iter().map(OtherMover::finding));
    worst_first(&mut findings);
    Probe {
        balancer: kernel_balancer(files),
        knobs,
        thp,
        tiers,
        nodes: nodes.online,
        cpuset,
        others,
        samplers: Vec::new(),
        movers: Vec::new(),
        findings,
    }
}

/// Stable: within a severity the order is kept.
fn worst_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
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
    let finding =
        Finding::new(severity, "mover-unavailable", format!("moving {name}: {reason}{missing}"));
    // A file capability reaches every run of the program, without root.
    let capabilities: Vec<&str> = ["CAP_SYS_NICE", "CAP_SYS_PTRACE"]
        .into_iter()
        .filter(|capability| missing.contains(capability))
        .collect();
    if capabilities.is_empty() {
        return finding;
    }
    let list = capabilities.join(",").to_lowercase();
    finding.command(format!("setcap {list}+ep \"$(command -v homenode)\""))
}
