//! A scanner's walk: makes present pages inaccessible so that the next touch faults (other-trees 4.3,
//! 4.4).

use homenode_balance::WalkRules;
use homenode_topology::{PAGES_PER_HUGE, PageIndex};

use super::{ChunkKind, Space};

/// What a walk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// Where the next walk starts; `None` at the end of the address space.
    pub(crate) next: Option<PageIndex>,
    /// Base pages looked at, entries of huge pages counted once.
    pub(crate) looked_at: u64,
    /// Base page table entries changed.
    pub(crate) armed_base: u64,
    /// Huge entries charged; they are charged even when they were armed already.
    pub(crate) armed_huge: u64,
    /// Budget used, in base pages.
    pub(crate) charged: u64,
}

/// Walks from `from` until `budget` base pages are charged or the end is reached.
pub(crate) fn walk(space: &mut Space, from: PageIndex, budget: u64, rules: &WalkRules) -> Walked {
    let mut walked = Walked::default();
    for index in 0..space.vmas.len() {
        let (chunks, pages) = (space.vmas[index].chunks(), space.vmas[index].pages);
        if pages < PAGES_PER_HUGE && !rules.small_vmas {
            continue;
        }
        let start = ((from.0 / PAGES_PER_HUGE) as usize).max(chunks.start);
        for chunk in start..chunks.end {
            if walked.charged >= budget {
                walked.next = Some(PageIndex(chunk as u64 * PAGES_PER_HUGE));
                return walked;
            }
            visit(space, chunk, rules, &mut walked);
        }
    }
    walked
}

fn visit(space: &mut Space, chunk: usize, rules: &WalkRules, walked: &mut Walked) {
    match space.chunks[chunk].kind {
        ChunkKind::Empty => {}
        ChunkKind::Huge => {
            space.chunks[chunk].armed = true;
            walked.looked_at += 1;
            walked.armed_huge += 1;
            walked.charged += PAGES_PER_HUGE;
        }
        ChunkKind::Base => {
            let changed = space.arm_base(chunk);
            walked.looked_at += u64::from(space.chunks[chunk].present);
            walked.armed_base += changed;
            walked.charged += changed;
            if rules.pmd_hints && space.chunks[chunk].only.is_some() {
                space.chunks[chunk].armed = true;
            }
        }
    }
}

#[cfg(test)]
mod tests;
