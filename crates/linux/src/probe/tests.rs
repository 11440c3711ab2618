//! Findings on fake machines and on this one.

use super::*;
use crate::fake::{FakeKernel, Injection};
use crate::procfs::Balancing;
use crate::{Bytes, CpuMask, NodeId, Pid, RealKernel};

fn kernel() -> FakeKernel {
    FakeKernel::new(2, 2, Bytes::mib(256))
}

fn set(kernel: &FakeKernel, path: &str, content: &str) {
    kernel.state().files.insert(path.into(), content.as_bytes().to_vec());
}

fn codes(probe: &Probe, least: Severity) -> Vec<&'static str> {
    probe.findings.iter().filter(|f| f.severity >= least).map(|f| f.code).collect()
}

#[test]
fn a_machine_in_order_has_no_warnings() {
    let kernel = kernel();
    let probe = probe(&kernel);
    assert_eq!(codes(&probe, Severity::Warning), [] as [&str; 0]);
    assert!(probe.samplers[0].verdict.is_trusted());
    assert!(probe.movers[0].works && probe.movers[1].works);
    // The self-tests leave nothing behind on others.
    assert_eq!(probe.nodes, "0-1".parse().unwrap());
}

#[test]
fn each_setting_that_hurts_is_told_with_its_command() {
    let kernel = kernel();
    set(&kernel, "proc/sys/vm/zone_reclaim_mode", "1\n");
    set(&kernel, "proc/sys/kernel/perf_event_paranoid", "3\n");
    set(&kernel, "proc/sys/kernel/numa_balancing", "2\n");
    set(&kernel, "proc/version", "Linux version 6.1.0-57-amd64 (x)");
    set(&kernel, "proc/vmstat", "numa_hint_faults 12\nnuma_pages_migrated 3\n");
    kernel.state().nodes.get_mut(&NodeId(1)).unwrap().free = Bytes::mib(1);
    let probe = probe(&kernel);
    let found = codes(&probe, Severity::Warning);
    for code in
        ["zone-reclaim", "perf-paranoid", "kernel-balancer", "query-hides-pages", "node-full"]
    {
        assert!(found.contains(&code), "{code} is missing in {found:?}");
    }
    let zone = probe.findings.iter().find(|f| f.code == "zone-reclaim").unwrap();
    assert_eq!(zone.command.as_deref(), Some("sysctl vm.zone_reclaim_mode=0"));
    assert_eq!(probe.balancer.mode, Some(Balancing::Tiers));
    assert_eq!(
        (probe.balancer.hint_faults, probe.balancer.pages_migrated, probe.balancer.pte_updates),
        (Some(12), Some(3), None)
    );
}

#[test]
fn other_movers_are_named() {
    let kernel = kernel();
    kernel.state().spawn(Pid(300), 1, 9).comm = "numad".into();
    kernel.state().spawn(Pid(301), 1, 9).comm = "homenode".into();
    set(&kernel, "sys/kernel/sched_ext/state", "enabled\n");
    set(&kernel, "sys/kernel/sched_ext/root/ops", "rusty\n");
    let damon = "sys/kernel/mm/damon/admin/kdamonds";
    for (number, state, action) in
        [(0, "on", "migrate_hot"), (1, "on", "stat"), (2, "off", "pageout")]
    {
        set(&kernel, &format!("{damon}/{number}/state"), state);
        set(&kernel, &format!("{damon}/{number}/contexts/0/schemes/0/action"), action);
    }
    let others = other_movers(&kernel);
    assert_eq!(
        others,
        [
            OtherMover::Numad { pids: vec![Pid(300)] },
            OtherMover::Homenode { pids: vec![Pid(301)] },
            OtherMover::Damon {
                scheme: format!("{damon}/0/contexts/0/schemes/0"),
                action: "migrate_hot".into()
            },
            OtherMover::SchedExt { scheduler: "rusty".into() },
        ]
    );
    let commands: Vec<String> = others.iter().filter_map(|other| other.finding().command).collect();
    assert_eq!(
        commands,
        [
            "systemctl stop numad",
            "kill 301",
            &format!("echo off > /{damon}/0/state"),
            "systemctl stop scx"
        ]
    );
}

#[test]
fn nodes_without_cpus_or_memory_and_single_nodes_are_told() {
    let kernel = kernel();
    kernel.state().nodes.get_mut(&NodeId(1)).unwrap().cpus = CpuMask::new();
    set(&kernel, "sys/devices/system/node/has_cpu", "0\n");
    set(&kernel, "sys/devices/system/node/has_memory", "1\n");
    let found = codes(&probe(&kernel), Severity::Info);
    assert!(found.contains(&"nodes-without-cpus") && found.contains(&"nodes-without-memory"));
    let single = probe(&FakeKernel::new(1, 2, Bytes::mib(64)));
    assert!(codes(&single, Severity::Info).contains(&"one-node"));
}

#[test]
fn a_cpuset_with_cpus_far_from_its_memory_is_told() {
    let kernel = kernel();
    let group = "sys/fs/cgroup/web.slice/db";
    set(&kernel, &format!("{group}/cpuset.cpus"), "0-3\n");
    set(&kernel, &format!("{group}/cpuset.cpus.effective"), "0-3\n");
    set(&kernel, &format!("{group}/cpuset.mems"), "1\n");
    // One that sets nothing itself has nothing to mend.
    set(&kernel, &format!("{group}/child/cpuset.cpus"), "\n");
    set(&kernel, &format!("{group}/child/cpuset.mems"), "\n");
    let survey = survey(&kernel);
    let found: Vec<&Finding> =
        survey.findings.iter().filter(|f| f.code == "cpuset-mismatch").collect();
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert!(finding.reason.contains("on nodes 0 all memory"), "{}", finding.reason);
    assert_eq!(finding.command, Some(format!("echo 0-1 > /{group}/cpuset.mems")));
}

#[test]
fn captured_trees_are_surveyed_without_trying_anything() {
    for tree in ["linux-6.1-4node", "linux-6.12-4node"] {
        let folder = format!("{}/tests/fixtures/{tree}", env!("CARGO_MANIFEST_DIR"));
        let survey = survey(&crate::Root::new(folder));
        assert_eq!(survey.nodes, "0-3".parse().unwrap());
        assert!(survey.samplers.is_empty() && survey.movers.is_empty());
        assert!(survey.findings.iter().any(|finding| finding.code == "kernel"));
    }
}

#[test]
fn warnings_say_what_to_do() {
    let kernel = kernel();
    set(&kernel, "proc/sys/vm/zone_reclaim_mode", "1\n");
    set(&kernel, "proc/sys/kernel/numa_balancing", "2\n");
    set(&kernel, "proc/version", "Linux version 6.1.0-57-amd64 (x)");
    set(&kernel, "sys/kernel/sched_ext/state", "enabled\n");
    set(&kernel, "sys/devices/system/node/has_memory", "1\n");
    kernel.state().nodes.get_mut(&NodeId(1)).unwrap().free = Bytes::mib(1);
    for finding in survey(&kernel).findings {
        assert!(finding.severity < Severity::Warning || finding.command.is_some(), "{finding:?}");
    }
}

#[test]
fn probing_survives_errors() {
    for seed in 0..300 {
        let kernel = kernel();
        kernel.state().injection = Injection::everything(seed, 200);
        let _ = probe(&kernel);
    }
}

#[test]
fn this_machine_is_probed() {
    let probe = probe(&RealKernel::new());
    assert!(probe.knobs.version().is_some_and(|version| version > (3, 0)));
    assert!(probe.findings.iter().any(|finding| finding.code == "kernel"));
    assert!(probe.findings.iter().all(|finding| !finding.reason.is_empty()));
    assert!(probe.findings.is_sorted_by_key(|finding| std::cmp::Reverse(finding.severity)));
    for finding in &probe.findings {
        eprintln!(
            "{:?} {}: {} {:?}",
            finding.severity, finding.code, finding.reason, finding.command
        );
    }
}
