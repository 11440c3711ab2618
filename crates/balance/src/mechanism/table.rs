//! State kept for each task, address space or node, found by number in one step.

use alloc::vec::Vec;

/// A dense table: hosts number tasks and address spaces from 0 without gaps, and node ids are small.
/// Only [`Table::insert`] allocates, so looking up and changing entries is safe in a hinting fault.
#[derive(Clone, Debug)]
pub struct Table<T> {
    entries: Vec<Option<T>>,
}

impl<T> Table<T> {
    /// The empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Sets the entry of `index`, whatever it was before.
    pub fn insert(&mut self, index: usize, entry: T) {
        if index >= self.entries.len() {
            self.entries.resize_with(index + 1, || None);
        }
        self.entries[index] = Some(entry);
    }

    /// Forgets the entry of `index`.
    pub fn remove(&mut self, index: usize) {
        if let Some(entry) = self.entries.get_mut(index) {
            *entry = None;
        }
    }

    /// Whether `index` has an entry.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.get(index).is_some()
    }

    /// The entry of `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.entries.get(index)?.as_ref()
    }

    /// The entry of `index`, to change.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.entries.get_mut(index)?.as_mut()
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn numbers_may_appear_in_any_order() {
        let mut table = Table::new();
        table.insert(3, 'd');
        table.insert(1, 'b');
        assert_eq!(table.get(3), Some(&'d'));
        assert_eq!(table.get(2), None);
        assert!(table.contains(1) && !table.contains(0) && !table.contains(99));
    }

    #[test]
    fn a_removed_entry_is_gone_and_removing_nothing_does_nothing() {
        let mut table = Table::new();
        table.insert(1, 'b');
        table.remove(1);
        table.remove(7);
        assert_eq!(table.get_mut(1), None);
    }
}
