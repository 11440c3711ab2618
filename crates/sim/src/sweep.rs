//! A sweep: one pass after the other over a part of a region, exact to the byte.

use homenode_balance::TaskId;
use homenode_topology::{HUGE_PAGE, PAGE, PAGES_PER_HUGE};
use homenode_workload::{Access, Part};

use crate::memory::ChunkKind;
use crate::meter::Meter;
use crate::run::Run;
use crate::task::{Progress, State};

/// Why a sweep stopped inside a slice.
enum Stop {
    /// The slice or the memory's credit is used up.
    Spent,
    /// The next page is not there.
    Missing { page: u64 },
    /// The whole entry of the chunk is armed.
    ArmedEntry { chunk: usize },
    /// A base page is armed.
    ArmedPage { page: u64 },
    /// The end of the part is reached.
    End,
}

impl Run<'_> {
    /// Goes on with a sweep until the slice is spent, the task needs the kernel, or the sweep is done.
    pub(crate) fn sweep(
        &mut self,
        task: TaskId,
        region: usize,
        part: Part,
        passes: u32,
        access: Access,
        meter: &mut Meter,
    ) {
        let t = task.index();
        let mm = self.host.tasks[t].mm;
        let vma = &self.host.spaces[mm.index()].vmas[region];
        let begin = vma.first as u64 * HUGE_PAGE.0 + part.start.0;
        let end = begin + part.length.0;
        if let Progress::Fresh = self.host.tasks[t].progress {
            self.host.tasks[t].progress = Progress::Sweep { pass: 0, at: begin };
        }
        let Progress::Sweep { mut pass, mut at } = self.host.tasks[t].progress else { return };
        let mut cached = pass > 0 && self.host.fits_cache(task, part, access);
        loop {
            if pass >= passes || part.length.0 == 0 {
                self.host.tasks[t].next_step();
                return;
            }
            let stop = self.host.stream(task, &mut at, end, access, cached, meter);
            self.host.tasks[t].progress = Progress::Sweep { pass, at };
            match stop {
                Stop::Spent => return,
                Stop::End => {
                    pass += 1;
                    at = begin;
                    cached = self.host.fits_cache(task, part, access);
                    self.host.tasks[t].progress = Progress::Sweep { pass, at };
                }
                Stop::Missing { page } => self.first_touch(task, region, page),
                Stop::ArmedEntry { chunk } => self.entry_fault(task, chunk, access, meter),
                Stop::ArmedPage { page } => self.page_fault(task, page, access, meter),
            }
            let task = &self.host.tasks[t];
            if task.work.is_some() || task.stall > 0.0 || task.state != State::Runnable {
                return;
            }
        }
    }
}

impl crate::host::Host {
    /// Whether a part is served from the last-level cache after its first pass: a sweep hits always or
    /// never (machine-model 2.1). Clears bypass the cache.
    fn fits_cache(&self, task: TaskId, part: Part, access: Access) -> bool {
        if matches!(access, Access::Clear) {
            return false;
        }
        let node = self.node_of_task(task);
        let cache = self.machine.nodes[node].llc.0;
        let sharers =
            self.layout.cpus_of[node].iter().filter(|&&cpu| self.sched.is_busy(cpu)).count().max(1);
        part.length.0 <= cache / sharers as u64
    }

    /// Streams forward from `at` until something stops it.
    fn stream(
        &mut self,
        task: TaskId,
        at: &mut u64,
        end: u64,
        access: Access,
        cached: bool,
        meter: &mut Meter,
    ) -> Stop {
        let mm = self.tasks[task.index()].mm.index();
        let here = self.node_of_task(task);
        let payload = access.payload();
        loop {
            if *at >= end {
                return Stop::End;
            }
            if meter.is_spent() {
                return Stop::Spent;
            }
            let chunk = (*at / HUGE_PAGE.0) as usize;
            let chunk_end = ((chunk as u64 + 1) * HUGE_PAGE.0).min(end);
            let header = self.spaces[mm].chunks[chunk];
            let (stretch_end, node) = if let Some(node) = header.calm_node() {
                let reach = *at + (meter.left() * self.contention.rate(here, node)) as u64;
                (self.alike(mm, chunk, node, chunk_end, end.min(reach)), node)
            } else {
                let space = &self.spaces[mm];
                let page = *at / PAGE.0;
                match header.kind {
                    ChunkKind::Empty => return Stop::Missing { page },
                    ChunkKind::Huge => return Stop::ArmedEntry { chunk },
                    ChunkKind::Base if !space.word(page).is_present() => {
                        return Stop::Missing { page };
                    }
                    ChunkKind::Base if space.is_marked(page) && header.armed => {
                        return Stop::ArmedEntry { chunk };
                    }
                    ChunkKind::Base if space.is_marked(page) => return Stop::ArmedPage { page },
                    ChunkKind::Base => {
                        (self.calm_stretch(mm, chunk, page, chunk_end), space.word(page).node())
                    }
                }
            };
            self.tasks[task.index()].target = Some(node);
            let wanted = stretch_end.min(end) - *at;
            let mixed = header.kind == ChunkKind::Base && header.only.is_none();
            let passed = if cached {
                self.pass_cached(wanted, meter)
            } else if mixed {
                self.pass_mixed(mm, chunk, here, wanted, payload, meter)
            } else {
                self.pass(here, node, wanted, payload, meter)
            };
            *at += passed;
            self.swept += passed;
            if passed < wanted {
                meter.spend_all();
                return Stop::Spent;
            }
        }
    }

    /// End of the stretch of chunks without armed or missing pages on one node that begins in `chunk`, not much beyond
    /// `reach`, in bytes.
    fn alike(&self, mm: usize, chunk: usize, node: usize, chunk_end: u64, reach: u64) -> u64 {
        let mut end = chunk_end;
        let mut following = self.spaces[mm].chunks[chunk + 1..].iter();
        while end < reach {
            match following.next() {
                Some(next) if next.calm_node() == Some(node) => end += HUGE_PAGE.0,
                _ => return end,
            }
        }
        end
    }

    /// End of the stretch of a base chunk from `page` on without missing or armed pages, in bytes.
    fn calm_stretch(&self, mm: usize, chunk: usize, page: u64, chunk_end: u64) -> u64 {
        let space = &self.spaces[mm];
        let header = &space.chunks[chunk];
        let pages_end = chunk_end.div_ceil(PAGE.0);
        let mut stop = pages_end;
        if header.marked > 0 {
            stop = space.next_marked(page, stop).unwrap_or(stop);
        }
        if u64::from(header.present) < PAGES_PER_HUGE {
            stop = space.next_missing(page, stop).unwrap_or(stop);
        }
        if stop == pages_end { chunk_end } else { stop * PAGE.0 }
    }

    /// Moves up to `wanted` bytes to or from one node; returns how many fitted into the slice and the
    /// credit.
    fn pass(
        &mut self,
        here: usize,
        node: usize,
        wanted: u64,
        payload: f64,
        meter: &mut Meter,
    ) -> u64 {
        let rate = self.contention.rate(here, node) * meter.speed() * payload;
        let possible = (meter.left() * rate).min(self.traffic.room(here, node) * payload);
        let bytes = wanted.min(possible as u64);
        self.traffic.book(here, node, bytes as f64 / payload);
        meter.spend(bytes as f64 / rate);
        bytes
    }

    /// As `pass`, over base pages on several nodes, at the harmonic mean of their rates.
    fn pass_mixed(
        &mut self,
        mm: usize,
        chunk: usize,
        here: usize,
        wanted: u64,
        payload: f64,
        meter: &mut Meter,
    ) -> u64 {
        let present = f64::from(self.spaces[mm].chunks[chunk].present);
        let mut time_per_byte = 0.0;
        let mut room = f64::INFINITY;
        for node in 0..self.layout.nodes.len() {
            let part = f64::from(self.spaces[mm].counts(chunk)[node]) / present;
            if part > 0.0 {
                time_per_byte +=
                    part / (payload * self.contention.rate(here, node) * meter.speed());
                room = room.min(self.traffic.room(here, node) * payload / part);
            }
        }
        let bytes = wanted.min((meter.left() / time_per_byte).min(room) as u64);
        for node in 0..self.layout.nodes.len() {
            let part = f64::from(self.spaces[mm].counts(chunk)[node]) / present;
            if part > 0.0 {
                self.traffic.book(here, node, bytes as f64 * part / payload);
            }
        }
        meter.spend(bytes as f64 * time_per_byte);
        bytes
    }

    /// As `pass`, from the last-level cache: no traffic.
    fn pass_cached(&mut self, wanted: u64, meter: &mut Meter) -> u64 {
        let rate = self.contention.cache_rate() * meter.speed();
        let bytes = wanted.min((meter.left() * rate) as u64);
        meter.spend(bytes as f64 / rate);
        bytes
    }
}
