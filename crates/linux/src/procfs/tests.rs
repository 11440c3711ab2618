//! Readers on captured files, whole and damaged.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::{CpuId, NodeId, Parsed, Root};

fn captured(kernel: &str) -> Root {
    let folder = format!("tests/fixtures/linux-{kernel}-4node");
    Root::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder))
}

/// The process with one mapping for each memory policy: its number differs by kernel.
fn polmap(kernel: &str) -> (Root, Pid) {
    (captured(kernel), Pid(if kernel == "6.1" { 586 } else { 649 }))
}

#[test]
fn name_with_a_closing_parenthesis_does_not_shift_the_fields() {
    let (root, pid) = polmap("6.12");
    let stat = read_stat(&root, pid).unwrap();
    assert_eq!(stat.comm, "pol map) x");
    assert_eq!((stat.state, stat.parent, stat.threads), ('S', Some(Pid(215)), Some(1)));
    assert_eq!((stat.start, stat.cpu), (1231, Some(CpuId(7))));
    assert_eq!(stat.cpu_ticks(), Some(46));
    assert!(stat.stack_start.is_some_and(|stack| stack != 0));
    assert!(!stat.is_kernel_thread());
}

#[test]
fn status_tells_masks_and_locked_memory() {
    let (root, pid) = polmap("6.12");
    let Parsed { value: status, warnings } = read_status(&root, pid).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(status.cpus_allowed, Some("0-7".parse().unwrap()));
    assert_eq!(status.mems_allowed, Some("0-3".parse().unwrap()));
    assert_eq!(status.locked, Some(Bytes::kib(64)));
    assert_eq!((status.tgid, status.uid), (Some(pid), Some(0)));
    assert_eq!(status.effective_capabilities, Some(0x1ff_ffff_ffff));
}

#[test]
fn every_policy_spelling_is_read_and_printed_alike() {
    let spellings = |kernel| {
        let (root, pid) = polmap(kernel);
        let Parsed { value: vmas, warnings } = read_numa_maps(&root, pid).unwrap();
        assert_eq!(warnings, []);
        assert!(vmas.iter().all(|vma| !matches!(vma.policy.mode, PolicyMode::Unknown(_))));
        let mut all: Vec<String> = vmas.iter().map(|vma| vma.policy.to_string()).collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(
        spellings("6.12"),
        [
            "bind:0,2",
            "bind:1",
            "bind=balancing:0-3",
            "bind=relative:0-1",
            "bind=static:1-2",
            "default",
            "interleave:0-3",
            "local",
            "prefer (many):0-3",
            "prefer:2",
            "weighted interleave:0-3",
        ]
    );
    assert_eq!(spellings("6.1").len(), 10);
}

#[test]
fn fields_after_a_policy_with_spaces_are_kept() {
    let (root, pid) = polmap("6.12");
    let vmas = read_numa_maps(&root, pid).unwrap().value;
    let weighted = vmas.iter().find(|vma| vma.policy.mode == PolicyMode::WeightedInterleave);
    let nodes = weighted.unwrap().pages.clone();
    assert_eq!(nodes, [0, 1, 2, 3].map(|node| (NodeId(node), 64)));
    let many: Vec<_> =
        vmas.iter().filter(|vma| vma.policy.mode == PolicyMode::PreferMany).collect();
    assert_eq!(many.len(), 2);
    assert!(many.iter().all(|vma| vma.resident() == 256 && !vma.policy.is_free()));
}

#[test]
fn file_names_are_unescaped_and_huge_pages_told() {
    let (root, pid) = polmap("6.12");
    let vmas = read_numa_maps(&root, pid).unwrap().value;
    let file = |name: &str| vmas.iter().find(|vma| vma.kind == VmaKind::File(name.into()));
    assert_eq!(file("/memfd:memfd name (deleted)").unwrap().resident(), 256);
    let huge = file("/anon_hugepage (deleted)").unwrap();
    assert!(huge.hugetlb && huge.page_size == Bytes::mib(2) && huge.resident() == 2);
    assert!(vmas.iter().any(|vma| vma.kind == VmaKind::Heap));
    assert!(vmas.iter().any(|vma| vma.kind == VmaKind::Stack));
}

#[test]
fn an_unknown_policy_is_kept_and_never_free() {
    let vmas = parse_numa_maps("1000 nearest=moon:0-1 anon=3 N0=3 new=7 odd\n").value;
    assert_eq!(vmas[0].policy.mode, PolicyMode::Unknown("nearest=moon:0-1".into()));
    assert!(!vmas[0].policy.is_free());
    assert_eq!(vmas[0].anonymous, 3);
}

#[test]
fn damaged_counts_are_warned_about_with_line_and_item() {
    let parsed = parse_numa_maps("1000 default N0=1\n2000 default N1=x anon=2\nrubbish\n");
    assert_eq!(parsed.value.len(), 2);
    let told: Vec<_> = parsed.warnings.iter().map(|w| (w.line, w.item.as_str())).collect();
    assert_eq!(told, [(2, "N1=x"), (3, "rubbish")]);
}

#[test]
fn maps_keep_spaces_in_names() {
    let (root, pid) = polmap("6.12");
    let Parsed { value: vmas, warnings } = read_maps(&root, pid).unwrap();
    assert_eq!(warnings, []);
    let file = vmas.iter().find(|vma| vma.name == "/tmp/file with space.bin").unwrap();
    assert!(file.shared && file.writable && !file.executable && file.inode == 2);
    assert_eq!(file.range, 0x7fb8_6060_0000..0x7fb8_6070_0000);
    let numa = read_numa_maps(&root, pid).unwrap().value;
    assert!(numa.iter().all(|vma| vmas.iter().any(|map| map.range.start == vma.start)));
}

#[test]
fn locked_ranges_are_those_with_the_flag() {
    let (root, pid) = polmap("6.12");
    let ranges = read_locked_ranges(&root, pid).unwrap();
    assert_eq!(ranges.len(), 1);
    assert_eq!(ranges[0], 0x7fb8_604f_0000..0x7fb8_6050_0000);
}

#[test]
fn rollup_adds_up_huge_memory() {
    let (root, pid) = polmap("6.12");
    let rollup = read_smaps_rollup(&root, pid).unwrap().value;
    assert_eq!(rollup.transparent_huge(), Bytes::mib(4));
    assert_eq!(rollup.hugetlb, Some(Bytes::mib(4)));
    assert_eq!(rollup.resident, Some(Bytes::kib(19772)));
}

#[test]
fn balancer_averages_of_a_thread() {
    let root = captured("6.12");
    let sched = read_task_sched(&root, Pid(703), Tid(715)).unwrap().value;
    assert_eq!(sched.faults.len(), 4);
    let sum: u64 = sched.faults.iter().map(|node| node.task_private + node.task_shared).sum();
    assert_eq!(Some(sum), sched.total_faults);
    assert!(sched.runtime_us.is_some_and(|us| us > 2_000_000));
    let idle = read_task_sched(&root, Pid(649), Tid(649)).unwrap().value;
    assert_eq!(idle.preferred_node, None);
    assert_eq!(idle.scan_sequence, Some(0));
}

#[test]
fn times_in_milliseconds_become_microseconds() {
    let time = |text: &str| {
        parse_task_sched(&format!("x\nse.sum_exec_runtime : {text}\n")).value.runtime_us
    };
    assert_eq!(time("471.665436"), Some(471_665));
    assert_eq!(time("2.5"), Some(2_500));
    assert_eq!(time("7"), Some(7_000));
    assert_eq!(time("soon"), None);
}

#[test]
fn node_files_and_counters() {
    let root = captured("6.12");
    let memory = read_node_memory(&root, NodeId(0)).unwrap().value;
    assert_eq!(memory.total, Some(Bytes::kib(514_356)));
    assert_eq!((memory.hugetlb_total, memory.hugetlb_free), (Some(2), Some(2)));
    assert_eq!(read_node_numastat(&root, NodeId(0)).unwrap().value.get("other_node"), Some(230));
    let vmstat = read_vmstat(&root).unwrap();
    assert_eq!(vmstat.warnings, []);
    assert!(vmstat.value.get("numa_hint_faults").is_some());
    assert!(vmstat.value.since(&vmstat.value).iter().all(|(_, growth)| growth == 0));
    assert!(read_node_vmstat(&root, NodeId(9)).unwrap_err().is_gone());
}

#[test]
fn knobs_of_both_kernels() {
    let knobs = read_knobs(&captured("6.1"));
    assert_eq!(knobs.version(), Some((6, 1)));
    assert_eq!(knobs.balancing, Some(Balancing::Nodes));
    assert!(knobs.query_hides_pages());
    assert_eq!((knobs.scan_size_mb, knobs.scan_period_max_ms), (Some(256), Some(60_000)));
    let newer = read_knobs(&captured("6.12"));
    assert!(!newer.query_hides_pages());
    assert_eq!(newer.perf_event_paranoid, Some(3));
    assert_eq!(newer.release.as_deref(), Some("6.12.95+deb12-amd64"));
    assert_eq!(read_thp(&captured("6.12")).enabled.as_deref(), Some("always"));
}

/// Writes a small tree.
fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let root = Root::new(folder.path());
    (folder, root)
}

#[test]
fn cpuset_of_version_2_comes_from_the_nearest_group_that_states_it() {
    let (_folder, root) = tree(&[
        ("proc/7/cgroup", "0::/a/b\n"),
        ("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
        ("sys/fs/cgroup/a/cpuset.cpus.effective", "4-5\n"),
        ("sys/fs/cgroup/a/cpuset.mems.effective", "1,3\n"),
        ("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n"),
        ("sys/fs/cgroup/a/b/cgroup.procs", "7\n"),
    ]);
    let cpuset = read_cpuset(&root, Pid(7)).unwrap();
    assert_eq!(cpuset.folder.as_deref(), Some("sys/fs/cgroup/a"));
    assert_eq!(cpuset.cpus, Some("4-5".parse().unwrap()));
    assert_eq!(cpuset.mems, Some("1,3".parse().unwrap()));
}

#[test]
fn cpuset_of_version_1_wins_over_an_empty_version_2() {
    let (_folder, root) = tree(&[
        ("proc/7/cgroup", "5:cpuset,cpu:/db\n1:name=systemd:/x\n0::/\n"),
        ("proc/mounts", "none /cg/cpuset cgroup rw,cpuset,cpu 0 0\n"),
        ("cg/cpuset/db/cpuset.cpus", "2\n"),
        ("cg/cpuset/db/cpuset.mems", "0\n"),
    ]);
    let cpuset = read_cpuset(&root, Pid(7)).unwrap();
    assert_eq!(cpuset.cpus, Some("2".parse().unwrap()));
    assert_eq!(cpuset.mems, Some("0".parse().unwrap()));
}

#[test]
fn a_group_outside_the_namespace_falls_back_to_the_mount() {
    let (_folder, root) = tree(&[
        ("proc/7/cgroup", "0::/../other\n"),
        ("sys/fs/cgroup/cpuset.mems.effective", "0\n"),
    ]);
    assert_eq!(read_cpuset(&root, Pid(7)).unwrap().mems, Some("0".parse().unwrap()));
    let (_empty, root) = tree(&[("proc/7/cgroup", "0::/a\n")]);
    assert_eq!(read_cpuset(&root, Pid(7)).unwrap(), Cpuset::default());
}

#[test]
fn tiers_are_sorted_from_fast_to_slow() {
    let (_folder, root) = tree(&[
        ("sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "2\n"),
        ("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1\n"),
        ("sys/devices/virtual/memory_tiering/memory_tier9/nodelist", "\n"),
        ("sys/devices/virtual/memory_tiering/uevent", ""),
    ]);
    let ranks: Vec<u32> = read_memory_tiers(&root).iter().map(|tier| tier.rank).collect();
    assert_eq!(ranks, [4, 22]);
}

#[test]
fn threads_and_processes_are_listed_in_order() {
    let root = captured("6.12");
    assert_eq!(threads(&root, Pid(703)).unwrap(), [714, 715, 716].map(Tid));
    assert_eq!(processes(&root).unwrap(), [649, 703].map(Pid));
    assert!(threads(&root, Pid(1)).unwrap_err().is_gone());
}

/// Runs every parser; none may panic whatever the text is.
fn parse_with_all(text: &str) {
    let _ = parse_stat(text, "t");
    let _ = parse_status(text);
    let _ = parse_maps(text);
    for vma in parse_numa_maps(text).value {
        let _ = (vma.resident(), vma.policy.to_string());
    }
    let _ = locked_ranges(text);
    let _ = parse_smaps_rollup(text).value.transparent_huge();
    let _ = parse_cgroup(text);
    let _ = parse_counters(text);
    let _ = parse_node_memory(text);
    let _ = parse_task_sched(text);
}

fn fixtures() -> Vec<Vec<u8>> {
    fn collect(folder: &std::path::Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, into) } else { into.push(path) }
        }
    }
    let mut paths = Vec::new();
    collect(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"), &mut paths);
    paths.retain(|path| path.extension().is_none_or(|kind| kind != "bin"));
    paths.sort();
    assert!(paths.len() > 100);
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A fixed sequence of positions (xorshift), so that a failure can be repeated.
fn positions(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed | 1), |&x| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 7);
        Some(x ^ (x << 17))
    })
    .skip(1)
}

#[test]
fn no_fixture_cut_at_a_line_or_at_any_of_500_bytes_panics() {
    for (index, bytes) in fixtures().iter().enumerate() {
        let cut = |end: usize| parse_with_all(&String::from_utf8_lossy(&bytes[..end]));
        let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        lines.for_each(|(end, _)| cut(end));
        let length = bytes.len() as u64 + 1;
        for position in positions(index as u64 + 7).take(500) {
            cut((position % length) as usize);
        }
    }
}

proptest! {
    #[test]
    fn unknown_fields_change_nothing(
        name in "[a-z_]{1,12}Zz",
        value in "[ -~]{0,24}",
        place in 0usize..60,
    ) {
        let (root, pid) = polmap("6.12");
        let whole = |file: &str| text(&root, &format!("proc/{pid}/{file}")).unwrap();
        let with = |text: &str, line: &str| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.insert(1 + place % (lines.len() - 1), line);
            lines.join("\n")
        };
        use crate::files::text;
        let line = format!("{name}:\t{value}");
        let status = whole("status");
        prop_assert_eq!(parse_status(&with(&status, &line)), parse_status(&status));
        let rollup = whole("smaps_rollup");
        prop_assert_eq!(parse_smaps_rollup(&with(&rollup, &line)), parse_smaps_rollup(&rollup));
        let sched = whole("sched");
        prop_assert_eq!(parse_task_sched(&with(&sched, &line)), parse_task_sched(&sched));
        let maps = whole("numa_maps").replace(" dirty=", &format!(" {name}=17 {name} dirty="));
        prop_assert_eq!(parse_numa_maps(&maps), parse_numa_maps(&whole("numa_maps")));
    }

    #[test]
    fn damaged_bytes_never_panic(seed in any::<u64>(), noise in prop::collection::vec(any::<u8>(), 1..40)) {
        let (root, pid) = polmap("6.12");
        for file in ["stat", "status", "maps", "numa_maps", "smaps_rollup", "cgroup", "sched"] {
            let mut bytes = root.read(&format!("proc/{pid}/{file}")).unwrap();
            let length = bytes.len() as u64;
            for (position, byte) in positions(seed).zip(&noise) {
                bytes[(position % length) as usize] = *byte;
            }
            parse_with_all(&String::from_utf8_lossy(&bytes));
        }
    }
}
