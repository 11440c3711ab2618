//! One page in four bytes: node 8 bits, the policy's tag 20 bits, present 1 bit (machine-model 3).

use homenode_balance::PageTag;

/// A page's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word(u32);

const NODE: u32 = 0xff;
const TAG_SHIFT: u32 = 8;
const TAG: u32 = ((1 << PageTag::BITS) - 1) << TAG_SHIFT;
const PRESENT: u32 = 1 << 31;

impl Word {
    /// Highest number of nodes a word can name.
    pub(crate) const NODES: usize = 256;

    /// A present page on a node, with nothing recorded.
    pub(crate) fn on(node: usize) -> Self {
        Self(PRESENT | (node as u32 & NODE))
    }

    pub(crate) fn is_present(self) -> bool {
        self.0 & PRESENT != 0
    }

    pub(crate) fn node(self) -> usize {
        (self.0 & NODE) as usize
    }

    pub(crate) fn tag(self) -> PageTag {
        PageTag((self.0 & TAG) >> TAG_SHIFT)
    }

    pub(crate) fn set_tag(&mut self, tag: PageTag) {
        self.0 = (self.0 & !TAG) | ((tag.0 << TAG_SHIFT) & TAG);
    }

    /// Whether all words are equal.
    pub(crate) fn are_alike(words: &[Self]) -> bool {
        let first = words.first().copied().unwrap_or_default();
        words.iter().fold(0, |differences, word| differences | (word.0 ^ first.0)) == 0
    }

    /// Moves the page; the tag goes with it.
    pub(crate) fn set_node(&mut self, node: usize) {
        self.0 = (self.0 & !NODE) | (node as u32 & NODE);
    }
}

#[cfg(test)]
mod tests {
    use super::Word;
    use homenode_balance::PageTag;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn node_and_tag_do_not_disturb_each_other(a in 0usize..256, b in 0usize..256, tag in 0u32..1 << 20) {
            let mut word = Word::on(a);
            word.set_tag(PageTag(tag));
            prop_assert_eq!((word.node(), word.tag().0), (a, tag));
            word.set_node(b);
            prop_assert_eq!((word.node(), word.tag().0, word.is_present()), (b, tag, true));
        }
    }
}
