//! `homenode status`, `doctor` and `undo` from outside: on captured machines and on this one.
// Clippy knows test functions by their attribute only; here every function serves a test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use common::{homenode, says, stdout};
use homenode_linux::journal::{FileStore, Journal, Record};
use homenode_linux::{CpuMask, Identity, Kernel, Pid, RealKernel, Root, TaskId};
use predicates::prelude::*;
use serde_json::Value;

fn tree(name: &str) -> String {
    format!("{}/../linux/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn json(command: &mut Command) -> Value {
    let output = command.args(["--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_captured_process_is_judged_by_placement() {
    let tree = tree("linux-6.12-4node");
    let text = stdout(homenode().args(["status", "703", "--root", &tree]));
    for part in [
        "703 wl: 9 threads, 14.39 s of CPU time",
        "72 % of its CPU time is on N3 while 74 % of its memory lies on N0-2",
        "kernel balancer: 2 passes over its memory, 4518 pages moved",
        "local: by placement",
        "3 of 9 threads could be read",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let document = json(homenode().args(["status", "--root", &tree]));
    assert_eq!(document["schema"], "homenode.status");
    assert_eq!((&document["version"], &document["local_by"]), (&1.into(), &"placement".into()));
    let pids: Vec<&Value> =
        document["processes"].as_array().unwrap().iter().map(|p| &p["pid"]).collect();
    assert_eq!(pids, [649, 703]);
}

#[test]
fn processes_that_do_not_exist_are_named_beside_the_others() {
    let tree = tree("linux-6.1-4node");
    homenode().args(["status", "9", "--root", &tree]).assert().code(2).stderr(says("no process 9"));
    let both = homenode().args(["status", "9", "640", "--root", &tree]).assert().code(5);
    both.stdout(says("640 wl")).stderr(says("no process 9"));
}

#[test]
fn this_process_is_seen() {
    let own = std::process::id().to_string();
    let output = homenode().args(["status", &own]).output().unwrap();
    // 4: no node tree; 5: no numa_maps. Both say so.
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            assert!(text.contains(&format!("{own} ")) && text.contains("resident"), "{text}");
        }
        Some(4 | 5) => assert!(text.contains("cannot") || text.contains("node"), "{text}"),
        other => panic!("{other:?}: {text}"),
    }
}

#[test]
fn findings_of_a_captured_machine_come_with_commands() {
    let tree = tree("linux-6.1-4node");
    let text = homenode().args(["doctor", "--root", &tree]).assert().code(1);
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    for part in [
        "kernel 6.1.0-57-amd64; 4 nodes, N0-3",
        "perf-paranoid: kernel.perf_event_paranoid is 3",
        "$ sysctl kernel.perf_event_paranoid=2",
        "kernel-balancer",
        "samplers and movers were not tried",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let document = json(homenode().args(["doctor", "--root", &tree]));
    assert_eq!((&document["schema"], &document["version"]), (&"homenode.doctor".into(), &1.into()));
    for finding in document["findings"].as_array().unwrap() {
        assert!(finding["severity"] == "info" || finding["command"].is_string(), "{finding}");
    }
    homenode().args(["doctor", "--root", "/dev"]).assert().code(2);
}

#[test]
fn samplers_and_movers_are_tried_on_this_machine() {
    let output = homenode().args(["doctor", "--format", "json"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!document["samplers"].as_array().unwrap().is_empty());
    let movers = document["movers"].as_array().unwrap();
    assert!(movers.iter().any(|mover| mover["name"] == "threads"));
}

/// A process that sleeps, ended when this is dropped.
struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap())
    }

    fn task(&self) -> TaskId {
        let process = Identity::of(&RealKernel::new(), self.pid()).unwrap();
        TaskId { process, tid: process.pid.leader(), start: process.start }
    }

    fn pid(&self) -> Pid {
        Pid(i32::try_from(self.0.id()).unwrap())
    }

    fn mask(&self) -> CpuMask {
        RealKernel::new().affinity(self.pid().leader()).unwrap()
    }
}

/// Writes a journal of a program that has ended, and does what it says.
fn journal(folder: &Path, task: TaskId, before: &CpuMask, after: &CpuMask) -> PathBuf {
    // A tree that knows the boot but not this process.
    let boot = "proc/sys/kernel/random/boot_id";
    fs::create_dir_all(folder.join("proc/sys/kernel/random")).unwrap();
    fs::copy(Path::new("/").join(boot), folder.join(boot)).unwrap();
    let path = folder.join("homenode/1-1.journal");
    fs::create_dir_all(folder.join("homenode")).unwrap();
    let store = FileStore::create(&path).unwrap();
    let mut journal = Journal::new(&Root::new(folder), store).unwrap();
    let record = Record::Mask { task, before: before.clone(), after: after.clone() };
    journal.before(vec![record]).unwrap();
    RealKernel::new().set_affinity(task.tid, after).unwrap();
    path
}

#[test]
fn masks_are_given_back() {
    let sleeper = Sleeper::start();
    let before = sleeper.mask();
    let after: CpuMask = before.iter().take(1).collect();
    if before == after {
        eprintln!("skipped: needs two CPUs");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), sleeper.task(), &before, &after);
    let undo = || {
        let mut command = homenode();
        command.arg("undo").env("XDG_STATE_HOME", folder.path());
        command
    };
    assert!(stdout(undo().arg("--dry-run")).contains("would restore CPUs of 1 threads"));
    assert_eq!(sleeper.mask(), after);
    assert!(stdout(&mut undo()).contains("restored CPUs of 1 threads"));
    assert_eq!(sleeper.mask(), before);
    undo().assert().success().stderr(says("no journal"));

    // What somebody else set since is kept.
    fs::remove_file(&path).unwrap();
    journal(folder.path(), sleeper.task(), &before, &after);
    let others: CpuMask = before.iter().skip(1).take(1).collect();
    RealKernel::new().set_affinity(sleeper.pid().leader(), &others).unwrap();
    undo().assert().code(5).stdout(says("somebody else changed it since"));
    assert_eq!(sleeper.mask(), others);
}

#[test]
fn what_has_ended_needs_no_undoing() {
    let sleeper = Sleeper::start();
    let (task, mask) = (sleeper.task(), sleeper.mask());
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), task, &mask, &mask);
    drop(sleeper);
    assert!(stdout(homenode().arg("undo").arg(&path)).contains("it ended"));
}

#[test]
fn journals_that_may_not_be_followed_say_why() {
    let sleeper = Sleeper::start();
    let mask = sleeper.mask();
    let folder = tempfile::tempdir().unwrap();
    let path = journal(folder.path(), sleeper.task(), &mask, &mask);
    let whole = fs::read_to_string(&path).unwrap();
    let undo = || {
        let mut command = homenode();
        command.arg("undo").arg(&path);
        command
    };

    let mut lines = whole.lines();
    let (head, record) = (lines.next().unwrap(), lines.next().unwrap());
    fs::write(&path, format!("{head}\n{}\n", record.replace("before", "befOre"))).unwrap();
    undo().assert().code(2).stderr(says("checksum").and(says("--damaged")));
    undo().arg("--damaged").assert().success();

    fs::write(&path, "no journal\n").unwrap();
    undo().assert().code(2).stderr(says("no header"));
    fs::remove_file(&path).unwrap();
    undo().assert().code(2).stderr(says("cannot read"));
}
