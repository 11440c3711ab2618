//! Moves pages in batches.

use std::collections::{BTreeMap, BTreeSet};

use homenode_topology::{Bytes, HUGE_PAGE, Nanos, NodeId, PAGE};

use super::Mover;
use crate::freeze::{freeze, may_freeze, thaw};
use crate::journal::{FreezeHow, PageRun, Record, Store};
use crate::limits::{MemoryLimits, Refusal, Room};
use crate::{Errno, Error, Identity, Kernel, PageStatus, SpaceMark};

/// A page to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageMove {
    /// Any address in the page.
    pub address: u64,
    /// Whether it is a 2 MiB page; then one address moves all of it.
    pub huge: bool,
    /// Where it goes.
    pub to: NodeId,
}

impl PageMove {
    fn size(self) -> Bytes {
        if self.huge { HUGE_PAGE } else { PAGE }
    }
}

/// What became of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageReport {
    /// Moved: pages of either size.
    pub moved: u64,
    /// Moved.
    pub bytes: Bytes,
    /// Were there already.
    pub already: u64,
    /// Stayed, with the reason of each.
    pub refused: Vec<(PageMove, Refusal)>,
    /// Not tried before the time was up.
    pub left: Vec<PageMove>,
    /// Calls that moved.
    pub calls: u64,
    /// The longest of them.
    pub longest: Nanos,
    /// All of them together.
    pub spent: Nanos,
}

/// A page of the next call: where it is and goes.
#[derive(Clone, Copy)]
struct Step {
    page: PageMove,
    from: NodeId,
}

/// Why no more pages of the process are tried in this call of the mover.
struct Stop(Refusal);

impl<K: Kernel, S: Store> Mover<'_, K, S> {
    /// Moves pages of a process until all are tried or the time is up.
    pub fn move_pages(
        &mut self,
        process: Identity,
        moves: &[PageMove],
        until: Nanos,
    ) -> PageReport {
        let mut report = PageReport::default();
        let space = match process.mark(self.kernel) {
            Ok(space) => space,
            Err(error) => return refuse_all(moves, &unreadable(process, &error)),
        };
        let limits = match MemoryLimits::read(self.kernel, process) {
            Ok(limits) => limits,
            Err(error) => return refuse_all(moves, &unreadable(process, &error)),
        };
        let now = self.kernel.now();
        self.ping_pong.prune(now);
        let mut accepted = Vec::new();
        for page in unique(moves) {
            let verdict = limits
                .check(&self.machine, page.address, page.to)
                .and_then(|()| self.ping_pong.check(process, page.address, page.to, now));
            match verdict {
                Ok(()) => accepted.push(page),
                Err(refusal) => report.refused.push((page, refusal)),
            }
        }
        let mut room = Room::above(self.options.watermark);
        let mut rest = accepted.as_slice();
        while !rest.is_empty() {
            let now = self.kernel.now();
            let wait = self.rate.wait(now);
            if Nanos(now.0.saturating_add(wait.0)) >= until {
                break;
            }
            if wait > Nanos::ZERO {
                self.kernel.sleep(wait);
            }
            let (batch, later) = rest.split_at(self.next_batch(process, rest));
            rest = later;
            if let Err(Stop(refusal)) = self.batch(process, space, batch, &mut room, &mut report) {
                report.refused.extend(rest.iter().map(|&page| (page, refusal.clone())));
                return report;
            }
        }
        report.left = rest.to_vec();
        report
    }

    /// Pages of the next call: a huge page counts for the 512 it is.
    fn next_batch(&self, process: Identity, pages: &[PageMove]) -> usize {
        let size = self.batches.get(&process).copied().unwrap_or_default().size() as u64;
        let mut weight = 0;
        let fitting = pages.iter().take_while(|page| {
            weight += page.size().pages();
            weight <= size
        });
        fitting.count().max(1).min(pages.len())
    }

    fn batch(
        &mut self,
        process: Identity,
        space: Option<SpaceMark>,
        batch: &[PageMove],
        room: &mut Room,
        report: &mut PageReport,
    ) -> Result<(), Stop> {
        let steps = self.locate(process, batch, room, report)?;
        if steps.is_empty() {
            return Ok(());
        }
        let mut records = records(process, space, &steps);
        let frozen = self.options.freeze != FreezeHow::Never
            && may_freeze(self.kernel, process, &self.options.freeze).unwrap_or(false);
        if frozen {
            records.push(Record::Freeze { process, how: self.options.freeze.clone() });
        }
        let give_up = |report: &mut PageReport, room: &mut Room, refusal: Refusal| {
            for step in &steps {
                room.give_back(step.page.to, step.page.size());
                report.refused.push((step.page, refusal.clone()));
            }
            Err(Stop(refusal))
        };
        if let Err(error) = self.journal.before(records) {
            let refusal = Refusal::NotJournalled { problem: error.to_string() };
            return give_up(report, room, refusal);
        }
        if frozen {
            self.freeze(process);
        }
        let addresses: Vec<u64> = steps.iter().map(|step| step.page.address).collect();
        let nodes: Vec<NodeId> = steps.iter().map(|step| step.page.to).collect();
        let before = self.kernel.now();
        // The last look before the act: the same process, executing the same program.
        let moved = match process.mark(self.kernel) {
            Ok(now) if now != space => Err(Refusal::Exec { pid: process.pid }),
            Ok(_) => {
                self.kernel.move_pages(process.pid, &addresses, &nodes).map_err(|errno| match errno
                {
                    Errno::ESRCH => Refusal::Gone { tid: process.pid.leader() },
                    errno => Refusal::Kernel { target: addresses[0], errno },
                })
            }
            Err(error) => Err(unreadable(process, &error)),
        };
        let took = self.kernel.now().saturating_sub(before);
        self.thaw_all();
        let statuses = match moved {
            Ok(statuses) => statuses,
            Err(refusal) => return give_up(report, room, refusal),
        };
        let bytes: Bytes = steps.iter().map(|step| step.page.size()).sum();
        self.rate.spend(bytes, before);
        let pages = usize::try_from(bytes.pages()).unwrap_or(usize::MAX);
        self.batches.entry(process).or_default().learn(pages, took, self.options.stall);
        report.calls += 1;
        report.longest = report.longest.max(took);
        report.spent += took;
        self.account(process, &steps, &statuses, room, report);
        Ok(())
    }

    /// Asks where pages are; leaves out those that need not or cannot move.
    fn locate(
        &self,
        process: Identity,
        batch: &[PageMove],
        room: &mut Room,
        report: &mut PageReport,
    ) -> Result<Vec<Step>, Stop> {
        let addresses: Vec<u64> = batch.iter().map(|page| page.address).collect();
        let nodes = self.kernel.page_nodes(process.pid, &addresses).map_err(|errno| {
            let refusal = match errno {
                Errno::ESRCH => Refusal::Gone { tid: process.pid.leader() },
                errno => Refusal::Kernel { target: addresses[0], errno },
            };
            report.refused.extend(batch.iter().map(|&page| (page, refusal.clone())));
            Stop(refusal)
        })?;
        let mut steps = Vec::new();
        for (&page, node) in batch.iter().zip(nodes) {
            match node {
                Ok(node) if node == page.to => report.already += 1,
                Ok(from) => match room.take(self.kernel, page.to, page.size()) {
                    Ok(()) => steps.push(Step { page, from }),
                    Err(refusal) => report.refused.push((page, refusal)),
                },
                Err(errno) => report.refused.push((page, page_refusal(page, errno))),
            }
        }
        Ok(steps)
    }

    /// Books what became of each page of a call.
    fn account(
        &mut self,
        process: Identity,
        steps: &[Step],
        statuses: &[PageStatus],
        room: &mut Room,
        report: &mut PageReport,
    ) {
        let now = self.kernel.now();
        for (step, status) in steps.iter().zip(statuses) {
            let page = step.page;
            let refusal = match *status {
                Ok(node) if node == page.to => {
                    report.moved += 1;
                    report.bytes += page.size();
                    self.ping_pong.moved(process, page.address, page.to, now);
                    continue;
                }
                Ok(_) => page_refusal(page, Errno::EAGAIN),
                // A further page of a huge page that moved in the same call, or one that is in use.
                Err(Errno::EBUSY) if self.is_on(process, page) => {
                    report.already += 1;
                    continue;
                }
                Err(errno) => page_refusal(page, errno),
            };
            room.give_back(page.to, page.size());
            report.refused.push((page, refusal));
        }
    }

    fn is_on(&self, process: Identity, page: PageMove) -> bool {
        self.kernel
            .page_nodes(process.pid, &[page.address])
            .is_ok_and(|nodes| nodes.first() == Some(&Ok(page.to)))
    }

    fn freeze(&mut self, process: Identity) {
        let how = self.options.freeze.clone();
        let frozen =
            process.verify(self.kernel).is_ok() && freeze(self.kernel, process, &how).is_ok();
        // Booked as frozen in any case: letting a running process go on does no harm.
        self.frozen.insert(process, how);
        if !frozen {
            self.thaw_all();
        }
    }

    /// Lets all go on that were frozen; what stays frozen is tried again by [`Self::settle`].
    pub(super) fn thaw_all(&mut self) {
        let kernel = self.kernel;
        let journal = &mut self.journal;
        self.frozen.retain(|&process, how| match thaw(kernel, process, how) {
            Ok(()) => {
                // If this record is lost, undo finds the process running and leaves it alone.
                let _ = journal.after(vec![Record::Thaw { process }]);
                false
            }
            Err(error) => !matches!(error, Error::Gone { .. }),
        });
    }
}

/// Each page once, at its start, in ascending order.
fn unique(moves: &[PageMove]) -> Vec<PageMove> {
    let mut seen = BTreeSet::new();
    let mut pages: Vec<PageMove> = moves
        .iter()
        .map(|page| PageMove { address: page.address - page.address % page.size().0, ..*page })
        .filter(|page| seen.insert(page.address))
        .collect();
    pages.sort_unstable();
    pages
}

fn records(process: Identity, space: Option<SpaceMark>, steps: &[Step]) -> Vec<Record> {
    let mut ways: BTreeMap<(NodeId, NodeId), Vec<(u64, bool)>> = BTreeMap::new();
    for step in steps {
        let way = ways.entry((step.from, step.page.to)).or_default();
        way.push((step.page.address, step.page.huge));
    }
    ways.into_iter()
        .map(|((from, to), pages)| Record::Pages {
            process,
            space,
            from,
            to,
            pages: PageRun::of(&pages),
        })
        .collect()
}

fn page_refusal(page: PageMove, errno: Errno) -> Refusal {
    let address = page.address;
    match errno {
        Errno::ENOENT | Errno::EFAULT => Refusal::NotPresent { address },
        Errno::EACCES => Refusal::SharedPages { start: address, mappers: 0 },
        errno => Refusal::Kernel { target: address, errno },
    }
}

fn unreadable(process: Identity, error: &Error) -> Refusal {
    match error {
        Error::File { path, errno, .. } if !error.is_gone() => {
            Refusal::Unreadable { path: path.clone(), errno: *errno }
        }
        Error::Parse { path, .. } => Refusal::Unreadable { path: path.clone(), errno: Errno::EIO },
        _ => Refusal::Gone { tid: process.pid.leader() },
    }
}

fn refuse_all(moves: &[PageMove], refusal: &Refusal) -> PageReport {
    let refused = moves.iter().map(|&page| (page, refusal.clone())).collect();
    PageReport { refused, ..PageReport::default() }
}
