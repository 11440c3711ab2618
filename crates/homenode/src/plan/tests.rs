use super::*;
use crate::args::MachineArgs;

fn made(args: &CompareArgs) -> Result<(Vec<Plan>, Vec<String>), Error> {
    plans(args, &Context::load().unwrap())
}

fn on(machine: &str) -> CompareArgs {
    CompareArgs {
        machine: MachineArgs { machine: Some(machine.to_owned()), from: None },
        seeds: 1,
        ..CompareArgs::default()
    }
}

fn refused(args: &CompareArgs) -> String {
    made(args).unwrap_err().to_string()
}

#[test]
fn the_default_is_what_was_published() {
    let (plans, notes) = made(&CompareArgs { seeds: 3, ..CompareArgs::default() }).unwrap();
    let [r810, opteron] = &plans[..] else { panic!("{plans:?}") };
    assert_eq!(r810.policies.len(), tree::all().len());
    assert_eq!(r810.policies[0], "balancenuma:stats");
    assert_eq!(r810.tables, ["T000-01", "T000-02", "T000-03"]);
    assert_eq!(opteron.policies, ["mainline", "hard-bind"]);
    assert_eq!(opteron.tables, ["T001-02", "T001-03", "T001-04", "T001-05"]);
    assert_eq!((r810.workloads.len(), r810.seeds, r810.edition), (4, 3, Edition::Y2012));
    assert!(notes.is_empty());
}

#[test]
fn flags_override_a_published_table() {
    let args = CompareArgs {
        workloads: vec!["numa02".to_owned()],
        policies: Some(vec!["mainline".to_owned(), "balancenuma".to_owned()]),
        against: Some("T000".to_owned()),
        ..on("nodes=2 cores=2 memory=8GiB")
    };
    let (plans, notes) = made(&args).unwrap();
    assert_eq!(plans[0].machine.nodes.len(), 2);
    assert_eq!(plans[0].policies, ["mainline", "balancenuma:delaystart"]);
    assert_eq!(plans[0].tables, ["T000-01"]);
    assert!(!notes.is_empty());
}

#[test]
fn the_baseline_is_the_first_column() {
    let args = CompareArgs { baseline: Some("hard-bind".to_owned()), ..on("opteron-32") };
    assert_eq!(made(&args).unwrap().0[0].policies, ["hard-bind", "mainline"]);
    let args = CompareArgs { baseline: Some("interleave".to_owned()), ..on("opteron-32") };
    assert_eq!(made(&args).unwrap().0[0].policies, ["interleave", "mainline", "hard-bind"]);
}

#[test]
fn a_machine_that_was_not_published_has_no_tables_beside_it() {
    let (plans, _) = made(&on("nodes=2 cores=2 memory=8GiB")).unwrap();
    assert!(plans[0].tables.is_empty());
    assert_eq!(plans[0].policies[0], "mainline");
}

#[test]
fn without_huge_pages_nothing_published_is_alike() {
    let args = CompareArgs { thp: crate::args::Thp::Off, ..on("r810") };
    assert!(made(&args).unwrap().0[0].tables.is_empty());
}

#[test]
fn names_are_checked() {
    let with = |policies: &[&str]| CompareArgs {
        policies: Some(policies.iter().map(ToString::to_string).collect()),
        ..on("r810")
    };
    assert!(refused(&with(&["mainlin"])).contains("did you mean `mainline`?"));
    assert!(refused(&with(&["balancenuma", "balancenuma:delaystart"])).contains("named twice"));
    assert!(refused(&on("r81")).contains("did you mean `r810`?"));
    let twice = CompareArgs {
        workloads: vec!["autonumabench".to_owned(), "numa02".to_owned()],
        ..on("r810")
    };
    assert!(refused(&twice).contains("`numa02` is named twice"));
}
