//! A thread's walk over its memory, and the proof afterwards that no visit was lost.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Words in a cache line; a walk visits one word of each record of whole lines.
pub const LINE_WORDS: usize = 8;

/// Bytes of memory walked between two looks at the clock and the stop flag.
const CHUNK_BYTES: usize = 1 << 20;

/// A circular walk over records of `stride` words, visiting word `lane` of each. Threads that share
/// memory take different lanes, so that each word has one writer and its value can be foretold.
pub struct Sweep {
    /// The memory, a whole number of records.
    pub words: &'static [AtomicU64],
    /// Words a record.
    pub stride: usize,
    /// Word of the record that this walk visits.
    pub lane: usize,
    /// Record at which the walk starts.
    pub start: usize,
    /// Whether a visit adds one to the word; else it only reads it.
    pub writes: bool,
}

/// What a walk did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visits {
    /// Words visited, passes included.
    pub count: u64,
    /// Sum of the values read, before adding.
    pub sum: u64,
}

/// The value that word `index` holds before any visit (splitmix64 of the index).
#[must_use]
pub fn seed(index: usize) -> u64 {
    let mut z = (index as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Sweep {
    /// Gives the words of this walk their first value, which also places their pages.
    pub fn touch(&self) {
        for index in (self.lane..self.words.len()).step_by(self.stride) {
            self.words[index].store(seed(index), Relaxed);
        }
    }

    /// Walks until `stop`, sleeping `pause` after each MiB, and counts visits in `progress`.
    pub fn run(&self, stop: &AtomicBool, progress: &AtomicU64, pause: Duration) -> Visits {
        let records = self.words.len() / self.stride;
        let chunk = CHUNK_BYTES / (self.stride * size_of::<u64>());
        let mut record = self.start;
        let mut visits = Visits { count: 0, sum: 0 };
        while !stop.load(Relaxed) {
            for _ in 0..chunk {
                let word = &self.words[record * self.stride + self.lane];
                let value = word.load(Relaxed);
                visits.sum = visits.sum.wrapping_add(value);
                if self.writes {
                    word.store(value.wrapping_add(1), Relaxed);
                }
                record += 1;
                if record == records {
                    record = 0;
                }
            }
            visits.count += chunk as u64;
            progress.store(visits.count, Relaxed);
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
        }
        visits
    }

    /// Words of this walk that do not hold what `visits` must have left there, plus one when the
    /// values read do not add up.
    #[must_use]
    pub fn damage(&self, visits: Visits) -> u64 {
        let records = self.words.len() / self.stride;
        let (passes, rest) = (visits.count / records as u64, visits.count % records as u64);
        let mut wrong = 0;
        let mut sum = 0_u64;
        for record in 0..records {
            let index = record * self.stride + self.lane;
            let offset = ((record + records - self.start) % records) as u64;
            let times = passes + u64::from(offset < rest);
            let (added, repeats) =
                if self.writes { (times, times * times.saturating_sub(1) / 2) } else { (0, 0) };
            sum = sum.wrapping_add(seed(index).wrapping_mul(times)).wrapping_add(repeats);
            let expected = seed(index).wrapping_add(added);
            wrong += u64::from(self.words[index].load(Relaxed) != expected);
        }
        wrong + u64::from(sum != visits.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: usize) -> &'static [AtomicU64] {
        Vec::leak((0..bytes / 8).map(|_| AtomicU64::new(0)).collect())
    }

    fn walk(sweep: &Sweep, at_least: u64) -> Visits {
        let (stop, progress) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            let walker = scope.spawn(|| sweep.run(&stop, &progress, Duration::ZERO));
            while progress.load(Relaxed) < at_least {
                std::thread::yield_now();
            }
            stop.store(true, Relaxed);
            walker.join().unwrap()
        })
    }

    fn sweep(writes: bool, start: usize) -> Sweep {
        let words = memory(3 << 19);
        Sweep { words, stride: LINE_WORDS, lane: 3, start, writes }
    }

    #[test]
    fn an_undisturbed_walk_leaves_no_damage() {
        for (writes, start) in [(true, 0), (true, 777), (false, 0), (false, 777)] {
            let sweep = sweep(writes, start);
            sweep.touch();
            let visits = walk(&sweep, 100_000);
            assert_eq!(sweep.damage(visits), 0, "writes={writes} start={start}");
        }
    }

    #[test]
    fn one_changed_word_is_damage() {
        for writes in [true, false] {
            let sweep = sweep(writes, 5);
            sweep.touch();
            let visits = walk(&sweep, 50_000);
            sweep.words[8 * 100 + 3].fetch_xor(1 << 40, Relaxed);
            assert_eq!(sweep.damage(visits), 1, "writes={writes}");
        }
    }

    #[test]
    fn one_lost_visit_is_damage() {
        let sweep = sweep(true, 0);
        sweep.touch();
        let visits = walk(&sweep, 50_000);
        assert!(sweep.damage(Visits { count: visits.count - 1, ..visits }) > 0);
    }

    #[test]
    fn a_zeroed_page_is_damage_to_a_reader() {
        let sweep = sweep(false, 0);
        sweep.touch();
        sweep.words[512..1024].iter().for_each(|word| word.store(0, Relaxed));
        let visits = walk(&sweep, 50_000);
        assert_eq!(sweep.damage(visits), 65);
    }

    #[test]
    fn threads_that_share_memory_do_not_lose_each_others_visits() {
        let words = memory(1 << 20);
        let sweeps: Vec<Sweep> = (0..4)
            .map(|lane| Sweep { words, stride: LINE_WORDS, lane, start: lane * 100, writes: true })
            .collect();
        sweeps.iter().for_each(Sweep::touch);
        std::thread::scope(|scope| {
            for sweep in &sweeps {
                scope.spawn(move || assert_eq!(sweep.damage(walk(sweep, 200_000)), 0));
            }
        });
    }
}
