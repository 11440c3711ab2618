//! `homenode sim`: one run over time.

use std::io::{self, BufWriter, Write};

use homenode_balance::{Launch, tree};
use homenode_sim::{Calibration, Decision, RunResult, Setup, Witness};
use homenode_topology::Machine;
use homenode_workload::Workload;
use serde::Serialize;

use crate::args::{SimArgs, SimFormat};
use crate::experiment::TIME_LIMIT;
use crate::explain::Line;
use crate::workload::Choice;
use crate::{Error, Exit, machine, output};

mod table;

/// The machine that is simulated if none is named.
const MACHINE: &str = "r810";
/// Schema of the JSON document.
const SCHEMA: &str = "homenode.sim";

/// Its version.
const VERSION: u32 = 1;

/// A run as JSON.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    machine: &'a str,
    thp: bool,
    calibration_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<&'a Vec<Decision>>,
    result: &'a RunResult,
}

/// A line of JSON lines: decisions as they are made, then the run.
#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
enum Record<'a> {
    Decision(&'a Decision),
    Run(&'a Document<'a>),
}

pub(super) fn run(args: &SimArgs) -> Result<Exit, Error> {
    let calibration = Calibration::shipped()?;
    let machine = match machine::asked(&args.machine, &calibration)? {
        Some(machine) => machine,
        None => machine::preset(MACHINE, &calibration)?,
    };
    let policy = tree::build(&args.policy, &machine)?;
    let workload = workload(args, &machine, policy.rules().launch)?;
    let setup = Setup {
        machine: &machine,
        workload: &workload,
        calibration: &calibration,
        seed: args.seed,
        thp: args.thp.is_on(),
        time_limit: TIME_LIMIT,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut decisions: Vec<Decision> = Vec::new();
    let mut written = Ok(());
    let mut note = |decision: &Decision| {
        if written.is_ok() {
            written = match args.format {
                SimFormat::Table => writeln!(out, "{}", Line(decision)),
                SimFormat::Jsonl => line(&mut out, &Record::Decision(decision)),
                SimFormat::Json => {
                    decisions.push(decision.clone());
                    Ok(())
                }
            };
        }
    };
    let witness: Option<Witness<'_>> = if args.explain { Some(&mut note) } else { None };
    let result = homenode_sim::run(&setup, policy, witness)?;
    let document = Document {
        schema: SCHEMA,
        version: VERSION,
        machine: &machine.name,
        thp: setup.thp,
        calibration_hash: Calibration::hash(),
        decisions: (args.explain && args.format == SimFormat::Json).then_some(&decisions),
        result: &result,
    };
    written
        .and_then(|()| match args.format {
            SimFormat::Table => out.write_all(table::text(&machine, &document).as_bytes()),
            SimFormat::Json => serde_json::to_writer_pretty(&mut out, &document)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n")),
            SimFormat::Jsonl => line(&mut out, &Record::Run(&document)),
        })
        .and_then(|()| out.flush())
        .map_err(output::to_stdout)?;
    Ok(Exit::Done)
}

/// The workload, which must be one.
fn workload(args: &SimArgs, machine: &Machine, launch: Launch) -> Result<Workload, Error> {
    match &Choice::named(&args.workload)?[..] {
        [one] => one.build(machine, launch, args.seed),
        several => {
            let names: Vec<String> = several.iter().map(Choice::name).collect();
            Err(Error::Usage(format!(
                "`{}` is several workloads; simulate one of them: {}",
                args.workload,
                names.join(", ")
            )))
        }
    }
}

fn line(out: &mut impl Write, record: &Record<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}
