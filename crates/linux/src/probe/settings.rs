//! Findings from kernel settings alone.

use super::finding::{Finding, Severity};
use crate::files::value;
use crate::procfs::{Knobs, MemoryTier, Thp, read_node_memory};
use crate::{Files, NodeMask};

/// The lists of nodes that the kernel shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Nodes {
    pub(super) online: NodeMask,
    pub(super) with_memory: Option<NodeMask>,
    pub(super) with_cpus: Option<NodeMask>,
}

pub(super) fn nodes(files: &(impl Files + ?Sized)) -> Nodes {
    let list = |name: &str| value(files, &format!("sys/devices/system/node/{name}"));
    Nodes {
        online: list("online").unwrap_or_default(),
        with_memory: list("has_memory"),
        with_cpus: list("has_cpu"),
    }
}

pub(super) fn node_findings(files: &(impl Files + ?Sized), nodes: &Nodes) -> Vec<Finding> {
    let mut found = Vec::new();
    let online = &nodes.online;
    match online.len() {
        0 => found.push(Finding::new(
            Severity::Problem,
            "no-numa",
            "the kernel shows no nodes (CONFIG_NUMA): there is nothing to balance".into(),
        )),
        1 => found.push(Finding::new(
            Severity::Info,
            "one-node",
            format!("one node ({online}): there is nothing to balance"),
        )),
        count => found.push(Finding::new(
            Severity::Info,
            "nodes",
            format!("{count} nodes online: {online}"),
        )),
    }
    let lacking = |some: &Option<NodeMask>| {
        some.as_ref().map(|some| online.difference(some)).filter(|mask| !mask.is_empty())
    };
    if let Some(mask) = lacking(&nodes.with_cpus) {
        let reason = format!("nodes {mask} have no CPUs: threads are never placed there");
        found.push(Finding::new(Severity::Info, "nodes-without-cpus", reason));
    }
    if let Some(mask) = lacking(&nodes.with_memory) {
        let reason = format!("nodes {mask} have no memory: their threads are remote everywhere");
        found.push(
            Finding::new(Severity::Warning, "nodes-without-memory", reason)
                .command("homenode topo"),
        );
    }
    for node in online.iter() {
        let Ok(parsed) = read_node_memory(files, node) else { continue };
        if let (Some(free), Some(total)) = (parsed.value.free, parsed.value.total)
            && total.0 > 0
            && free.0 < total.0 / 50
        {
            let reason = format!(
                "node {node} has {free} of {total} free, under the 2 % that stay free: pages will \
                 not be moved there"
            );
            found.push(
                Finding::new(Severity::Warning, "node-full", reason)
                    .command("homenode status --all"),
            );
        }
    }
    found
}

pub(super) fn knob_findings(knobs: &Knobs, thp: &Thp, tiers: &[MemoryTier]) -> Vec<Finding> {
    let mut found = Vec::new();
    let release = knobs.release.as_deref().unwrap_or("of an unknown version");
    found.push(Finding::new(Severity::Info, "kernel", format!("kernel {release}")));
    if let Some(mode) = knobs.zone_reclaim_mode.filter(|&mode| mode != 0) {
        let reason = format!(
            "vm.zone_reclaim_mode is {mode}: a full node drops its page cache before it uses the \
             memory of another, which costs most workloads more than remote memory does"
        );
        found.push(
            Finding::new(Severity::Warning, "zone-reclaim", reason)
                .command("sysctl vm.zone_reclaim_mode=0"),
        );
    }
    if let Some(level) = knobs.perf_event_paranoid.filter(|&level| level > 2) {
        let reason = format!(
            "kernel.perf_event_paranoid is {level}: without CAP_PERFMON no user may open perf events, \
             so no sampler with addresses works"
        );
        found.push(
            Finding::new(Severity::Warning, "perf-paranoid", reason)
                .command("sysctl kernel.perf_event_paranoid=2"),
        );
    }
    if let Some(scope) = knobs.ptrace_scope.filter(|&scope| scope > 0) {
        let reason = format!(
            "kernel.yama.ptrace_scope is {scope}: code of running processes cannot be read without \
             CAP_SYS_PTRACE; it is read from their files instead, code made at run time is not seen"
        );
        found.push(Finding::new(Severity::Info, "ptrace-scope", reason));
    }
    if knobs.query_hides_pages() {
        let reason = format!(
            "kernel {release} hides pages that wait for a hinting fault from page queries while \
             kernel.numa_balancing is on: placement is read from numa_maps"
        );
        found.push(
            Finding::new(Severity::Warning, "query-hides-pages", reason)
                .command("sysctl kernel.numa_balancing=0"),
        );
    }
    if tiers.len() > 1 {
        let list: Vec<String> =
            tiers.iter().map(|tier| format!("{} (rank {})", tier.nodes, tier.rank)).collect();
        let reason = format!("memory tiers from fast to slow: {}", list.join(", "));
        found.push(Finding::new(Severity::Info, "tiers", reason));
    }
    if knobs.demotion == Some(true) {
        let reason = "the kernel moves cold pages to slower memory under pressure".into();
        found.push(Finding::new(Severity::Info, "demotion", reason));
    }
    if let Some(enabled) = &thp.enabled {
        let reason = format!("transparent huge pages: {enabled}");
        found.push(Finding::new(Severity::Info, "thp", reason));
    }
    found
}
