use std::path::Path;

use homenode_topology::{Bytes, Machine, Nanos, NodeMask};
use proptest::prelude::*;

use super::{parse, read};
use crate::test_machine::{any, machine, r810};
use crate::{Access, Build, Error, MemoryPolicy, Part, Step, Thread, Workload};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/two-groups.toml");

fn nodes(list: &str) -> NodeMask {
    list.parse().unwrap()
}

fn build(text: &str, machine: &Machine, build: Build) -> Workload {
    parse(Path::new("test.toml"), text, machine, build).unwrap()
}

fn refused(text: &str, kind: Build) -> String {
    let error = parse(Path::new("test.toml"), text, &r810(), kind).unwrap_err();
    assert!(matches!(error, Error::File { .. }));
    error.to_string()
}

fn children(main: &Thread) -> Vec<&Thread> {
    fn child(step: &Step) -> Option<&Thread> {
        if let Step::Spawn(child) = step { Some(child) } else { None }
    }
    main.steps.iter().filter_map(child).collect()
}

/// A process with a region of 1 GiB and 4 threads that take these steps.
fn threads(steps: &str) -> String {
    format!(
        "[[process]]\nname = \"p\"\n[[process.region]]\nname = \"heap\"\nsize = \"1GiB\"\n\
         [[process.thread]]\ncount = 4\nsteps = [\n{steps}\n]\n"
    )
}

#[test]
fn the_example_is_read_for_every_build() {
    let path = Path::new(EXAMPLE);
    let written = read(path, &r810(), Build::AsWritten).unwrap();
    assert_eq!((&*written.name, &*written.row), ("two-groups", "TWO_GROUPS"));
    assert_eq!(written.threads(), 2 + 24 + 12 + 1);
    assert_eq!(written.memory(), Bytes::mib(2048 + 1024 + 64));
    // 1 + 20 * 10 passes over the heap, but for the bytes that 24 slices leave over, one over the
    // tree, 100 over 16 MiB.
    let slices = 24 * u128::from(Bytes::gib(2).0 / 24) * 200;
    let rest = u128::from(Bytes::mib(2048 + 1024 + 1600).0);
    assert_eq!(written.swept(), slices + rest);
    for kind in [Build::HardBind, Build::InverseBind, Build::Interleave] {
        let other = read(path, &r810(), kind).unwrap();
        assert_eq!(other.swept(), written.swept());
    }
}

#[test]
fn the_example_of_the_manual_is_read() {
    let manual = include_str!("../../../../docs/workloads.md");
    let (_, block) = manual.split_once("```toml\n").unwrap();
    let (text, _) = block.split_once("```").unwrap();
    let workload = build(text, &r810(), Build::HardBind);
    assert_eq!((&*workload.name, &*workload.row), ("my-service", "MY_SERVICE"));
    assert_eq!(workload.threads(), 2 * (1 + 24));
}

#[test]
fn bound_builds_bind_the_process_and_the_inverse_takes_the_mirrored_memory() {
    let first_steps = |kind| {
        let workload = read(Path::new(EXAMPLE), &r810(), kind).unwrap();
        workload.processes[0].main.steps[..2].to_vec()
    };
    let bind = |memory| {
        vec![Step::RunOn(nodes("0-1")), Step::SetPolicy(MemoryPolicy::Bind(nodes(memory)))]
    };
    assert_eq!(first_steps(Build::HardBind), bind("0-1"));
    assert_eq!(first_steps(Build::InverseBind), bind("2-3"));
    assert!(matches!(first_steps(Build::AsWritten)[0], Step::Sweep { .. }));
}

#[test]
fn spread_threads_bind_one_node_each() {
    let text =
        threads("{ compute = \"1ms\" }").replace("count = 4", "count = 8\nbind = \"spread\"");
    for (kind, memory) in [(Build::HardBind, [0, 1, 2, 3]), (Build::InverseBind, [3, 2, 1, 0])] {
        let workload = build(&text, &r810(), kind);
        for (i, thread) in children(&workload.processes[0].main).iter().enumerate() {
            let node = |n: usize| nodes(&n.to_string());
            assert_eq!(thread.steps[0], Step::RunOn(node(i / 2)));
            let policy = MemoryPolicy::Bind(node(memory[i / 2]));
            assert_eq!(thread.steps[1], Step::SetPolicy(policy));
        }
    }
    let one_node = build(&text, &machine(&[(0, 0..4, 4)]), Build::HardBind);
    assert_eq!(children(&one_node.processes[0].main)[0].steps.len(), 1);
}

#[test]
fn interleave_builds_replace_the_policy_of_every_region() {
    let workload = read(Path::new(EXAMPLE), &r810(), Build::Interleave).unwrap();
    let mut regions = workload.processes.iter().flat_map(|process| &process.regions);
    assert!(regions.all(|region| region.policy == MemoryPolicy::Interleave(nodes("0-3"))));
}

#[test]
fn every_step_means_what_it_says() {
    let text = threads(
        r#"{ sweep = { region = "heap", access = "read" } },
           { sweep = { region = "heap", part = "slice", passes = 7, access = "clear" } },
           { random = { region = "heap", part = { start = "4KiB", length = "1MiB" }, lines = 9,
                        access = "update", compute = "3us" } },
           { compute = "2s" }, { sleep = "5 ms" },
           { set-policy = "local" }, { set-policy = { preferred = 2 } },
           { set-policy = { migrate-on-fault = { bind = "0,2" } } },
           { run-on = "second-half" },
           { repeat = { times = 2, steps = [{ barrier = { id = 1 } }, { compute = "1ns" }] } }"#,
    );
    let workload = build(&text, &r810(), Build::AsWritten);
    let part = Part { start: Bytes::kib(4), length: Bytes::mib(1) };
    let slice = Part::slice(Bytes::gib(1), 2, 4);
    let sweep = |part, passes, access| Step::Sweep { region: 0, part, passes, access };
    let (compute, access) = (Nanos::micros(3), Access::Update);
    let bound = Box::new(MemoryPolicy::Bind(nodes("0,2")));
    let expected = vec![
        sweep(Part::whole(Bytes::gib(1)), 1, Access::Read),
        sweep(slice, 7, Access::Clear),
        Step::Random { region: 0, part, lines: 9, access, compute },
        Step::Compute(Nanos::secs(2)),
        Step::Sleep(Nanos::millis(5)),
        Step::SetPolicy(MemoryPolicy::Local),
        Step::SetPolicy(MemoryPolicy::Preferred(homenode_topology::NodeId(2))),
        Step::SetPolicy(MemoryPolicy::MigrateOnFault(bound)),
        Step::RunOn(nodes("2-3")),
        Step::Barrier { id: 1, parties: 4 },
        Step::Compute(Nanos(1)),
        Step::Barrier { id: 1, parties: 4 },
        Step::Compute(Nanos(1)),
    ];
    assert_eq!(children(&workload.processes[0].main)[2].steps, expected);
}

#[test]
fn counts_follow_the_machine_and_copies_are_numbered() {
    let text = "[[process]]\nname = \"vm\"\ncount = 2\nfinish = [{ sleep = \"1s\" }]\n\
                [[process.thread]]\ncount = \"cpus/3\"\nsteps = []\n";
    let workload = build(text, &r810(), Build::AsWritten);
    let names: Vec<&str> = workload.processes.iter().map(|process| &*process.name).collect();
    assert_eq!(names, ["vm-1", "vm-2"]);
    assert_eq!(workload.threads(), 2 * (1 + 16));
    assert_eq!(workload.name, "test");
    let main = &workload.processes[0].main;
    assert_eq!(main.steps[16..], [Step::Join, Step::Sleep(Nanos::secs(1))]);
    // Never fewer than one.
    assert_eq!(build(text, &machine(&[(0, 0..2, 1)]), Build::AsWritten).threads(), 4);
}

#[test]
fn bad_files_are_refused_with_line_and_expectation() {
    let written = |text: &str| refused(text, Build::AsWritten);
    let step = |step: &str| written(&threads(step));
    let process = |rest: &str| written(&format!("[[process]]\nname = \"p\"\n{rest}"));
    insta::assert_snapshot!(
        [
            written("name = 3"),
            written("[[process]\n"),
            written("name = \"x\"\n"),
            written("process = []\n"),
            written("\nnaem = \"x\"\nprocess = []\n"),
            process("count = 0"),
            process("count = -1"),
            process("count = \"cpu\""),
            process("count = 5000"),
            process("[[process.region]]\nname = \"a\"\nsize = \"3GB\""),
            process("[[process.region]]\nname = \"a\"\nsize = 4096"),
            process("[[process.region]]\nname = \"a\"\nsize = \"0GiB\""),
            process("[[process.region]]\nname = \"a\"\nsize = \"99999999999TiB\""),
            process("[[process.region]]\nname = \"a\"\nsize = \"65GiB\""),
            process("[[process.region]]\nname = \"a\"\nsize = \"1B\"\npolicy = { bind = \"9\" }"),
            process("[[process.thread]]\ncount = 70000\nsteps = []"),
            process("[[process.thread]]\ncount = 4\nstep = []"),
            step("{ sweeep = { region = \"heap\", access = \"read\" } }"),
            step("{ sweep = { region = \"haep\", access = \"read\" } }"),
            step("{ sweep = { region = \"heap\" } }"),
            step("{ sweep = { region = \"heap\", access = \"rd\" } }"),
            step("{ compute = \"1ms\" },\n{ sweep = { region = \"heap\", part = \"half\", access = \"read\" } }"),
            step("{ sweep = { region = \"heap\", part = { start = \"1GiB\", length = \"1B\" }, access = \"read\" } }"),
            step("{ sweep = { region = \"heap\", part = { start = \"1GiB\", size = \"1B\" }, access = \"read\" } }"),
            step("{ sleep = \"5 minutes\" }"),
            step("{ run-on = \"left\" }"),
            step("{ run-on = \"4\" }"),
            step("{ set-policy = \"bound\" }"),
            step("{ barrier = { id = 0, parties = 3 } }"),
            step("{ barrier = { id = 0, parties = 0 } }"),
            step("{ repeat = { times = 0, steps = [{ sleep = \"1s\" }] } }"),
            step("{ repeat = { times = 4000000000, steps = [] } }"),
            step("{ repeat = { times = 4000000000, steps = [{ sleep = \"1s\" }] } }"),
            refused(&threads(""), Build::HardBind),
        ]
        .join("\n"),
        @r#"
    test.toml:1: invalid type: integer `3`, expected a string
    test.toml:1: unclosed array table, expected `]`
    test.toml:1: missing field `process`
    test.toml:1: test: workload: has no process, expected at least one
    test.toml:2: unknown field `naem`, expected one of `name`, `row`, `process`
    test.toml:3: invalid value: integer `0`, expected a number of at least 1, "cpus" or, for example, "cpus/2"
    test.toml:3: invalid value: integer `-1`, expected a number of at least 1, "cpus" or, for example, "cpus/2"
    test.toml:3: invalid value: string "cpu", expected a number of at least 1, "cpus" or, for example, "cpus/2"
    test.toml:3: count is 5000, expected 1 to 1024
    test.toml:5: invalid value: string "3GB", expected a size such as "3GiB" (B, KiB, MiB, GiB, TiB)
    test.toml:5: invalid value: integer `4096`, expected a size such as "3GiB" (B, KiB, MiB, GiB, TiB)
    test.toml:5: size is 0 B, expected 1 B to 1024 TiB
    test.toml:5: invalid value: string "99999999999TiB", expected a size such as "3GiB" (B, KiB, MiB, GiB, TiB)
    test.toml:1: test: machine `test`: needs 65 GiB on nodes 0-3, which have 64 GiB
    test.toml:6: names nodes 9, which do not exist; the machine has 0-3
    test.toml:4: count is 70000, expected 1 to 65536
    test.toml:5: unknown field `step`, expected one of `count`, `bind`, `steps`
    test.toml:9: unknown variant `sweeep`, expected one of `sweep`, `random`, `compute`, `sleep`, `set-policy`, `run-on`, `barrier`, `repeat`
    test.toml:9: there is no region `haep`, expected one of: heap
    test.toml:9: missing field `access`
    test.toml:9: unknown variant `rd`, expected one of `clear`, `write`, `read`, `update`
    test.toml:10: invalid value: string "half", expected "whole", "slice" or { start = "0B", length = "1GiB" }
    test.toml:9: reaches to byte 1073741825 of region `heap`, which has 1073741824
    test.toml:9: unknown field `size`, expected `start` or `length`
    test.toml:9: invalid value: string "5 minutes", expected a time such as "5ms" (ns, us, ms, s)
    test.toml:9: invalid value: string "left", expected "all", "first-half", "second-half", "spread" or a list of nodes such as "0-1,4"
    test.toml:9: names nodes 4, which do not exist; the machine has 0-3
    test.toml:9: unknown variant `bound`, expected one of `default`, `local`, `bind`, `interleave`, `preferred`, `migrate-on-fault`
    test.toml:1: process `p`, barrier 0: can never be met: 1 of 3 parties wait there and no other comes
    test.toml:9: is a barrier of 0 parties, expected at least 1
    test.toml:9: repeats nothing, expected times = 1 or more and steps
    test.toml:9: repeats nothing, expected times = 1 or more and steps
    test.toml:9: the threads of the workload have more than 1000000 steps together, expected fewer processes, threads or repeats
    test.toml:1: the bound builds need `bind` in a process or a thread group, for example bind = "spread"
    "#
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = read(Path::new("/nowhere.toml"), &r810(), Build::AsWritten).unwrap_err();
    assert!(error.to_string().starts_with("cannot read workload file /nowhere.toml: "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_example_can_run_on_every_machine(machine in any()) {
        for kind in [Build::AsWritten, Build::HardBind, Build::InverseBind, Build::Interleave] {
            let workload = read(Path::new(EXAMPLE), &machine, kind);
            prop_assert!(workload.is_ok(), "{:?}", workload);
            workload.unwrap().check(&machine).unwrap();
        }
    }

    #[test]
    fn no_text_makes_it_panic(at in 0_usize..2000, with in "[a-z0-9\"{}=,\\[\\]. \n-]{0,6}") {
        let mut text = std::fs::read_to_string(EXAMPLE).unwrap();
        let at = at.min(text.len());
        text.replace_range(at..(at + with.len()).min(text.len()), &with);
        let _ = parse(Path::new("t.toml"), &text, &r810(), Build::HardBind);
    }
}
