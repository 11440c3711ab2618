//! The transcripts in `tests/cmd`: what a user types and reads.

mod common;

use assert_cmd::assert::OutputAssertExt;
use common::homenode;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn this_machine_has_a_topology() {
    let assert = homenode().arg("topo").assert();
    // A system without the files is named as such.
    assert!(matches!(assert.get_output().status.code(), Some(0 | 4)));
}

#[test]
fn colour_is_left_out_where_it_is_not_wanted() {
    let output = homenode()
        .arg("--bogus")
        .env("NO_COLOR", "1")
        .env("TERM", "xterm-256color")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.contains(&0x1b));
}
