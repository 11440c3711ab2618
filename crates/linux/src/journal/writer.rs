//! Writes the journal.

use std::path::{Path, PathBuf};

use super::{Entry, FileStore, Header, Reading, Record, Store};
use crate::files::{Files, text};
use crate::{Errno, Error, Identity, Pid, Result};

/// Version of the format that this program writes and follows.
pub(super) const VERSION: u32 = 1;
/// Identifies the boot.
pub(super) const BOOT_ID: &str = "proc/sys/kernel/random/boot_id";

/// A journal being written by this process.
#[derive(Debug)]
pub struct Journal<S> {
    store: S,
    length: u64,
    next: u64,
    broken: Option<Errno>,
}

impl Journal<FileStore> {
    /// A new journal in a folder, named by this process.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn create(files: &impl Files, folder: &Path) -> Result<(Self, PathBuf)> {
        let header = header(files)?;
        let path = folder.join(format!("{}-{}.journal", header.tool.pid, header.tool.start));
        Ok((Self::begin(FileStore::create(&path)?, header)?, path))
    }
}

impl<S: Store> Journal<S> {
    /// A new journal in an empty store.
    ///
    /// # Errors
    /// The boot id or this process cannot be read, or the store cannot be written.
    pub fn new(files: &impl Files, store: S) -> Result<Self> {
        let header = header(files)?;
        Self::begin(store, header)
    }

    fn begin(store: S, header: Header) -> Result<Self> {
        let mut journal = Self { store, length: 0, next: 0, broken: None };
        journal.before(vec![Record::Header(header)])?;
        Ok(journal)
    }

    /// Writes down what is about to be done. Only on success may it be done: then it is on disk.
    ///
    /// # Errors
    /// The store failed, now or before. Nothing may be done from then on.
    pub fn before(&mut self, records: Vec<Record>) -> Result<()> {
        self.append(records, true)
    }

    /// Writes down what was done, where nothing is lost if this is not on disk yet.
    ///
    /// # Errors
    /// As [`Self::before`].
    pub fn after(&mut self, records: Vec<Record>) -> Result<()> {
        self.append(records, false)
    }

    fn append(&mut self, records: Vec<Record>, sync: bool) -> Result<()> {
        let failed =
            |store: &S, errno| Error::File { action: "append to", path: store.name(), errno };
        if let Some(errno) = self.broken {
            return Err(failed(&self.store, errno));
        }
        let mut lines = String::new();
        let mut next = self.next;
        for record in records {
            let line = Entry { seq: next, record }.line();
            lines.push_str(&line.map_err(|_| failed(&self.store, Errno::EINVAL))?);
            next += 1;
        }
        match self.store.append(lines.as_bytes(), sync) {
            Ok(()) => {
                self.length += lines.len() as u64;
                self.next = next;
                Ok(())
            }
            Err(errno) => {
                // Part of a record in the middle would look like damage: cut it off, or write no more.
                if self.store.cut(self.length).is_err() {
                    self.broken = Some(errno);
                }
                Err(failed(&self.store, errno))
            }
        }
    }
}

/// Notes at the end of a journal that nothing in it is left to undo.
///
/// # Errors
/// The store cannot be written.
pub fn settle(store: &mut impl Store, reading: &Reading) -> Result<()> {
    let failed = |name, errno| Error::File { action: "append to", path: name, errno };
    let line = Entry { seq: reading.next, record: Record::Settled }.line();
    let line = line.map_err(|_| failed(store.name(), Errno::EINVAL))?;
    let written = store.cut(reading.length).and_then(|()| store.append(line.as_bytes(), true));
    written.map_err(|errno| failed(store.name(), errno))
}

fn header(files: &impl Files) -> Result<Header> {
    let pid = Pid(i32::try_from(std::process::id()).unwrap_or(0));
    // A captured or fake tree does not know this process.
    let tool = Identity::of(files, pid).unwrap_or(Identity { pid, start: 0 });
    let boot = text(files, BOOT_ID)?.trim().to_string();
    Ok(Header { version: VERSION, boot, tool })
}
