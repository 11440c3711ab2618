//! Whether a move may be tried at all.
//!
//! Intent: a page that arrives on a full node wakes reclaim there, which costs more than the remote
//! accesses it saves. Source: balancenuma V5 patches 31-33, unchanged in Linux 3.11 and in V9
//! (other-trees 4.2 "page eligibility", balancing-v9 5.4 step 3).
//!
//! The other half of the rule, that a page must be mapped exactly once, is the host's: it neither arms
//! nor reports pages mapped more than once under these trees.

/// Whether a node with `free` base pages above its high watermark can take `pages` more.
#[must_use]
pub const fn has_room(free: u64, pages: u32) -> bool {
    free >= pages as u64
}

#[cfg(test)]
mod tests {
    use super::has_room;

    /// Other-trees 4.2 "page eligibility": the high watermark plus the pages to move.
    #[test]
    fn the_pages_to_move_must_fit_above_the_watermark() {
        assert!(has_room(512, 512));
        assert!(!has_room(511, 512));
        assert!(has_room(1, 1));
        assert!(!has_room(0, 1), "a node without memory has no room");
    }
}
