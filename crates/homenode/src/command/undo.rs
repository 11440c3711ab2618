//! `homenode undo`: takes back what a run changed, as its journal tells.

use std::path::PathBuf;

use homenode_linux::journal::{
    FileStore, NotRestored, Reading, UndoOptions, UndoReport, Why, settle, undo,
};
use homenode_linux::{Kernel, RealKernel, Rehearsal};
use serde_json::{Value, json};

use crate::args::{ListFormat, UndoArgs};
use crate::exit::is_permission;
use crate::{Error, Exit, journals, output};

pub(super) fn run(args: &UndoArgs) -> Result<Exit, Error> {
    let Some((path, reading)) = journal(args)? else {
        let folder = journals::folder()?;
        output::note(format!("no journal in {} has anything to undo", folder.display()));
        return Ok(Exit::Done);
    };
    let name = path.display().to_string();
    let kernel = RealKernel::new();
    let report = if args.dry_run {
        follow(&Rehearsal(&kernel), &name, &reading, args)?
    } else {
        let report = follow(&kernel, &name, &reading, args)?;
        // What may still succeed later keeps the journal open.
        if !reading.is_settled() && report.not_restored.iter().all(|left| is_final(why(left))) {
            settle(&mut FileStore::open(&path)?, &reading)?;
        }
        report
    };
    let text = match args.format {
        ListFormat::Table => table(&name, &report, args.dry_run),
        ListFormat::Json => output::json(&document(&name, &report, args.dry_run))?,
    };
    output::print(&text)?;
    Ok(exit(&report))
}

/// The journal that is meant; none if none needs undoing.
fn journal(args: &UndoArgs) -> Result<Option<(PathBuf, Reading)>, Error> {
    match &args.journal {
        Some(path) => Ok(Some((path.clone(), journals::read(path)?))),
        None => journals::newest(&journals::folder()?),
    }
}

fn follow(
    kernel: &impl Kernel,
    name: &str,
    reading: &Reading,
    args: &UndoArgs,
) -> Result<UndoReport, Error> {
    undo(kernel, name, reading, UndoOptions { damaged: args.damaged }).map_err(|error| {
        if reading.damage.is_some() && !args.damaged && reading.header.is_some() {
            output::note("--damaged follows the undamaged part");
        }
        error.into()
    })
}

fn why(left: &NotRestored) -> &Why {
    match left {
        NotRestored::Mask { why, .. }
        | NotRestored::Pages { why, .. }
        | NotRestored::Frozen { why, .. } => why,
    }
}

/// Whether nothing is there any more that could be restored.
fn is_over(why: &Why) -> bool {
    matches!(why, Why::Gone | Why::Exec | Why::NotPresent)
}

/// Whether trying again cannot help.
fn is_final(why: &Why) -> bool {
    is_over(why) || *why == Why::ChangedByOthers
}

fn exit(report: &UndoReport) -> Exit {
    let mut left = report.not_restored.iter().map(why).filter(|why| !is_over(why)).peekable();
    if left.peek().is_none() {
        return Exit::Done;
    }
    if left.any(|why| matches!(why, Why::Kernel(errno) if is_permission(*errno))) {
        return Exit::Permission;
    }
    Exit::Partial
}

fn reason(why: &Why) -> String {
    match why {
        Why::Gone => "it ended".into(),
        Why::Exec => "it executes another program now".into(),
        Why::ChangedByOthers => "somebody else changed it since, and that is kept".into(),
        Why::NotPresent => "not in memory any more".into(),
        Why::Kernel(errno) if is_permission(*errno) => {
            format!("{errno}: run as the user who started the run, or with CAP_SYS_NICE")
        }
        Why::Kernel(errno) => format!("{errno}; try again"),
        Why::Uncertain => {
            "the journal is damaged before it, so the state before is not sure".into()
        }
    }
}

fn what(left: &NotRestored) -> String {
    match left {
        NotRestored::Mask { task, wanted, .. } => {
            format!("CPUs {wanted} of thread {} of process {}", task.tid, task.process.pid)
        }
        NotRestored::Pages { process, node, count, .. } => {
            format!("{count} pages of process {} to {node}", process.pid)
        }
        NotRestored::Frozen { process, .. } => format!("process {} still stopped", process.pid),
    }
}

fn table(name: &str, report: &UndoReport, dry_run: bool) -> String {
    let UndoReport { masks, masks_already, pages, pages_already, thawed, not_restored } = report;
    let verb = if dry_run { "would restore" } else { "restored" };
    let mut text = format!("{name}\n");
    text += &format!("{verb} CPUs of {masks} threads ({masks_already} were as before already)\n");
    text += &format!("{verb} {pages} pages ({pages_already} were where they had been)\n");
    if *thawed > 0 {
        text += &format!("{verb} {thawed} stopped processes\n");
    }
    for left in not_restored {
        text += &format!("not restored: {}: {}\n", what(left), reason(why(left)));
    }
    text
}

fn document(name: &str, report: &UndoReport, dry_run: bool) -> Value {
    let left: Vec<Value> = report
        .not_restored
        .iter()
        .map(|left| {
            json!({"what": what(left), "why": reason(why(left)), "final": is_final(why(left))})
        })
        .collect();
    json!({
        "schema": "homenode.undo",
        "version": 1,
        "journal": name,
        "dry_run": dry_run,
        "masks": report.masks,
        "masks_already": report.masks_already,
        "pages": report.pages,
        "pages_already": report.pages_already,
        "thawed": report.thawed,
        "not_restored": left,
    })
}
