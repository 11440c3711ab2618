//! Sets of CPUs and nodes, of any size, in the kernel's list syntax (`0-3,8`).

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CpuId, NodeId};

/// A set of ids. Grows on insertion; two masks with the same members are equal whatever their capacity.
#[derive(Clone)]
pub struct Mask<I> {
    bits: FixedBitSet,
    of: PhantomData<I>,
}

/// A set of logical CPUs.
pub type CpuMask = Mask<CpuId>;
/// A set of nodes.
pub type NodeMask = Mask<NodeId>;

/// Ids beyond this are taken for damaged input: no kernel is built for so many.
const HIGHEST_ID: usize = (1 << 16) - 1;

impl<I: Copy + From<usize> + Into<usize>> Mask<I> {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self { bits: FixedBitSet::new(), of: PhantomData }
    }

    /// Adds a member.
    pub fn insert(&mut self, id: I) {
        self.bits.grow_and_insert(id.into());
    }

    /// Removes a member, if it is one.
    pub fn remove(&mut self, id: I) {
        if self.contains(id) {
            self.bits.set(id.into(), false);
        }
    }

    /// Whether `id` is a member.
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        self.bits.contains(id.into())
    }

    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// The lowest member.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.bits.minimum().map(I::from)
    }

    /// The highest member.
    #[must_use]
    pub fn last(&self) -> Option<I> {
        self.bits.maximum().map(I::from)
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.bits.ones().map(I::from)
    }

    /// Members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|&id| other.contains(id)).collect()
    }

    /// Members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Members of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.iter().filter(|&id| !other.contains(id)).collect()
    }

    /// Whether every member is in the other set too.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|id| other.contains(id))
    }
}

impl<I: Copy + From<usize> + Into<usize>> Default for Mask<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Copy + From<usize> + Into<usize>> PartialEq for Mask<I> {
    fn eq(&self, other: &Self) -> bool {
        self.bits.ones().eq(other.bits.ones())
    }
}

impl<I: Copy + From<usize> + Into<usize>> Eq for Mask<I> {}

impl<I: Copy + From<usize> + Into<usize>> FromIterator<I> for Mask<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut mask = Self::new();
        mask.extend(ids);
        mask
    }
}

impl<I: Copy + From<usize> + Into<usize>> Extend<I> for Mask<I> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, ids: T) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<I: Copy + From<usize> + Into<usize>> fmt::Display for Mask<I> {
    /// Kernel list syntax; the empty set prints as nothing, as in sysfs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut members = self.bits.ones().peekable();
        let mut separator = "";
        while let Some(start) = members.next() {
            let mut end = start;
            while members.next_if_eq(&(end + 1)).is_some() {
                end += 1;
            }
            if start == end {
                write!(f, "{separator}{start}")?;
            } else {
                write!(f, "{separator}{start}-{end}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

impl<I: Copy + From<usize> + Into<usize>> fmt::Debug for Mask<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// Why a list such as `0-3,8` could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a list such as `0-3,8` but found `{item}` in `{list}`")]
pub struct ParseListError {
    /// The part that is wrong.
    pub item: String,
    /// The whole list as given.
    pub list: String,
}

impl<I: Copy + From<usize> + Into<usize>> FromStr for Mask<I> {
    type Err = ParseListError;

    /// Reads the kernel's list syntax: numbers and `first-last` ranges, with the strided form
    /// `first-last:used/group`, separated by commas. White space around it is ignored.
    fn from_str(list: &str) -> Result<Self, ParseListError> {
        let mut mask = Self::new();
        for item in list.trim().split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let members = item_members(item)
                .ok_or_else(|| ParseListError { item: item.to_string(), list: list.to_string() })?;
            for id in members {
                mask.insert(I::from(id));
            }
        }
        Ok(mask)
    }
}

fn item_members(item: &str) -> Option<Vec<usize>> {
    let number = |text: &str| text.parse().ok().filter(|&n: &usize| n <= HIGHEST_ID);
    let (range, stride) = match item.split_once(':') {
        None => (item, None),
        Some((range, stride)) => {
            let (used, group) = stride.split_once('/')?;
            (range, Some((number(used)?, number(group)?)))
        }
    };
    let (first, last) = match range.split_once('-') {
        None => (number(range)?, number(range)?),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first > last {
        return None;
    }
    match stride {
        None => Some((first..=last).collect()),
        Some((used, group)) if used <= group && group > 0 => {
            Some((first..=last).filter(|id| (id - first) % group < used).collect())
        }
        Some(_) => None,
    }
}

impl<I: Copy + From<usize> + Into<usize>> Serialize for Mask<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, I: Copy + From<usize> + Into<usize>> Deserialize<'de> for Mask<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
