//! Files of the kernel under any root: `/` for this machine, a folder for a captured one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{Errno, Error, Result};

/// Reads and writes files by their path from the root, without a leading slash (`proc/1/stat`).
pub trait Files {
    /// The whole file.
    ///
    /// # Errors
    /// What the kernel said.
    fn read(&self, path: &str) -> std::result::Result<Vec<u8>, Errno>;

    /// Names in a folder, sorted.
    ///
    /// # Errors
    /// What the kernel said.
    fn list(&self, path: &str) -> std::result::Result<Vec<String>, Errno>;

    /// Writes into an existing file in one call, as kernel files want it.
    ///
    /// # Errors
    /// What the kernel said.
    fn write(&self, path: &str, content: &[u8]) -> std::result::Result<(), Errno>;
}

/// The file as text; bytes that are no UTF-8 are replaced.
pub(crate) fn text(files: &(impl Files + ?Sized), path: &str) -> Result<String> {
    match files.read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes)
            .unwrap_or_else(|damaged| String::from_utf8_lossy(damaged.as_bytes()).into_owned())),
        Err(errno) => Err(Error::File { action: "read", path: path.into(), errno }),
    }
}

/// A value that fills its file, if the file is there and holds one.
pub(crate) fn value<T: std::str::FromStr>(files: &(impl Files + ?Sized), path: &str) -> Option<T> {
    text(files, path).ok()?.trim().parse().ok()
}

/// Names in a folder.
pub(crate) fn names(files: &(impl Files + ?Sized), path: &str) -> Result<Vec<String>> {
    files.list(path).map_err(|errno| Error::File { action: "list", path: path.into(), errno })
}

/// A file tree on disk.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The tree below `path`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where the tree is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Files for Root {
    fn read(&self, path: &str) -> std::result::Result<Vec<u8>, Errno> {
        Ok(fs::read(self.0.join(path))?)
    }

    fn list(&self, path: &str) -> std::result::Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.0.join(path))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn write(&self, path: &str, content: &[u8]) -> std::result::Result<(), Errno> {
        let mut file = fs::OpenOptions::new().write(true).open(self.0.join(path))?;
        Ok(file.write_all(content)?)
    }
}
