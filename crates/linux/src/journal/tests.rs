//! Journals: written, cut, damaged, stale; and the way back.

use proptest::prelude::*;

use super::*;
use crate::fake::{FakeKernel, FakeVma};
use crate::{Bytes, CpuMask, Error, Identity, Kernel, NodeId, Pid, TaskId, Tid};

const PID: Pid = Pid(100);

fn kernel() -> (FakeKernel, Identity, TaskId) {
    let kernel = FakeKernel::new(2, 2, Bytes::mib(64));
    let process = {
        let mut state = kernel.state();
        let process = state.spawn(PID, 2, 50);
        process.map(FakeVma::anonymous(0x10000..0x14000), NodeId(0));
        Identity { pid: PID, start: 50 }
    };
    (kernel, process, TaskId { process, tid: Tid(101), start: 50 })
}

fn mask(list: &str) -> CpuMask {
    list.parse().unwrap()
}

/// The journal of a mask and three pages, with both acts done.
fn acted() -> (FakeKernel, Vec<u8>) {
    let (kernel, process, task) = kernel();
    let store = MemoryStore::default();
    let mut journal = Journal::new(&kernel, store.clone()).unwrap();
    let space = process.mark(&kernel).unwrap();
    journal.before(vec![Record::Mask { task, before: mask("0-3"), after: mask("2-3") }]).unwrap();
    kernel.set_affinity(task.tid, &mask("2-3")).unwrap();
    let pages = vec![PageRun { start: 0x10000, count: 3, huge: false }];
    journal
        .before(vec![Record::Pages { process, space, from: NodeId(0), to: NodeId(1), pages }])
        .unwrap();
    kernel.move_pages(PID, &[0x10000, 0x11000, 0x12000], &[NodeId(1); 3]).unwrap();
    (kernel, store.bytes())
}

fn undone(kernel: &FakeKernel, bytes: &[u8]) -> crate::Result<UndoReport> {
    undo(kernel, "test", &read_journal(bytes), UndoOptions::default())
}

fn is_as_before(kernel: &FakeKernel) -> bool {
    let state = kernel.state();
    let process = &state.processes[&PID];
    process.pages.values().all(|node| *node == NodeId(0))
        && process.threads.values().all(|thread| thread.mask == mask("0-3"))
}

#[test]
fn lines_are_a_checksum_and_json() {
    let (_, bytes) = acted();
    let text = String::from_utf8(bytes).unwrap();
    // The first line holds the number of this very process.
    let (header, records) = text.split_once('\n').unwrap();
    assert!(
        header.contains(r#""header":{"version":1,"boot":"11111111-2222-3333-4444-555555555555""#)
    );
    insta::assert_snapshot!(records, @r#"
    783b1529 {"seq":1,"record":{"mask":{"task":{"process":{"pid":100,"start":50},"tid":101,"start":50},"before":"0-3","after":"2-3"}}}
    12e9382b {"seq":2,"record":{"pages":{"process":{"pid":100,"start":50},"space":140668769083392,"from":0,"to":1,"pages":[{"start":65536,"count":3}]}}}
    "#);
}

#[test]
fn undo_restores_masks_and_pages_and_may_be_repeated() {
    let (kernel, bytes) = acted();
    assert!(!is_as_before(&kernel));
    let report = undone(&kernel, &bytes).unwrap();
    assert_eq!((report.masks, report.pages), (1, 3));
    assert_eq!(report.not_restored, []);
    assert!(is_as_before(&kernel));
    let again = undone(&kernel, &bytes).unwrap();
    assert_eq!((again.masks_already, again.pages_already), (1, 3));
    assert_eq!((again.masks, again.pages), (0, 0));
}

#[test]
fn a_settled_journal_is_not_followed() {
    let (kernel, bytes) = acted();
    let mut store = MemoryStore::default();
    store.append(&bytes, true).unwrap();
    store.append(b"0badc0de {\"half\":", true).unwrap();
    let torn = read_journal(&store.bytes());
    assert!(torn.torn);
    settle(&mut store, &torn).unwrap();
    let reading = read_journal(&store.bytes());
    assert!(reading.is_settled() && !reading.torn && reading.damage.is_none());
    undone(&kernel, &store.bytes()).unwrap();
    assert!(!is_as_before(&kernel));
}

#[test]
fn a_record_cut_off_anywhere_is_no_damage_and_its_act_did_not_happen() {
    let (_, bytes) = acted();
    let header = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for end in header..bytes.len() {
        let reading = read_journal(&bytes[..end]);
        assert_eq!(reading.damage, None, "cut at {end}");
        assert!(reading.header.is_some());
    }
    // Before the header is whole, nothing was done either; undo says what the file is.
    let (kernel, ..) = kernel();
    assert!(undone(&kernel, &bytes[..header / 2]).is_err());
}

#[test]
fn damage_in_the_middle_is_told_and_followed_on_demand_only() {
    let (kernel, mut bytes) = acted();
    let second = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 30;
    bytes[second] ^= 1;
    let error = undone(&kernel, &bytes).unwrap_err();
    assert!(matches!(error, Error::Journal { line: 2, .. }), "{error}");
    assert!(!is_as_before(&kernel));
    let report =
        undo(&kernel, "test", &read_journal(&bytes), UndoOptions { damaged: true }).unwrap();
    // The record of the pages is whole but comes after the damage: where they were before is not certain.
    assert_eq!(report.pages, 0);
    assert_eq!(
        report.not_restored,
        [NotRestored::Pages {
            process: Identity { pid: PID, start: 50 },
            node: NodeId(0),
            count: 3,
            why: Why::Uncertain
        }]
    );
}

#[test]
fn a_lost_line_is_damage() {
    let (_, bytes) = acted();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let reading = read_journal(&[lines[0], lines[2]].concat());
    assert_eq!(reading.damage.unwrap().line, 2);
    assert_eq!(read_journal(&[lines[1], lines[2]].concat()).damage.unwrap().line, 1);
}

#[test]
fn journals_of_another_boot_version_or_kind_are_refused() {
    let (kernel, bytes) = acted();
    kernel.state().files.insert("proc/sys/kernel/random/boot_id".into(), b"other\n".to_vec());
    let error = undone(&kernel, &bytes).unwrap_err().to_string();
    assert!(error.contains("before the last boot"), "{error}");
    assert!(undone(&kernel, b"ELF\nnonsense\n").is_err());
    assert!(undone(&kernel, b"").is_err());
    assert!(!is_as_before(&kernel));
}

#[test]
fn a_journal_that_is_still_written_is_left_alone() {
    let (kernel, process, _) = kernel();
    let store = MemoryStore::default();
    drop(Journal::new(&kernel, store.clone()).unwrap());
    let mut reading = read_journal(&store.bytes());
    reading.header.as_mut().unwrap().tool = process;
    let error = undo(&kernel, "test", &reading, UndoOptions::default()).unwrap_err();
    assert!(error.to_string().contains("still writing"), "{error}");
}

#[test]
fn a_number_that_belongs_to_another_process_is_not_touched() {
    let (kernel, bytes) = acted();
    {
        let mut state = kernel.state();
        let pages = state.processes[&PID].pages.clone();
        let vmas = state.processes[&PID].vmas.clone();
        let process = state.spawn(PID, 2, 99);
        (process.pages, process.vmas) = (pages, vmas);
        process.threads.get_mut(&Tid(101)).unwrap().mask = mask("2-3");
        state.acts.clear();
    }
    let report = undone(&kernel, &bytes).unwrap();
    assert_eq!((report.masks, report.pages), (0, 0));
    assert_eq!(report.not_restored.len(), 2);
    assert!(kernel.state().acts.is_empty());
}

#[test]
fn memory_of_another_program_is_not_moved() {
    let (kernel, bytes) = acted();
    kernel.state().processes.get_mut(&PID).unwrap().stack += 0x5000;
    let report = undone(&kernel, &bytes).unwrap();
    assert_eq!((report.masks, report.pages), (1, 0));
    assert!(matches!(
        report.not_restored[..],
        [NotRestored::Pages { why: Why::Exec, count: 3, .. }]
    ));
}

#[test]
fn what_others_changed_meanwhile_stays() {
    let (kernel, bytes) = acted();
    kernel.set_affinity(Tid(101), &mask("1")).unwrap();
    kernel.state().processes.get_mut(&PID).unwrap().pages.remove(&0x10000);
    let report = undone(&kernel, &bytes).unwrap();
    assert_eq!((report.masks, report.pages), (0, 2));
    let whys: Vec<Why> = report
        .not_restored
        .iter()
        .map(|item| match item {
            NotRestored::Mask { why, .. }
            | NotRestored::Pages { why, .. }
            | NotRestored::Frozen { why, .. } => why.clone(),
        })
        .collect();
    assert_eq!(whys, [Why::ChangedByOthers, Why::NotPresent]);
}

#[test]
fn a_mask_that_a_cpuset_narrowed_is_still_ours() {
    let (kernel, bytes) = acted();
    {
        let mut state = kernel.state();
        state.processes.get_mut(&PID).unwrap().cpus = mask("0-2");
        state.files.insert("sys/fs/cgroup/cpuset.cpus.effective".into(), b"0-2\n".to_vec());
    }
    assert_eq!(undone(&kernel, &bytes).unwrap().masks, 1);
    assert!(is_as_before(&kernel));
}

#[test]
fn a_process_that_was_frozen_when_the_tool_died_runs_again() {
    let (kernel, process, _) = kernel();
    let store = MemoryStore::default();
    let mut journal = Journal::new(&kernel, store.clone()).unwrap();
    journal.before(vec![Record::Freeze { process, how: FreezeHow::Signal }]).unwrap();
    kernel.signal(PID, crate::Signal::Stop).unwrap();
    assert_eq!(undone(&kernel, &store.bytes()).unwrap().thawed, 1);
    assert!(!kernel.state().processes[&PID].stopped);
}

#[test]
fn a_full_disk_stops_all_acts() {
    let (kernel, process, _) = kernel();
    let store = MemoryStore::with_limit(300);
    let mut journal = Journal::new(&kernel, store.clone()).unwrap();
    let record = || vec![Record::Thaw { process }];
    let failures = (0..20).filter(|_| journal.before(record()).is_err()).count();
    assert!(failures > 10);
    assert_eq!(read_journal(&store.bytes()).damage, None);
}

#[test]
fn files_are_created_once_and_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let kernel = crate::RealKernel::new();
    let (mut journal, path) = Journal::create(&kernel, folder.path()).unwrap();
    assert!(Journal::create(&kernel, folder.path()).is_err());
    let me = Identity::of(&kernel, Pid(i32::try_from(std::process::id()).unwrap())).unwrap();
    journal.before(vec![Record::Thaw { process: me }]).unwrap();
    let reading = read_journal(&std::fs::read(&path).unwrap());
    assert_eq!(reading.header.unwrap().tool, me);
    assert_eq!(reading.entries.len(), 1);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn runs_cover_pages_in_order() {
    let pages = [
        (0x1000, false),
        (0x2000, false),
        (0x20_0000, true),
        (0x40_0000, true),
        (0x60_0000, false),
    ];
    let runs = PageRun::of(&pages);
    assert_eq!(runs.iter().map(|run| run.count).collect::<Vec<_>>(), [2, 2, 1]);
    let back: Vec<(u64, bool)> =
        runs.iter().flat_map(|run| run.addresses().map(|address| (address, run.huge))).collect();
    assert_eq!(back, pages);
    assert_eq!(PageRun { start: u64::MAX - 5, count: u64::MAX, huge: true }.addresses().count(), 1);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        flips in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6),
    ) {
        let _ = read_journal(&bytes);
        let (kernel, mut journal) = acted();
        for (place, value) in flips {
            let place = place % journal.len();
            journal[place] = value;
        }
        let reading = read_journal(&journal);
        let options = UndoOptions { damaged: true };
        if let Ok(report) = undo(&kernel, "test", &reading, options) {
            prop_assert!(report.masks <= 1 && report.pages <= 3);
        }
        // Whatever the damage was, nothing went anywhere but back.
        let state = kernel.state();
        let process = &state.processes[&PID];
        prop_assert!(process.threads[&Tid(100)].mask == mask("0-3"));
        prop_assert!([mask("0-3"), mask("2-3")].contains(&process.threads[&Tid(101)].mask));
    }
}
