//! Stretches of memory by who uses them.

use std::collections::BTreeMap;

use homenode_topology::HUGE_PAGE;
use homenode_workload::{Part, Step, Workload};

use crate::demand::Need;
use crate::speed::{LINE, Speed};

/// Work of cutting one region, accesses times boundaries, above which it is left whole.
const MOST_WORK: usize = 4_000_000;

/// A stretch of a region that the same threads use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) process: usize,
    pub(crate) region: usize,
    /// First byte and the first after it; multiples of 2 MiB except at the region's end.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Whether it is accessed at random places. Then it must not be cut: pieces would be accessed one after
    /// the other, not in an even mix.
    pub(crate) random: bool,
    /// The thread that causes more than half of the traffic.
    pub(crate) owner: Option<usize>,
    /// Traffic of each thread, bytes.
    pub(crate) users: BTreeMap<usize, f64>,
}

/// One thread's accesses to a stretch.
struct Access {
    part: Part,
    thread: usize,
    /// Traffic for each byte of the part.
    density: f64,
}

/// All memory of a workload cut where its users change.
pub(crate) fn segments(workload: &Workload, needs: &[Need<'_>], speed: &Speed) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (process, program) in workload.processes.iter().enumerate() {
        for (region, memory) in program.regions.iter().enumerate() {
            let (accesses, random) = accesses(needs, process, region, speed);
            let size = memory.size.0;
            let mut edges = vec![0, size];
            if !random {
                let ends = |access: &Access| [access.part.start.0, access.part.end().0];
                edges.extend(accesses.iter().flat_map(ends).map(|at| round(at, size)));
            }
            edges.sort_unstable();
            edges.dedup();
            if accesses.len() * edges.len() > MOST_WORK {
                edges = vec![0, size];
            }
            segments.extend(edges.windows(2).map(|ends| {
                let users = users(&accesses, ends[0], ends[1]);
                Segment {
                    process,
                    region,
                    start: ends[0],
                    end: ends[1],
                    random,
                    owner: owner(&users),
                    users,
                }
            }));
        }
    }
    segments
}

/// To the nearest huge page, so that every piece but the last can be made of huge pages.
fn round(at: u64, size: u64) -> u64 {
    if at >= size { size } else { (at + HUGE_PAGE.0 / 2) / HUGE_PAGE.0 * HUGE_PAGE.0 }.min(size)
}

fn accesses(
    needs: &[Need<'_>],
    process: usize,
    wanted: usize,
    speed: &Speed,
) -> (Vec<Access>, bool) {
    let mut found = Vec::new();
    let mut random = false;
    for (thread, need) in needs.iter().enumerate().filter(|(_, need)| need.process == process) {
        for step in &need.thread.steps {
            match step {
                Step::Sweep { region, part, passes, access } if *region == wanted => {
                    let passes = speed.memory_passes(*part, *passes, *access);
                    let density = f64::from(passes) * access.traffic() as f64;
                    found.push(Access { part: *part, thread, density });
                }
                Step::Random { region, part, lines, access, .. } if *region == wanted => {
                    let traffic = *lines as f64 * LINE * access.traffic() as f64;
                    let density = traffic * speed.miss_ratio(*part) / part.length.0.max(1) as f64;
                    found.push(Access { part: *part, thread, density });
                    random = true;
                }
                _ => {}
            }
        }
    }
    (found, random)
}

fn users(accesses: &[Access], start: u64, end: u64) -> BTreeMap<usize, f64> {
    let mut users = BTreeMap::new();
    for access in accesses {
        let common = access.part.end().0.min(end).saturating_sub(access.part.start.0.max(start));
        if common > 0 {
            *users.entry(access.thread).or_insert(0.0) += common as f64 * access.density;
        }
    }
    users
}

fn owner(users: &BTreeMap<usize, f64>) -> Option<usize> {
    let all: f64 = users.values().sum();
    users.iter().find(|(_, traffic)| **traffic > all / 2.0).map(|(thread, _)| *thread)
}
