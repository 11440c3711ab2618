//! Page faults: first touches and hinting faults, and what a policy makes of them.

use std::ops::Range;

use homenode_balance::{
    Action, Failure, Observation, Op, Outcome, PageRange, Source, TaskId, Verdict, Weight,
};
use homenode_topology::{HUGE_PAGE, Nanos, PAGE, PAGES_PER_HUGE, PageIndex};
use homenode_workload::{Access, MemoryPolicy};

use crate::host::Host;
use crate::memory::{ChunkKind, place};
use crate::meter::Meter;
use crate::run::Run;
use crate::task::{KernelWork, State, Task};

impl Host {
    /// The memory policy for new pages of a mapping: its own, or else the task's.
    pub(crate) fn policy_for(&self, task: TaskId, region: usize) -> &MemoryPolicy {
        let task = &self.tasks[task.index()];
        match &self.spaces[task.mm.index()].vmas[region].policy {
            MemoryPolicy::Default => &task.policy,
            stated => stated,
        }
    }

    pub(crate) fn region_of(&self, mm: usize, chunk: usize) -> usize {
        self.spaces[mm].vmas.partition_point(|vma| vma.first <= chunk) - 1
    }

    /// Whether a first touch of this chunk asks for a huge page.
    pub(crate) fn takes_huge(&self, mm: usize, region: usize, chunk: usize) -> bool {
        let space = &self.spaces[mm];
        let whole = space.vmas[region].pages_in(chunk) == PAGES_PER_HUGE;
        self.thp && whole && space.chunks[chunk].kind == ChunkKind::Empty
    }

    /// Takes the page table lock; returns what the task waits for it and holds it.
    fn hold_table_lock(&mut self, mm: usize) -> f64 {
        let hold = self.cost.table_lock_ns;
        hold + self.table_locks[mm].acquire(hold, self.threads[mm])
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of an observation")]
    fn observation(
        &self,
        task: TaskId,
        first: u64,
        pages: u32,
        node: usize,
        access: Access,
        source: Source,
        meter: &Meter,
    ) -> Observation {
        let op = if access.writes() { Op::Write } else { Op::Read };
        let range = PageRange { mm: self.tasks[task.index()].mm, first: PageIndex(first), pages };
        Observation {
            task,
            cpu: self.layout.cpus[self.sched.cpu_of(task)],
            range,
            node: self.layout.nodes[node],
            op,
            source,
            weight: Weight::Faults(if source == Source::PmdBatch { pages } else { 1 }),
            at: Nanos(self.now + meter.offset()),
        }
    }

    fn count_hint_faults(&mut self, here: usize, node: usize, faults: u64) {
        self.counters.numa_hint_faults += faults;
        self.counters.numa_hint_faults_local += if here == node { faults } else { 0 };
    }
}

impl Run<'_> {
    /// A task touches a page that is not there: a huge page is allocated and then cleared in the task's
    /// time (others may race it), a base page is there at once.
    pub(crate) fn first_touch(&mut self, task: TaskId, region: usize, page: u64) {
        let host = &mut self.host;
        let mm = host.tasks[task.index()].mm.index();
        let here = host.node_of_task(task);
        let chunk = (page / PAGES_PER_HUGE) as usize;
        let index = page - host.spaces[mm].vmas[region].first as u64 * PAGES_PER_HUGE;
        self.touched = true;
        if host.takes_huge(mm, region, chunk) {
            let start = index - index % PAGES_PER_HUGE;
            let policy = host.policy_for(task, region);
            let node = place(policy, here, start, PAGES_PER_HUGE, &host.pool, &host.layout);
            if let Some(node) = node.filter(|&node| host.pool.take(node, PAGES_PER_HUGE)) {
                host.counters.pgfault += 1;
                host.counters.thp_fault_alloc += 1;
                let wait = host.hold_table_lock(mm);
                let task = &mut host.tasks[task.index()];
                task.stall += host.cost.huge_fault_ns + wait;
                task.work = Some(KernelWork::Clear { chunk, node, left: HUGE_PAGE.0 as f64 });
                return;
            }
            host.counters.thp_fault_fallback += 1;
        }
        let policy = host.policy_for(task, region);
        let node = place(policy, here, index, 1, &host.pool, &host.layout);
        let Some(node) = node.filter(|&node| host.pool.take(node, 1)) else {
            self.out_of_memory(task);
            return;
        };
        host.counters.pgfault += 1;
        host.spaces[mm].map_base(page, node);
        host.traffic.book(here, node, PAGE.0 as f64);
        let clear = PAGE.0 as f64 / (host.contention.rate(here, node) * host.cost.clear_speed);
        host.tasks[task.index()].stall += host.cost.minor_fault_ns + clear;
    }

    /// A cleared huge page is mapped, unless another thread was first.
    pub(crate) fn finish_clear(&mut self, task: TaskId, chunk: usize, node: usize) {
        let mm = self.host.tasks[task.index()].mm.index();
        if self.host.spaces[mm].chunks[chunk].kind == ChunkKind::Empty {
            self.host.spaces[mm].map_huge(chunk, node);
        } else {
            self.host.pool.give(node, PAGES_PER_HUGE);
        }
    }

    /// A hinting fault on an armed huge page or page-middle-directory entry.
    pub(crate) fn entry_fault(
        &mut self,
        task: TaskId,
        chunk: usize,
        access: Access,
        meter: &Meter,
    ) {
        let mm = self.host.tasks[task.index()].mm.index();
        let wait = self.host.hold_table_lock(mm);
        self.host.tasks[task.index()].stall += wait;
        if self.host.spaces[mm].chunks[chunk].kind == ChunkKind::Huge {
            self.huge_fault(task, mm, chunk, access, meter);
        } else {
            self.batch_fault(task, mm, chunk, access, meter);
        }
    }

    fn huge_fault(&mut self, task: TaskId, mm: usize, chunk: usize, access: Access, meter: &Meter) {
        let here = self.host.node_of_task(task);
        let word = self.host.spaces[mm].chunks[chunk].word;
        self.host.count_hint_faults(here, word.node(), 1);
        self.host.tasks[task.index()].stall += self.host.cost.hint_huge_ns;
        let first = chunk as u64 * PAGES_PER_HUGE;
        let pages = PAGES_PER_HUGE as u32;
        let seen = self.host.observation(
            task,
            first,
            pages,
            word.node(),
            access,
            Source::HintingFault,
            meter,
        );
        let mut tag = word.tag();
        self.observe(&seen, &mut tag, meter);
        let moving = self.host.spaces[mm].chunks[chunk].moving;
        self.host.spaces[mm].chunks[chunk].word.set_tag(tag);
        // The entry stays armed while a copy is under way. A thread that wants the page moved too waits
        // for the page lock; one that does not restores access, and the copy is then in vain.
        let wants_move = !self.out.is_empty();
        self.host.spaces[mm].chunks[chunk].armed = moving && wants_move;
        self.carry_out(&seen);
        if moving && wants_move {
            self.block(task, State::AtPage { chunk });
        }
    }

    /// One trap for all armed base pages below an entry.
    fn batch_fault(
        &mut self,
        task: TaskId,
        mm: usize,
        chunk: usize,
        access: Access,
        meter: &Meter,
    ) {
        self.host.spaces[mm].chunks[chunk].armed = false;
        self.host.tasks[task.index()].stall += self.host.cost.hint_fault_ns;
        let mut page = chunk as u64 * PAGES_PER_HUGE;
        let end = page + PAGES_PER_HUGE;
        if self.host.spaces[mm].is_uniform(chunk) {
            self.base_fault(task, mm, page..end, access, Source::PmdBatch, meter);
            return;
        }
        while let Some(found) = self.host.spaces[mm].next_marked(page, end) {
            page = found + 1;
            self.base_fault(task, mm, found..page, access, Source::PmdBatch, meter);
        }
    }

    /// A hinting fault on one armed base page.
    pub(crate) fn page_fault(&mut self, task: TaskId, page: u64, access: Access, meter: &Meter) {
        let mm = self.host.tasks[task.index()].mm.index();
        self.host.tasks[task.index()].stall += self.host.cost.hint_fault_ns;
        self.base_fault(task, mm, page..page + 1, access, Source::HintingFault, meter);
    }

    /// Hinting faults on armed base pages of one chunk in the same state.
    fn base_fault(
        &mut self,
        task: TaskId,
        mm: usize,
        pages: Range<u64>,
        access: Access,
        source: Source,
        meter: &Meter,
    ) {
        let faults = pages.end - pages.start;
        self.host.spaces[mm].unmark(pages.clone());
        let word = self.host.spaces[mm].word(pages.start);
        let here = self.host.node_of_task(task);
        self.host.count_hint_faults(here, word.node(), faults);
        if source == Source::PmdBatch {
            self.host.tasks[task.index()].stall += faults as f64 * self.host.cost.hint_batch_ns;
        }
        let node = word.node();
        let seen =
            self.host.observation(task, pages.start, faults as u32, node, access, source, meter);
        let mut tag = word.tag();
        self.observe(&seen, &mut tag, meter);
        self.host.spaces[mm].set_tags(pages, tag);
        self.carry_out(&seen);
    }

    fn observe(&mut self, seen: &Observation, tag: &mut homenode_balance::PageTag, meter: &Meter) {
        let quantum = self.host.now;
        self.host.now += meter.offset();
        self.policy.observe(&self.host, seen, tag, &mut self.out);
        self.report_holds(seen.task);
        self.host.now = quantum;
    }

    /// Carries out what the policy asked for in a fault.
    fn carry_out(&mut self, seen: &Observation) {
        while let Some(verdict) = self.out.take() {
            let result = match verdict.action {
                Action::MoveRange { range, to, .. } => {
                    match self.move_range(seen, range, self.host.layout.node_slot(to)) {
                        Ok(Some(pages)) => Outcome::Done { pages },
                        Ok(None) => {
                            self.report(seen.task, &verdict, None);
                            continue;
                        }
                        Err(failure) => Outcome::Failed(failure),
                    }
                }
                _ => self.carry_out_task_action(seen.task, &verdict.action),
            };
            self.report(seen.task, &verdict, Some(result));
            self.policy.outcome(&self.host, &verdict.action, result, Some(seen));
        }
    }

    /// Moves a faulting page. A huge page is copied in the task's time first: then the outcome follows
    /// later and `None` is returned.
    fn move_range(
        &mut self,
        seen: &Observation,
        range: PageRange,
        to: Option<usize>,
    ) -> Result<Option<u32>, Failure> {
        let host = &mut self.host;
        let mm = range.mm.index();
        let chunk = (range.first.0 / PAGES_PER_HUGE) as usize;
        let to = to.ok_or(Failure::Gone)?;
        let from = host.spaces[mm].node_of(range.first).ok_or(Failure::Gone)?;
        let result = if from == to {
            Ok(Some(0))
        } else if seen.is_huge() {
            host.start_huge_copy(seen, chunk, from, to, self.policy.rules().migrate.huge)
        } else if host.pool.take(to, u64::from(range.pages)) {
            host.move_base_pages(seen.task, range, from, to);
            Ok(Some(range.pages))
        } else {
            Err(Failure::NoMemory)
        };
        // A thread that finds the copy under way waits for it; that is no second attempt.
        if result.is_err_and(|failure| failure != Failure::Busy) {
            let units = self.policy.rules().count.huge_migration;
            self.host.counters.pgmigrate_fail +=
                u64::from(if seen.is_huge() { units } else { range.pages });
        }
        result
    }

    /// A copied huge page takes its new place.
    pub(crate) fn finish_copy(&mut self, chunk: usize, from: usize, to: usize, seen: &Observation) {
        let host = &mut self.host;
        let mm = seen.range.mm.index();
        let units = u64::from(self.policy.rules().count.huge_migration);
        let undisturbed = host.spaces[mm].chunks[chunk].armed;
        host.spaces[mm].chunks[chunk].moving = false;
        host.spaces[mm].chunks[chunk].armed = false;
        if undisturbed {
            host.spaces[mm].move_huge(chunk, to);
            host.counters.numa_pages_migrated += units;
            host.counters.pgmigrate_success += units;
            host.counters.pages_moved += PAGES_PER_HUGE;
        } else {
            host.counters.pgmigrate_fail += units;
        }
        host.pool.give(if undisturbed { from } else { to }, PAGES_PER_HUGE);
        let wait = host.hold_table_lock(mm);
        host.tasks[seen.task.index()].stall += host.cost.migrate_huge_ns + wait;
        let action =
            Action::MoveRange { range: seen.range, to: host.layout.nodes[to], task: seen.task };
        let outcome = if undisturbed {
            Outcome::Done { pages: PAGES_PER_HUGE as u32 }
        } else {
            Outcome::Failed(Failure::Busy)
        };
        self.policy.outcome(&self.host, &action, outcome, Some(seen));
        let waits = |task: &Task| task.mm == seen.range.mm && task.state == State::AtPage { chunk };
        for id in 0..self.host.tasks.len() {
            if waits(&self.host.tasks[id]) {
                self.resume(TaskId(id as u32));
            }
        }
    }

    pub(crate) fn report(&mut self, task: TaskId, verdict: &Verdict, outcome: Option<Outcome>) {
        if let Some(witness) = &mut self.witness {
            witness(&crate::Decision::acted(self.host.now, task, verdict.clone(), outcome));
        }
    }

    pub(crate) fn report_holds(&mut self, task: TaskId) {
        if let Some(witness) = &mut self.witness {
            for hold in self.out.take_holds() {
                witness(&crate::Decision::held(self.host.now, task, hold));
            }
        }
    }
}

impl Host {
    fn start_huge_copy(
        &mut self,
        seen: &Observation,
        chunk: usize,
        from: usize,
        to: usize,
        supported: bool,
    ) -> Result<Option<u32>, Failure> {
        let mm = seen.range.mm.index();
        if !supported {
            return Err(Failure::Unsupported);
        }
        let header = self.spaces[mm].chunks[chunk];
        if header.moving || header.kind != ChunkKind::Huge {
            return Err(Failure::Busy);
        }
        if !self.pool.take(to, PAGES_PER_HUGE) {
            return Err(Failure::NoMemory);
        }
        self.spaces[mm].chunks[chunk].moving = true;
        self.spaces[mm].chunks[chunk].armed = true;
        self.tasks[seen.task.index()].work =
            Some(KernelWork::Copy { chunk, from, to, left: HUGE_PAGE.0 as f64, seen: *seen });
        Ok(None)
    }

    /// Moves base pages of one chunk that lie on the same node.
    fn move_base_pages(&mut self, task: TaskId, range: PageRange, from: usize, to: usize) {
        let here = self.node_of_task(task);
        let pages = u64::from(range.pages);
        self.spaces[range.mm.index()].move_base(range.first.0..range.first.0 + pages, to);
        self.pool.give(from, pages);
        self.counters.numa_pages_migrated += pages;
        self.counters.pgmigrate_success += pages;
        self.counters.pages_moved += pages;
        let bytes = (pages * PAGE.0) as f64;
        self.traffic.book(here, from, bytes);
        self.traffic.book(here, to, bytes);
        let copy = bytes / (self.contention.copy_rate(here, from, to) * self.cost.copy_speed);
        self.tasks[task.index()].stall += pages as f64 * self.cost.migrate_page_ns + copy;
    }
}
