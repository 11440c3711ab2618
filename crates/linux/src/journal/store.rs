//! Where a journal's bytes go.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::{Errno, Error, Result};

/// Bytes that grow at the end.
pub trait Store {
    /// Appends; the bytes are durable on return if `sync` is set.
    ///
    /// # Errors
    /// What the kernel said; part of the bytes may have been written.
    fn append(&mut self, bytes: &[u8], sync: bool) -> std::result::Result<(), Errno>;

    /// Cuts off what a failed append left behind.
    ///
    /// # Errors
    /// What the kernel said.
    fn cut(&mut self, length: u64) -> std::result::Result<(), Errno>;

    /// Name, for messages.
    fn name(&self) -> String;
}

/// A file.
#[derive(Debug)]
pub struct FileStore {
    file: File,
    path: PathBuf,
}

impl FileStore {
    /// A new file that only its owner may read.
    ///
    /// # Errors
    /// It exists already, or its folder may not be written to.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::File {
            action: "create",
            path: path.display().to_string(),
            errno: error.into(),
        };
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        // The name must survive a power loss as well as the content.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new("."))).and_then(|f| f.sync_all()).map_err(failed)?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// An existing file, to append to.
    ///
    /// # Errors
    /// It is missing, or may not be written to.
    pub fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).open(path).map_err(|error| Error::File {
            action: "append to",
            path: path.display().to_string(),
            errno: error.into(),
        })?;
        Ok(Self { file, path: path.to_path_buf() })
    }
}

impl Store for FileStore {
    fn append(&mut self, bytes: &[u8], sync: bool) -> std::result::Result<(), Errno> {
        self.file.write_all(bytes)?;
        if sync {
            self.file.sync_data()?;
        }
        Ok(())
    }

    fn cut(&mut self, length: u64) -> std::result::Result<(), Errno> {
        Ok(self.file.set_len(length)?)
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// Bytes in memory, for tests and for acts that need no way back after a kill.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    bytes: Rc<RefCell<Vec<u8>>>,
    limit: Option<usize>,
}

impl MemoryStore {
    /// Takes bytes until there are `limit` of them, then fails for good: a disk that is full or gone.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { bytes: Rc::default(), limit: Some(limit) }
    }

    /// What was written so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.borrow().clone()
    }
}

impl Store for MemoryStore {
    fn append(&mut self, bytes: &[u8], _sync: bool) -> std::result::Result<(), Errno> {
        let mut held = self.bytes.borrow_mut();
        let room = self.limit.map_or(bytes.len(), |limit| limit.saturating_sub(held.len()));
        held.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if room < bytes.len() { Err(Errno::ENOSPC) } else { Ok(()) }
    }

    fn cut(&mut self, length: u64) -> std::result::Result<(), Errno> {
        if self.limit.is_some() {
            return Err(Errno::EIO);
        }
        self.bytes.borrow_mut().truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }

    fn name(&self) -> String {
        "in memory".into()
    }
}
