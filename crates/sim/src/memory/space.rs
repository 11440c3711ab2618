//! An address space: mappings, and a header for each 2 MiB of them.
//!
//! A huge page lives in its header alone. The 512 words and mark bits of base pages are allocated only
//! in address spaces that have some.

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
    /// The huge page.
    pub(crate) word: Word,
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
    pub(crate) fn chunks(&self) -> core::ops::Range<usize> {
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

    /// Replaces the tag of a base page.
    pub(crate) fn set_tag(&mut self, page: u64, tag: homenode_balance::PageTag) {
        self.words[page as usize].set_tag(tag);
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
    }

    /// Moves a base page.
    pub(crate) fn move_base(&mut self, page: u64, to: usize) {
        let chunk = (page / PAGES_PER_HUGE) as usize;
        let from = self.words[page as usize].node();
        self.words[page as usize].set_node(to);
        self.counts[chunk * self.nodes + from] -= 1;
        self.counts[chunk * self.nodes + to] += 1;
        self.resident[from] -= 1;
        self.resident[to] += 1;
    }

    /// Arms all present base pages of a chunk; returns how many were not armed before.
    pub(crate) fn arm_base(&mut self, chunk: usize) -> u64 {
        let Chunk { marked, present, .. } = self.chunks[chunk];
        if marked == present {
            return 0;
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

    /// Restores access to a base page.
    pub(crate) fn unmark(&mut self, page: u64) {
        if self.is_marked(page) {
            self.marks[page as usize / 64] &= !(1 << (page % 64));
            self.chunks[page as usize / PAGES].marked -= 1;
        }
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

    /// The node that holds all present pages of a chunk, if one does.
    pub(crate) fn only_node(&self, chunk: usize) -> Option<usize> {
        let present = self.chunks[chunk].present;
        let counts = self.counts(chunk);
        counts.iter().position(|&count| count == present).filter(|_| present > 0)
    }
}
