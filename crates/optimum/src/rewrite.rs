//! A static placement written as a workload: the same work, with affinities and memory policies.
//!
//! A region whose parts lie on different nodes becomes several regions, each with a policy of its own. A
//! share that is not even becomes layers: of `(1/2, 1/4, 1/4)` three quarters are interleaved over all
//! three nodes and one quarter is bound to the first. A sweep over several regions goes through them one
//! after the other, pass by pass.

use homenode_topology::{Bytes, HUGE_PAGE, NodeId, NodeMask};
use homenode_workload::{MemoryPolicy, Part, Process, Region, Step, Thread, Workload};

use crate::placement::Placement;
use crate::segment::Segment;
use crate::speed::Speed;

/// Most steps a rewritten workload may have.
const MOST_STEPS: u64 = 400_000;

/// A stretch of an old region that is a new region.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    start: u64,
    end: u64,
    nodes: NodeMask,
}

/// The new regions of a process, by old region.
struct Map {
    pieces: Vec<Vec<Piece>>,
    /// Number of the first new region of each old one.
    first: Vec<usize>,
}

/// The workload under a placement; `None` if it would have too many steps.
pub(crate) fn rewrite(
    workload: &Workload,
    segments: &[Segment],
    placement: &Placement,
    speed: &Speed,
) -> Option<Workload> {
    let mut threads = placement.threads.iter().copied();
    let mut budget = MOST_STEPS;
    let mut processes = Vec::new();
    for (number, process) in workload.processes.iter().enumerate() {
        let map = Map::new(number, process, segments, placement, speed);
        let main = map.thread(&process.main, &mut threads, &speed.nodes, &mut budget)?;
        let regions = process.regions.iter().enumerate();
        let regions = regions.flat_map(|(old, region)| map.regions(old, region)).collect();
        processes.push(Process { name: process.name.clone(), regions, main });
    }
    Some(Workload { name: workload.name.clone(), row: workload.row.clone(), processes })
}

impl Map {
    fn new(
        number: usize,
        process: &Process,
        segments: &[Segment],
        placement: &Placement,
        speed: &Speed,
    ) -> Self {
        let mut pieces: Vec<Vec<Piece>> = vec![Vec::new(); process.regions.len()];
        let of_process = segments.iter().zip(&placement.shares);
        for (segment, share) in of_process.filter(|(segment, _)| segment.process == number) {
            let of_region = &mut pieces[segment.region];
            let layers = match segment.random {
                true => vec![blend(segment, share, &speed.nodes)],
                false => layers(segment.start, segment.end, share, &speed.nodes),
            };
            let single = layers.len() == 1;
            for piece in layers {
                match of_region.last_mut() {
                    Some(last) if single && last.nodes == piece.nodes => last.end = piece.end,
                    _ => of_region.push(piece),
                }
            }
        }
        let first = pieces.iter().scan(0, |next, pieces| {
            let first = *next;
            *next += pieces.len();
            Some(first)
        });
        let first = first.collect();
        Self { pieces, first }
    }

    fn regions(&self, old: usize, region: &Region) -> Vec<Region> {
        let pieces = &self.pieces[old];
        let new = pieces.iter().enumerate().map(|(number, piece)| Region {
            name: match pieces.len() {
                1 => region.name.clone(),
                _ => format!("{}.{number}", region.name),
            },
            size: Bytes(piece.end - piece.start),
            policy: match piece.nodes.len() {
                1 => MemoryPolicy::Bind(piece.nodes.clone()),
                _ => MemoryPolicy::Interleave(piece.nodes.clone()),
            },
        });
        new.collect()
    }

    fn thread(
        &self,
        thread: &Thread,
        seats: &mut impl Iterator<Item = Option<usize>>,
        nodes: &[NodeId],
        budget: &mut u64,
    ) -> Option<Thread> {
        let mut steps = Vec::new();
        if let Some(seat) = seats.next().flatten() {
            steps.push(Step::RunOn([nodes[seat]].into_iter().collect()));
        }
        for step in &thread.steps {
            match step {
                Step::SetPolicy(_) | Step::RunOn(_) => {}
                Step::Spawn(child) => {
                    let child = self.thread(child, seats, nodes, budget)?;
                    steps.push(Step::Spawn(Box::new(child)));
                }
                Step::Sweep { region, part, passes, access } => {
                    let parts: Vec<_> = self.parts(*region, *part).collect();
                    let (times, passes) = match parts.len() {
                        0 | 1 => (1, *passes),
                        _ => (*passes, 1),
                    };
                    *budget = budget.checked_sub(u64::from(times) * parts.len() as u64)?;
                    for _ in 0..times {
                        steps.extend(parts.iter().map(|&(region, part)| Step::Sweep {
                            region,
                            part,
                            passes,
                            access: *access,
                        }));
                    }
                }
                Step::Random { region, part, lines, access, compute } => {
                    // A region accessed at random is one piece.
                    steps.extend(self.parts(*region, *part).map(|(region, part)| Step::Random {
                        region,
                        part,
                        lines: *lines,
                        access: *access,
                        compute: *compute,
                    }));
                }
                other => steps.push(other.clone()),
            }
        }
        Some(Thread { steps })
    }

    /// A part of an old region as parts of new ones, in order.
    fn parts(&self, old: usize, part: Part) -> impl Iterator<Item = (usize, Part)> + '_ {
        let pieces = self.pieces[old].iter().enumerate();
        pieces.filter_map(move |(number, piece)| {
            let (start, end) = (part.start.0.max(piece.start), part.end().0.min(piece.end));
            let length = Bytes(end.saturating_sub(start));
            let inside = Part { start: Bytes(start.saturating_sub(piece.start)), length };
            (length > Bytes::ZERO).then_some((self.first[old] + number, inside))
        })
    }
}

/// A whole stretch interleaved over all nodes that have a share.
fn blend(segment: &Segment, share: &[f64], nodes: &[NodeId]) -> Piece {
    let nodes = (0..nodes.len()).filter(|&node| share[node] > 0.0).map(|node| nodes[node]);
    Piece { start: segment.start, end: segment.end, nodes: nodes.collect() }
}

/// Cuts a stretch so that its pieces, each interleaved evenly over its nodes, give the nodes their shares.
/// Pieces are whole huge pages except the last.
fn layers(start: u64, end: u64, share: &[f64], nodes: &[NodeId]) -> Vec<Piece> {
    let all: f64 = share.iter().sum();
    let mut levels: Vec<f64> = share.iter().copied().filter(|weight| *weight > 0.0).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let mut pieces = Vec::new();
    let (mut at, mut below, mut given) = (start, 0.0, 0.0);
    for (turn, &level) in levels.iter().enumerate() {
        let members = || (0..share.len()).filter(|&node| share[node] >= level);
        given += (level - below) * members().count() as f64 / all;
        below = level;
        let huge_pages = (end - start) as f64 * given / HUGE_PAGE.0 as f64;
        let cut = (huge_pages + 0.5) as u64 * HUGE_PAGE.0;
        let until = if turn + 1 == levels.len() { end } else { (start + cut).min(end) };
        if until > at {
            let nodes = members().map(|node| nodes[node]).collect();
            pieces.push(Piece { start: at, end: until, nodes });
            at = until;
        }
    }
    pieces
}

#[cfg(test)]
mod tests;
