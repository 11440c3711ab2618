//! Accesses at uniformly random places of a region.
//!
//! Uniform accesses have no memory, so no stream of addresses is needed: in a slice with `n` accesses
//! to a part of `P` pages each armed or missing page is touched with probability `1 - exp(-n / P)`, and
//! the task's rate follows from where the part's pages lie (machine-model 3). Exact in distribution.

use homenode_balance::TaskId;
use homenode_topology::{HUGE_PAGE, Nanos, PAGE, PAGES_PER_HUGE};
use homenode_workload::{Access, Part};

use crate::host::Host;
use crate::memory::ChunkKind;
use crate::meter::Meter;
use crate::run::Run;
use crate::stream::{Kind, Stream};
use crate::task::{Progress, State};

const LINE: f64 = 64.0;

impl Run<'_> {
    /// Goes on with random accesses until the slice is spent or they are done.
    #[allow(clippy::too_many_arguments, reason = "the fields of the step")]
    pub(crate) fn random(
        &mut self,
        task: TaskId,
        region: usize,
        part: Part,
        lines: u64,
        access: Access,
        compute: Nanos,
        meter: &mut Meter,
    ) {
        let t = task.index();
        if let Progress::Fresh = self.host.tasks[t].progress {
            self.host.tasks[t].progress = Progress::Random { lines, spent: 0.0 };
        }
        let Progress::Random { lines: left, spent } = self.host.tasks[t].progress else { return };
        if left == 0 || part.length.0 == 0 {
            self.host.tasks[t].next_step();
            return;
        }
        let mm = self.host.tasks[t].mm.index();
        let first_chunk = self.host.spaces[mm].vmas[region].first as u64;
        let first = first_chunk * PAGES_PER_HUGE + part.start.0 / PAGE.0;
        let pages = part.length.pages();
        let here = self.host.node_of_task(task);
        let mix = self.host.mix(mm, first, pages, here);
        let miss = self.host.miss_ratio(here, part);
        let latency: f64 =
            mix.iter().map(|&(node, share)| share * self.host.contention.latency(here, node)).sum();
        let per_line = compute.0 as f64 / meter.speed() + miss * latency + 1.0;
        let traffic = miss * LINE * access.traffic() as f64;
        let room = mix
            .iter()
            .map(|&(node, share)| self.host.traffic.room(here, node) / (share * traffic))
            .fold(f64::INFINITY, f64::min);
        let time = spent + meter.left();
        let done = left.min((time / per_line).min(room) as u64);
        for &(node, share) in &mix {
            self.host.traffic.book(here, node, done as f64 * traffic * share);
        }
        let used = done as f64 * per_line;
        let spent = if done < left {
            meter.spend_all();
            (time - used).min(per_line)
        } else {
            meter.spend(used - spent);
            0.0
        };
        let pull = |&(node, share): &(usize, f64)| {
            (node, traffic * share / per_line / self.host.contention.rate(here, node))
        };
        self.host.tasks[t].scatter = mix.iter().map(pull).collect();
        self.host.tasks[t].progress = Progress::Random { lines: left - done, spent };
        if done > 0 {
            self.touch_at_random(task, region, first, pages, done, access, meter);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of the step")]
    fn touch_at_random(
        &mut self,
        task: TaskId,
        region: usize,
        first: u64,
        pages: u64,
        accesses: u64,
        access: Access,
        meter: &Meter,
    ) {
        let mm = self.host.tasks[task.index()].mm.index();
        let rate = accesses as f64 / pages as f64;
        let id = (u64::from(task.0) << 40) ^ self.quanta;
        let mut stream = Stream::new(self.seed, Kind::Region, id);
        let touched = |pages: f64| 1.0 - libm::exp(-rate * pages);
        let chunks = first / PAGES_PER_HUGE..(first + pages).div_ceil(PAGES_PER_HUGE);
        for chunk in chunks {
            let start = (chunk * PAGES_PER_HUGE).max(first);
            let end = ((chunk + 1) * PAGES_PER_HUGE).min(first + pages);
            let header = self.host.spaces[mm].chunks[chunk as usize];
            let span = (end - start) as f64;
            match header.kind {
                ChunkKind::Empty if self.host.takes_huge(mm, region, chunk as usize) => {
                    if stream.unit() <= touched(span) {
                        let page = start + stream.below(end - start);
                        self.first_touch(task, region, page);
                        if self.host.tasks[task.index()].work.is_some() {
                            return;
                        }
                    }
                }
                ChunkKind::Huge => {
                    if header.armed && stream.unit() <= touched(span) {
                        self.entry_fault(task, chunk as usize, access, meter);
                        let task = &self.host.tasks[task.index()];
                        if task.work.is_some() || task.state != State::Runnable {
                            return;
                        }
                    }
                }
                ChunkKind::Empty | ChunkKind::Base => {
                    self.touch_base_pages(
                        task,
                        region,
                        start..end,
                        rate,
                        &mut stream,
                        access,
                        meter,
                    );
                }
            }
        }
    }

    /// Visits each page of a base chunk with the probability of being touched, by geometric skips.
    #[allow(clippy::too_many_arguments, reason = "the fields of the step")]
    fn touch_base_pages(
        &mut self,
        task: TaskId,
        region: usize,
        pages: core::ops::Range<u64>,
        rate: f64,
        stream: &mut Stream,
        access: Access,
        meter: &Meter,
    ) {
        let mm = self.host.tasks[task.index()].mm.index();
        let chunk = (pages.start / PAGES_PER_HUGE) as usize;
        let header = self.host.spaces[mm].chunks[chunk];
        if header.marked == 0 && u64::from(header.present) == PAGES_PER_HUGE {
            return;
        }
        let mut page = pages.start;
        loop {
            // The number of untouched pages before the next touched one: P(skip >= k) = exp(-rate k).
            let skip = stream.exponential(1.0 / rate);
            if skip >= (pages.end - page) as f64 {
                return;
            }
            page += skip as u64;
            let space = &self.host.spaces[mm];
            if !space.word(page).is_present() {
                self.first_touch(task, region, page);
            } else if space.is_marked(page) {
                if space.chunks[chunk].armed {
                    self.entry_fault(task, chunk, access, meter);
                } else {
                    self.page_fault(task, page, access, meter);
                }
            }
            page += 1;
            if page >= pages.end {
                return;
            }
        }
    }
}

impl Host {
    /// Nodes that hold pages of a part, with their shares; all on `here` while nothing is present.
    fn mix(&self, mm: usize, first: u64, pages: u64, here: usize) -> Vec<(usize, f64)> {
        let space = &self.spaces[mm];
        let mut counts = vec![0u64; self.layout.nodes.len()];
        for chunk in first / PAGES_PER_HUGE..(first + pages).div_ceil(PAGES_PER_HUGE) {
            for (sum, count) in counts.iter_mut().zip(space.counts(chunk as usize)) {
                *sum += u64::from(*count);
            }
        }
        let all: u64 = counts.iter().sum();
        if all == 0 {
            return vec![(here, 1.0)];
        }
        let held = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        held.map(|(node, &count)| (node, count as f64 / all as f64)).collect()
    }

    /// Share of uniformly random accesses that miss the last-level cache: the part of the working set
    /// that exceeds the task's share of it (machine-model 2.1).
    fn miss_ratio(&self, node: usize, part: Part) -> f64 {
        let busy = self.layout.cpus_of[node].iter().filter(|&&cpu| self.sched.is_busy(cpu)).count();
        let share = self.machine.nodes[node].llc.0 as f64 / busy.max(1) as f64;
        (1.0 - share / part.length.0.max(HUGE_PAGE.0 / 512) as f64).max(0.0)
    }
}
