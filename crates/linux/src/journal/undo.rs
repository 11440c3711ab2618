//! The way back: masks, page nodes and frozen processes, as far as they still exist and nobody else changed
//! them meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use homenode_topology::{CpuMask, NodeId};

use super::writer::{BOOT_ID, VERSION};
use super::{FreezeHow, Reading, Record};
use crate::affinity::still_given;
use crate::files::text;
use crate::freeze::thaw;
use crate::procfs::read_stat;
use crate::{Errno, Error, Identity, Kernel, Result, SpaceMark, TaskId};

/// Pages moved back in one call.
const BATCH: usize = 512;

/// What `undo` may do beyond the safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Follows the undamaged part of a damaged journal.
    pub damaged: bool,
}

/// Why something was not restored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It ended.
    Gone,
    /// The process executes another program now; its memory is not the memory of then.
    Exec,
    /// Somebody else changed it since.
    ChangedByOthers,
    /// The page is not there any more.
    NotPresent,
    /// The kernel refused.
    Kernel(Errno),
    /// The journal is damaged before the record, so the state before is not certain.
    Uncertain,
}

/// Something that is not as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRestored {
    /// A thread's mask.
    Mask {
        /// The thread.
        task: TaskId,
        /// The mask it should have.
        wanted: CpuMask,
        /// Why it does not.
        why: Why,
    },
    /// Pages.
    Pages {
        /// The process.
        process: Identity,
        /// Where they should be.
        node: NodeId,
        /// How many.
        count: u64,
        /// Why they are not.
        why: Why,
    },
    /// A frozen process.
    Frozen {
        /// The process.
        process: Identity,
        /// Why it is not running.
        why: Why,
    },
}

/// What was restored and what not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoReport {
    /// Masks given back.
    pub masks: u64,
    /// Masks that were as before already.
    pub masks_already: u64,
    /// Pages moved back.
    pub pages: u64,
    /// Pages that were where they had been.
    pub pages_already: u64,
    /// Processes that run again.
    pub thawed: u64,
    /// What is still different.
    pub not_restored: Vec<NotRestored>,
}

/// Restores what a journal tells. Does no harm when repeated.
///
/// # Errors
/// The journal is of another boot or version, still being written, or damaged and not allowed to be: nothing was
/// done.
pub fn undo(
    kernel: &impl Kernel,
    path: &str,
    reading: &Reading,
    options: UndoOptions,
) -> Result<UndoReport> {
    check(kernel, path, reading, options)?;
    if reading.is_settled() {
        return Ok(UndoReport::default());
    }
    let plan = Plan::from(reading);
    let mut report = UndoReport::default();
    // Frozen processes first: they are what hurts most.
    for (&process, how) in &plan.frozen {
        restore_running(kernel, process, how, &mut report);
    }
    for (&task, masks) in &plan.masks {
        restore_mask(kernel, task, masks, &mut report);
    }
    for (&process, pages) in &plan.pages {
        restore_pages(kernel, process, pages, &mut report);
    }
    Ok(report)
}

fn check(kernel: &impl Kernel, path: &str, reading: &Reading, options: UndoOptions) -> Result<()> {
    let refused = |line, problem: String| Err(Error::Journal { path: path.into(), line, problem });
    let Some(header) = &reading.header else {
        return refused(
            1,
            "it has no header of a homenode journal: nothing can be restored".into(),
        );
    };
    if header.version != VERSION {
        let found = header.version;
        return refused(1, format!("its format has version {found}, this program knows {VERSION}"));
    }
    let boot = text(kernel, BOOT_ID)?;
    if boot.trim() != header.boot {
        return refused(
            1,
            "it is from before the last boot: nothing of it is left, delete it".into(),
        );
    }
    if header.tool.start != 0 && header.tool.verify(kernel).is_ok() {
        let pid = header.tool.pid;
        return refused(1, format!("process {pid} is still writing it: stop that first"));
    }
    match &reading.damage {
        Some(damage) if !options.damaged => refused(
            damage.line,
            format!("{}; the rest can be followed if you say so", damage.problem),
        ),
        _ => Ok(()),
    }
}

/// Masks of a thread: the user's, and those that this tool gave.
struct Masks {
    before: CpuMask,
    given: Vec<CpuMask>,
    certain: bool,
}

/// A page: where it was, and where this tool sent it.
struct Page {
    origin: NodeId,
    sent: BTreeSet<NodeId>,
    space: Option<SpaceMark>,
    certain: bool,
}

/// The state before and the states between, of everything that was touched.
#[derive(Default)]
struct Plan {
    masks: BTreeMap<TaskId, Masks>,
    pages: BTreeMap<Identity, BTreeMap<u64, Page>>,
    frozen: BTreeMap<Identity, FreezeHow>,
}

impl Plan {
    fn from(reading: &Reading) -> Self {
        let mut plan = Self::default();
        for entry in &reading.entries {
            plan.add(&entry.record, true);
        }
        for entry in &reading.after_damage {
            plan.add(&entry.record, false);
        }
        plan
    }

    fn add(&mut self, record: &Record, certain: bool) {
        match record {
            Record::Mask { task, before, after } => {
                let masks = self.masks.entry(*task).or_insert_with(|| Masks {
                    before: before.clone(),
                    given: Vec::new(),
                    certain,
                });
                if *before != masks.before && !masks.given.contains(before) {
                    // The user changed it between two acts: that is what to return to.
                    masks.before = before.clone();
                    masks.given.clear();
                    masks.certain = certain;
                }
                masks.given.push(after.clone());
            }
            Record::Pages { process, space, from, to, pages } => {
                let known = self.pages.entry(*process).or_default();
                for address in pages.iter().flat_map(|run| run.addresses()) {
                    let page = known.entry(address).or_insert_with(|| Page {
                        origin: *from,
                        sent: BTreeSet::new(),
                        space: *space,
                        certain,
                    });
                    if page.space != *space || (*from != page.origin && !page.sent.contains(from)) {
                        // Another page by now, or moved by somebody else between two acts.
                        *page =
                            Page { origin: *from, sent: BTreeSet::new(), space: *space, certain };
                    }
                    page.sent.insert(*to);
                }
            }
            Record::Freeze { process, how } => {
                self.frozen.insert(*process, how.clone());
            }
            Record::Thaw { process } => {
                self.frozen.remove(process);
            }
            Record::Settled => *self = Self::default(),
            Record::Header(_) => {}
        }
    }
}

fn why(error: &Error) -> Why {
    match error.errno() {
        Some(Errno::ESRCH | Errno::ENOENT) => Why::Gone,
        Some(errno) => Why::Kernel(errno),
        None => Why::Kernel(Errno::EIO),
    }
}

fn restore_running(
    kernel: &impl Kernel,
    process: Identity,
    how: &FreezeHow,
    report: &mut UndoReport,
) {
    let thawed = process.verify(kernel).and_then(|()| {
        let stopped = read_stat(kernel, process.pid)?.state == 'T';
        if *how == FreezeHow::Signal && !stopped {
            return Ok(());
        }
        thaw(kernel, process, how)
    });
    match thawed {
        Ok(()) => report.thawed += 1,
        Err(error) => {
            report.not_restored.push(NotRestored::Frozen { process, why: why(&error) });
        }
    }
}

fn restore_mask(kernel: &impl Kernel, task: TaskId, masks: &Masks, report: &mut UndoReport) {
    let wanted = &masks.before;
    let outcome = (|| {
        task.verify(kernel).map_err(|error| why(&error))?;
        let now = kernel.affinity(task.tid).map_err(|errno| match errno {
            Errno::ESRCH => Why::Gone,
            errno => Why::Kernel(errno),
        })?;
        if now == *wanted {
            return Ok(false);
        }
        if !masks.certain {
            return Err(Why::Uncertain);
        }
        if !masks.given.iter().any(|given| still_given(kernel, task, &now, given)) {
            return Err(Why::ChangedByOthers);
        }
        task.verify(kernel).map_err(|error| why(&error))?;
        kernel.set_affinity(task.tid, wanted).map_err(|errno| match errno {
            Errno::ESRCH => Why::Gone,
            errno => Why::Kernel(errno),
        })?;
        Ok(true)
    })();
    match outcome {
        Ok(true) => report.masks += 1,
        Ok(false) => report.masks_already += 1,
        Err(why) => {
            report.not_restored.push(NotRestored::Mask { task, wanted: wanted.clone(), why });
        }
    }
}

fn restore_pages(
    kernel: &impl Kernel,
    process: Identity,
    pages: &BTreeMap<u64, Page>,
    report: &mut UndoReport,
) {
    let mut missed: BTreeMap<(NodeId, Why), u64> = BTreeMap::new();
    let all: Vec<(u64, &Page)> = pages.iter().map(|(&address, page)| (address, page)).collect();
    for batch in all.chunks(BATCH) {
        restore_batch(kernel, process, batch, report, &mut missed);
    }
    for ((node, why), count) in missed {
        report.not_restored.push(NotRestored::Pages { process, node, count, why });
    }
}

fn restore_batch(
    kernel: &impl Kernel,
    process: Identity,
    batch: &[(u64, &Page)],
    report: &mut UndoReport,
    missed: &mut BTreeMap<(NodeId, Why), u64>,
) {
    let mut miss = |page: &Page, why: Why| *missed.entry((page.origin, why)).or_default() += 1;
    let addresses: Vec<u64> = batch.iter().map(|&(address, _)| address).collect();
    let query = process.mark(kernel).map_err(|error| why(&error)).and_then(|mark| {
        let nodes = kernel.page_nodes(process.pid, &addresses).map_err(call_why)?;
        Ok((mark, nodes))
    });
    let (mark, nodes) = match query {
        Ok(found) => found,
        Err(why) => return batch.iter().for_each(|(_, page)| miss(page, why.clone())),
    };
    let mut back = Vec::new();
    for (&(address, page), now) in batch.iter().zip(nodes) {
        match now {
            _ if other_space(page.space, mark) => miss(page, Why::Exec),
            Ok(node) if node == page.origin => report.pages_already += 1,
            Ok(_) if !page.certain => miss(page, Why::Uncertain),
            Ok(node) if !page.sent.contains(&node) => miss(page, Why::ChangedByOthers),
            Ok(_) => back.push((address, page)),
            Err(Errno::ENOENT | Errno::EFAULT) => miss(page, Why::NotPresent),
            Err(errno) => miss(page, Why::Kernel(errno)),
        }
    }
    if back.is_empty() {
        return;
    }
    let addresses: Vec<u64> = back.iter().map(|&(address, _)| address).collect();
    let origins: Vec<NodeId> = back.iter().map(|(_, page)| page.origin).collect();
    let moved = match process.mark(kernel) {
        Ok(now) if now != mark => Err(Why::Exec),
        Ok(_) => kernel.move_pages(process.pid, &addresses, &origins).map_err(call_why),
        Err(error) => Err(why(&error)),
    };
    match moved {
        Err(why) => back.iter().for_each(|(_, page)| miss(page, why.clone())),
        Ok(statuses) => {
            for ((_, page), status) in back.iter().zip(statuses) {
                match status {
                    Ok(node) if node == page.origin => report.pages += 1,
                    Ok(_) => miss(page, Why::Kernel(Errno::EAGAIN)),
                    Err(errno) => miss(page, Why::Kernel(errno)),
                }
            }
        }
    }
}

/// Whether an address space is certainly not the one of then.
fn other_space(then: Option<SpaceMark>, now: Option<SpaceMark>) -> bool {
    matches!((then, now), (Some(then), Some(now)) if then != now)
}

fn call_why(errno: Errno) -> Why {
    if errno == Errno::ESRCH { Why::Gone } else { Why::Kernel(errno) }
}
