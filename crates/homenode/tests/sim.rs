//! `homenode sim` from outside.

mod common;

use std::io::Read;
use std::process::Stdio;

use assert_cmd::assert::OutputAssertExt;
use common::{MACHINE, SMALL, homenode, says, stdout};
use serde_json::Value;

const RUN: [&str; 6] = ["sim", SMALL, "--machine", MACHINE, "--policy", "balancenuma"];

#[test]
fn a_run_is_shown_over_time() {
    let text = stdout(homenode().args(RUN));
    let head = format!("small under balancenuma:delaystart on {MACHINE}, seed 0, THP on\n");
    assert!(text.starts_with(&head), "{text}");
    for part in ["elapsed ", "bounce rate", "memory at the end", "numa_hint_faults", "N1 load"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(!text.contains("scan period"), "decisions only where asked for");
}

#[test]
fn decisions_come_with_reasons() {
    let text = stdout(homenode().args(RUN).arg("--explain"));
    assert!(text.contains("scan process 0 from page 0"), "{text}");
    assert!(text.contains("scan period of 100 ms ran out"), "{text}");
    assert!(text.contains("hold: "), "{text}");
}

#[test]
fn json_holds_the_run_and_the_decisions() {
    let explained = stdout(homenode().args(RUN).args(["--format", "json", "--explain"]));
    let document: Value = serde_json::from_str(&explained).unwrap();
    assert_eq!((&document["schema"], &document["version"]), (&"homenode.sim".into(), &1.into()));
    assert_eq!(document["result"]["policy"], "balancenuma:delaystart");
    assert!(!document["decisions"].as_array().unwrap().is_empty());
    assert!(!document["result"]["timeline"].as_array().unwrap().is_empty());
    let plain: Value =
        serde_json::from_str(&stdout(homenode().args(RUN).args(["--format", "json"]))).unwrap();
    assert!(plain.get("decisions").is_none());
    assert_eq!(plain["result"], document["result"], "explaining changes nothing");
}

#[test]
fn json_lines_are_objects_that_say_what_they_are() {
    let text = stdout(homenode().args(RUN).args(["--format", "jsonl", "--explain"]));
    let kinds: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().into())
        .collect();
    assert_eq!(kinds.last().map(String::as_str), Some("run"));
    assert!(kinds[..kinds.len() - 1].iter().all(|kind| kind == "decision") && kinds.len() > 1);
}

/// Huge pages move whole; with base pages more is counted.
#[test]
fn base_pages_are_simulated_too() {
    let faults = |thp: &str| {
        let text = stdout(homenode().args(RUN).args(["--format", "json", "--thp", thp]));
        let document: Value = serde_json::from_str(&text).unwrap();
        document["result"]["counters"]["pgfault"].as_u64().unwrap()
    };
    assert_eq!((faults("on"), faults("off")), (32, 16384));
}

#[test]
fn mistakes_are_named_with_exit_code_2() {
    for (args, message) in [
        (&["autonumabench"][..], "is several workloads; simulate one of them: numa01, "),
        (&["numa1"], "did you mean `numa01`?"),
        (&["numa01", "--policy", "x"], "there is no policy `x`"),
        (&["numa01", "--seed", "-1"], "unexpected argument"),
        (&[], "required arguments were not provided"),
    ] {
        homenode().arg("sim").args(args).assert().code(2).stdout("").stderr(says(message));
    }
}

/// Somebody who has read enough, such as `head`, is no failure.
#[test]
fn a_closed_pipe_is_success() {
    let mut child = homenode()
        .args(RUN)
        .arg("--explain")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
