//! `homenode compare` from outside: every format, determinism, interruption, bad input.

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::assert::OutputAssertExt;
use common::{MACHINE, SMALL, data, homenode, says, stdout};
use predicates::prelude::*;
use serde_json::Value;

/// A comparison that takes a moment.
const SMALL_COMPARE: [&str; 8] =
    ["compare", SMALL, "--machine", MACHINE, "--policies", "mainline,balancenuma", "--seeds", "2"];

#[test]
fn a_table_has_the_rows_of_mmtests() {
    let text = stdout(homenode().args(SMALL_COMPARE));
    for row in ["User", "System", "Elapsed", "CPU", "NUMA hint faults", "balancenuma:delaystart"] {
        assert!(text.contains(row), "{row}:\n{text}");
    }
}

/// Same bytes for any number of threads, and run to run.
#[test]
fn json_is_deterministic() {
    let json = |threads: &str| {
        stdout(homenode().args(SMALL_COMPARE).args(["--format", "json", "--threads", threads]))
    };
    let one = json("1");
    assert_eq!(one, json("2"));
    assert_eq!(one, json("1"));
    let document: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(
        (&document["schema"], &document["version"]),
        (&"homenode.compare".into(), &1.into())
    );
    let rows = document["comparisons"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let regret = document["comparisons"][0]["regret"][0]["cells"][1].clone();
    assert!(regret["regret_bound"].as_f64().unwrap() >= 0.0, "{regret}");
    assert!(rows.iter().all(|row| row["cells"][1].as_array().unwrap().len() == 2));
    homenode_report::Report::from_json(&one).unwrap();
}

#[test]
fn csv_and_html_are_written_to_files() {
    let folder = tempfile::tempdir().unwrap();
    for (format, start) in [("csv", "source,machine,kind"), ("html", "<!DOCTYPE html>")] {
        let file = folder.path().join(format);
        let output = ["--format", format, "--output", file.to_str().unwrap()];
        homenode().args(SMALL_COMPARE).args(output).assert().success().stdout("");
        assert!(fs::read_to_string(&file).unwrap().starts_with(start));
    }
}

/// Explicit flags leave the columns of a table, so that its cells stand beside a quick run.
#[test]
fn published_values_stand_beside_simulated_ones() {
    let args = ["--against", "T000-01", "--policies", "balancenuma:stats", "--format", "json"];
    let machine = ["--machine", "nodes=4 cores=2 memory=4GiB", "--seeds", "1"];
    let assert = homenode().args(["compare", "numa02"]).args(args).args(machine).assert().success();
    let assert = assert.stderr(predicate::str::contains(
        "column `3.7.0-rc6-numacore-20121123` is not simulated yet",
    ));
    let document: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let cells = document["published"].as_array().unwrap();
    assert_eq!(cells.len(), 4);
    let elapsed = cells.iter().find(|cell| cell["cell"]["metric"] == "Elapsed").unwrap();
    assert_eq!(elapsed["published"], 176.41);
    assert_eq!(elapsed["role"], "calibration");
    assert!(document["fidelity"]["calibration_hash"].as_str().unwrap().len() == 16);
}

/// Ctrl-C prints what is finished.
#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_is_finished() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("homenode"))
        .args(["compare", SMALL, "--machine", MACHINE, "--policies", "mainline"])
        .args(["--seeds", "5000", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(2500));
    assert!(child.try_wait().unwrap().is_none(), "over before it could be interrupted");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Elapsed"));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("interrupted: "), "{message}");
}

#[test]
fn mistakes_are_named_with_exit_code_2() {
    let huge = data("huge.toml");
    let broken = data("broken.toml");
    for (args, message) in [
        (&["numa03"][..], "did you mean `numa01`?"),
        (&["--policies", "balancenum"], "did you mean `balancenuma`?"),
        (&["--baseline", "mainlin"], "did you mean `mainline`?"),
        (&["--machine", "r811"], "did you mean `r810`?"),
        (&["--against", "T9"], "no published table `T9`"),
        (&["--seeds", "0"], "0 is not in 1..=10000"),
        (&["--threads", "0"], "0 is not in 1..=1024"),
        (&["--seeds", "many"], "invalid value 'many'"),
        (&["--thp", "maybe"], "possible values: on, off"),
        (&["--machine", "r810", "--from", "/"], "cannot be used with"),
        (&["--machine", "nodes=x"], "column 7 of the machine description"),
        (&["numa01", "--machine", "nodes=2 cores=1 memory=1GiB"], "needs 6 GiB on nodes 0-1"),
        (&["numa02", "numa02"], "workload `numa02` is named twice"),
        (&["--policies", "mainline,mainline"], "policy `mainline` is named twice"),
        (&["nowhere.toml"], "cannot read workload file nowhere.toml"),
        (&["--from", "nowhere"], "cannot read nowhere"),
        (&[&broken], "broken.toml:4: "),
        (&[&huge], "needs 4 TiB on nodes"),
    ] {
        let assert = homenode().arg("compare").args(args).assert();
        assert.code(2).stdout("").stderr(says(message));
    }
}

/// The table exists, but nothing of it can be simulated: nothing is wrong with the command line.
#[test]
fn a_table_without_counterpart_is_not_supported() {
    let assert = homenode().args(["compare", "--against", "T004-05"]).assert();
    assert.code(4).stdout("").stderr(says("3.12.0-rc3-account-v9` is not simulated yet"));
}

#[test]
fn assumed_speed_is_told() {
    let tree = data("numactl.txt");
    let args = ["compare", SMALL, "--from", &tree, "--policies", "mainline", "--seeds", "1"];
    homenode().args(args).assert().success().stderr(says("round numbers are assumed"));
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let args = ["--output", "/nonexistent/report"];
    let assert = homenode().args(SMALL_COMPARE).args(args).assert();
    assert.code(2).stderr(says("cannot write /nonexistent/report"));
}
