//! An address space: mappings, and a header for each 2 MiB of them.
//!
//! A huge page lives in its header alone. The 512 words and mark bits of base pages are allocated only
//! in address spaces that have some.

use std::ops::Range;

use homenode_balance::PageTag;
use homenode_topology::{Bytes, PAGES_PER_HUGE, PageIndex};
use homenode_workload::MemoryPolicy;

use super::Word;

/// Base pages in a chunk.
pub(crate) const PAGES: usize = PAGES_PER_HUGE as usize;
const WORDS: usize = PAGES / 64;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    /// Nothing yet.
    Empty,
    /// One huge page.
    Huge,
    /// Base pages, some of them perhaps missing.
    Base,
}

/// Header of 2 MiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(crate) kind: ChunkKind,
    /// Whether the whole entry is armed: the huge page, or a page-middle-directory hint over base pages.
    pub(crate) armed: bool,
    /// Whether the huge page is being copied.
    pub(crate) moving: bool,
    /// Armed base pages.
    pub(crate) marked: u16,
    /// Present base pages.
    pub(crate) present: u16,
    /// The node that holds all present base pages, if one does.
    pub(crate) only: Option<u8>,
    /// The huge page.
    pub(crate) word: Word,
}

impl Chunk {
    /// The one node that a thread can stream from through the whole chunk without a fault, if there is
    /// one.
    pub(crate) fn calm_node(&self) -> Option<usize> {
        match self.kind {
            ChunkKind::Huge if !self.armed => Some(self.word.node()),
            ChunkKind::Base if self.marked == 0 && usize::from(self.present) == PAGES => {
                self.only.map(usize::from)
            }
            _ => None,
        }
    }
}

/// A mapping.
#[derive(Clone, Debug)]
pub(crate) struct Vma {
    /// First chunk.
    pub(crate) first: usize,
    /// Length in base pages.
    pub(crate) pages: u64,
    pub(crate) policy: MemoryPolicy,
}

impl Vma {
    /// Chunks it touches.
    pub(crate) fn chunks(&self) -> Range<usize> {
        self.first..self.first + self.pages.div_ceil(PAGES_PER_HUGE) as usize
    }

    /// Base pages of a chunk that belong to it.
    pub(crate) fn pages_in(&self, chunk: usize) -> u64 {
        (self.pages - (chunk - self.first) as u64 * PAGES_PER_HUGE).min(PAGES_PER_HUGE)
    }
}

/// An address space.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) vmas: Vec<Vma>,
    pub(crate) chunks: Vec<Chunk>,
    nodes: usize,
    counts: Vec<u16>,
    words: Vec<Word>,
    marks: Vec<u64>,
    /// Present base pages by node.
    pub(crate) resident: Vec<u64>,
}

impl Space {
    /// An address space with these mappings, each starting at a 2 MiB boundary.
    pub(crate) fn new(mappings: impl Iterator<Item = (Bytes, MemoryPolicy)>, nodes: usize) -> Self {
        let mut vmas = Vec::new();
        let mut first = 0;
        for (size, policy) in mappings {
            let vma = Vma { first, pages: size.pages(), policy };
            first = vma.chunks().end;
            vmas.push(vma);
        }
        let empty = Chunk {
            kind: ChunkKind::Empty,
            armed: false,
            moving: false,
            marked: 0,
            present: 0,
            only: None,
            word: Word::default(),
        };
        Self {
            vmas,
            chunks: vec![empty; first],
            nodes,
            counts: vec![0; first * nodes],
            words: Vec::new(),
            marks: Vec::new(),
            resident: vec![0; nodes],
        }
    }

    /// Present base pages of a chunk, by node.
    pub(crate) fn counts(&self, chunk: usize) -> &[u16] {
        &self.counts[chunk * self.nodes..(chunk + 1) * self.nodes]
    }

    /// A base page.
    pub(crate) fn word(&self, page: u64) -> Word {
        self.words.get(page as usize).copied().unwrap_or_default()
    }

    /// The node of a page, huge or base.
    pub(crate) fn node_of(&self, page: PageIndex) -> Option<usize> {
        let chunk = self.chunks.get((page.0 / PAGES_PER_HUGE) as usize)?;
        match chunk.kind {
            ChunkKind::Empty => None,
            ChunkKind::Huge => Some(chunk.word.node()),
            ChunkKind::Base => {
                let word = self.word(page.0);
                word.is_present().then(|| word.node())
            }
        }
    }

    /// Maps a huge page into an empty chunk.
    pub(crate) fn map_huge(&mut self, chunk: usize, node: usize) {
        let header = &mut self.chunks[chunk];
        header.kind = ChunkKind::Huge;
        header.present = PAGES as u16;
        header.word = Word::on(node);
        self.counts[chunk * self.nodes + node] = PAGES as u16;
        self.resident[node] += PAGES_PER_HUGE;
    }

    /// Moves a huge page.
    pub(crate) fn move_huge(&mut self, chunk: usize, to: usize) {
        let from = self.chunks[chunk].word.node();
        self.chunks[chunk].word.set_node(to);
        self.counts[chunk * self.nodes + from] = 0;
        self.counts[chunk * self.nodes + to] = PAGES as u16;
        self.resident[from] -= PAGES_PER_HUGE;
        self.resident[to] += PAGES_PER_HUGE;
    }

    /// Maps a base page that is not present.
    pub(crate) fn map_base(&mut self, page: u64, node: usize) {
        if self.words.is_empty() {
            self.words = vec![Word::default(); self.chunks.len() * PAGES];
            self.marks = vec![0; self.chunks.len() * WORDS];
        }
        let chunk = (page / PAGES_PER_HUGE) as usize;
        let header = &mut self.chunks[chunk];
        header.kind = ChunkKind::Base;
        header.present += 1;
        self.words[page as usize] = Word::on(node);
        self.counts[chunk * self.nodes + node] += 1;
        self.resident[node] += 1;
        self.settle(chunk, node);
    }

    /// Moves base pages of one chunk that lie on the same node.
    pub(crate) fn move_base(&mut self, pages: Range<u64>, to: usize) {
        let chunk = (pages.start / PAGES_PER_HUGE) as usize;
        let moved = pages.end - pages.start;
        let words = &mut self.words[pages.start as usize..pages.end as usize];
        let from = words[0].node();
        for word in words {
            word.set_node(to);
        }
        self.counts[chunk * self.nodes + from] -= moved as u16;
        self.counts[chunk * self.nodes + to] += moved as u16;
        self.resident[from] -= moved;
        self.resident[to] += moved;
        self.settle(chunk, to);
    }

    /// Brings a base chunk's header up to date after pages came to or moved to `node`.
    fn settle(&mut self, chunk: usize, node: usize) {
        let all = self.counts[chunk * self.nodes + node] == self.chunks[chunk].present;
        self.chunks[chunk].only = all.then_some(node as u8);
    }

    /// Arms all present base pages of a chunk; returns how many were not armed before.
    pub(crate) fn arm_base(&mut self, chunk: usize) -> u64 {
        let Chunk { marked, present, .. } = self.chunks[chunk];
        if marked == present {
            return 0;
        }
        if usize::from(present) == PAGES {
            self.marks[chunk * WORDS..(chunk + 1) * WORDS].fill(u64::MAX);
            self.chunks[chunk].marked = present;
            return u64::from(present - marked);
        }
        for (bits, words) in self.marks[chunk * WORDS..]
            .iter_mut()
            .zip(self.words[chunk * PAGES..(chunk + 1) * PAGES].chunks(64))
        {
            let present = |(bit, word): (usize, &Word)| u64::from(word.is_present()) << bit;
            *bits = words.iter().enumerate().map(present).sum();
        }
        self.chunks[chunk].marked = present;
        u64::from(present - marked)
    }

    /// Whether a base page is armed.
    pub(crate) fn is_marked(&self, page: u64) -> bool {
        self.marks.get(page as usize / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    /// Restores access to armed base pages of one chunk.
    pub(crate) fn unmark(&mut self, pages: Range<u64>) {
        let chunk = (pages.start / PAGES_PER_HUGE) as usize;
        if (pages.end - pages.start) as usize == PAGES {
            self.marks[chunk * WORDS..(chunk + 1) * WORDS].fill(0);
            self.chunks[chunk].marked = 0;
            return;
        }
        for page in pages {
            if self.is_marked(page) {
                self.marks[page as usize / 64] &= !(1 << (page % 64));
                self.chunks[chunk].marked -= 1;
            }
        }
    }

    /// Replaces the tags of base pages.
    pub(crate) fn set_tags(&mut self, pages: Range<u64>, tag: PageTag) {
        for word in &mut self.words[pages.start as usize..pages.end as usize] {
            word.set_tag(tag);
        }
    }

    /// Whether a chunk holds 512 armed base pages in the same state.
    pub(crate) fn is_uniform(&self, chunk: usize) -> bool {
        let header = &self.chunks[chunk];
        let words = &self.words[chunk * PAGES..(chunk + 1) * PAGES];
        usize::from(header.marked) == PAGES && Word::are_alike(words)
    }

    /// The next armed base page in `from..end` (both in one chunk).
    pub(crate) fn next_marked(&self, from: u64, end: u64) -> Option<u64> {
        let mut page = from;
        while page < end {
            let bits = self.marks[page as usize / 64] >> (page % 64);
            if bits != 0 {
                let found = page + u64::from(bits.trailing_zeros());
                return (found < end).then_some(found);
            }
            page = (page / 64 + 1) * 64;
        }
        None
    }

    /// The next base page in `from..end` (both in one chunk) that is not present.
    pub(crate) fn next_missing(&self, from: u64, end: u64) -> Option<u64> {
        (from..end).find(|&page| !self.word(page).is_present())
    }
}

#[cfg(test)]
mod tests;
