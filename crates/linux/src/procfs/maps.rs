//! `/proc/PID/maps`: the mappings of a process with their rights and backing files.

use std::ops::Range;

use crate::files::{Files, text};
use crate::parsed::Warnings;
use crate::{Parsed, Pid, Result};

/// One mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vma {
    /// Addresses.
    pub range: Range<u64>,
    /// May be read.
    pub readable: bool,
    /// May be written.
    pub writable: bool,
    /// May be executed.
    pub executable: bool,
    /// Shared with others, not copied on write.
    pub shared: bool,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Inode of the file, zero without one.
    pub inode: u64,
    /// Path of the file, or a name in brackets (`[heap]`); empty for anonymous memory.
    pub name: String,
}

/// Reads the text of a `maps` file; lines that are damaged are left out with a warning.
#[must_use]
pub fn parse_maps(text: &str) -> Parsed<Vec<Vma>> {
    let mut vmas = Vec::new();
    let mut warnings = Warnings::default();
    for (index, line) in text.lines().enumerate() {
        match vma(line) {
            Some(vma) => vmas.push(vma),
            None => warnings.add(index + 1, line, "a mapping"),
        }
    }
    warnings.with(vmas)
}

fn vma(line: &str) -> Option<Vma> {
    let (range, rest) = line.split_once(' ')?;
    let (rights, rest) = rest.split_once(' ')?;
    let (offset, rest) = rest.split_once(' ')?;
    let (_device, rest) = rest.split_once(' ')?;
    let (inode, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut rights = rights.chars();
    let mut right = |letter| rights.next().map(|found| found == letter);
    Some(Vma {
        range: hex_range(range)?,
        readable: right('r')?,
        writable: right('w')?,
        executable: right('x')?,
        shared: right('s')?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        inode: inode.parse().ok()?,
        name: name.trim().to_string(),
    })
}

/// `first-end` in hexadecimal.
pub(super) fn hex_range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once('-')?;
    let range = u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
    (range.start <= range.end).then_some(range)
}

/// Reads `/proc/PID/maps`.
///
/// # Errors
/// The process is gone or belongs to another user.
pub fn read_maps(files: &(impl Files + ?Sized), pid: Pid) -> Result<Parsed<Vec<Vma>>> {
    Ok(parse_maps(&text(files, &format!("proc/{pid}/maps"))?))
}
