//! `homenode doctor`: what keeps this machine from being balanced, and what to do about it.

use std::path::Path;

use homenode_linux::probe::{Availability, Finding, OtherMover, Probe, Severity, probe, survey};
use homenode_linux::procfs::Balancing;
use homenode_linux::sampler::{SelfTest, Verdict};
use homenode_linux::{RealKernel, Root};
use serde::Serialize;

use crate::args::{DoctorArgs, ListFormat};
use crate::status::names;
use crate::{Error, Exit, output};

pub(super) fn run(args: &DoctorArgs) -> Result<Exit, Error> {
    let probe = match &args.root {
        // The same machine by another name is still tried out.
        Some(root) if root != Path::new("/") => {
            if !root.join("proc").is_dir() && !root.join("sys").is_dir() {
                let root = root.display();
                return Err(Error::Usage(format!("{root} holds neither `proc` nor `sys`")));
            }
            survey(&Root::new(root))
        }
        _ => probe(&RealKernel::new()),
    };
    let text = match args.format {
        ListFormat::Table => table(&probe),
        ListFormat::Json => output::json(&Document::of(&probe))?,
    };
    output::print(&text)?;
    let found = probe.findings.iter().any(is_finding);
    Ok(if found { Exit::Findings } else { Exit::Done })
}

/// Whether it needs attention; the rest is good to know.
fn is_finding(finding: &Finding) -> bool {
    finding.severity > Severity::Info
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    kernel: Option<&'a str>,
    nodes: String,
    tiers: Vec<Tier>,
    samplers: Vec<Sampler<'a>>,
    movers: &'a [Availability],
    other_movers: &'a [OtherMover],
    /// The worst first.
    findings: &'a [Finding],
}

#[derive(Serialize)]
struct Tier {
    rank: u32,
    nodes: String,
}

#[derive(Serialize)]
struct Sampler<'a> {
    source: homenode_linux::sampler::Source,
    works: bool,
    reason: &'a str,
    remedy: Option<&'a str>,
}

impl<'a> Document<'a> {
    fn of(probe: &'a Probe) -> Self {
        let tier = |tier: &homenode_linux::procfs::MemoryTier| Tier {
            rank: tier.rank,
            nodes: tier.nodes.to_string(),
        };
        Self {
            schema: "homenode.doctor",
            version: 1,
            kernel: probe.knobs.release.as_deref(),
            nodes: probe.nodes.to_string(),
            tiers: probe.tiers.iter().map(tier).collect(),
            samplers: probe.samplers.iter().map(sampler).collect(),
            movers: &probe.movers,
            other_movers: &probe.others,
            findings: &probe.findings,
        }
    }
}

fn sampler(test: &SelfTest) -> Sampler<'_> {
    let (works, reason, remedy) = match &test.verdict {
        Verdict::Trusted { evidence } => (true, evidence.as_str(), None),
        Verdict::NotTrusted { reason, remedy } => (false, reason.as_str(), remedy.as_deref()),
    };
    Sampler { source: test.source, works, reason, remedy }
}

fn table(probe: &Probe) -> String {
    let mut text = format!("{}\n", summary(probe));
    let (found, known): (Vec<&Finding>, Vec<&Finding>) =
        probe.findings.iter().partition(|finding| is_finding(finding));
    if found.is_empty() {
        text += "\nnothing needs attention\n";
    }
    text += &section("needs attention", &found);
    text += &section("good to know", &known);
    if probe.samplers.is_empty() {
        text += "\nsamplers and movers were not tried: this is a captured tree\n";
    }
    text
}

/// Kernel, nodes and who balances, in a line.
fn summary(probe: &Probe) -> String {
    let kernel = probe.knobs.release.as_deref().unwrap_or("of an unknown version");
    let nodes = match probe.nodes.len() {
        0 => "no nodes".to_owned(),
        1 => format!("one node, {}", names(probe.nodes.iter())),
        count => format!("{count} nodes, {}", names(probe.nodes.iter())),
    };
    let balancer = &probe.balancer;
    let mode = match balancer.mode {
        None => "no balancer in the kernel".to_owned(),
        Some(Balancing::Off) => "the kernel's balancer is off".to_owned(),
        Some(_) => "the kernel's balancer is on".to_owned(),
    };
    let done = match (balancer.hint_faults, balancer.pages_migrated) {
        (Some(faults), Some(pages)) => {
            format!(" (since boot {faults} hinting faults, {pages} pages moved)")
        }
        _ => String::new(),
    };
    format!("kernel {kernel}; {nodes}; {mode}{done}")
}

fn section(title: &str, findings: &[&Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    for finding in findings {
        text += &format!("  {}: {}\n", finding.code, finding.reason);
        if let Some(command) = &finding.command {
            text += &format!("      $ {command}\n");
        }
    }
    text
}
