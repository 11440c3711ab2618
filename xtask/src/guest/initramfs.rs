//! The guest's file system, as a cpio archive of the `newc` form that the kernel unpacks at boot.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// An archive that grows file by file; everything in it belongs to root.
pub(super) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;

impl Archive {
    /// An archive with the folders that the guest mounts on or writes to.
    pub(super) fn new() -> Self {
        let mut archive = Self { bytes: Vec::new(), entries: 0 };
        for folder in ["bin", "dev", "etc", "out", "proc", "run", "sys", "test", "tmp"] {
            archive.add(folder, FOLDER, &[]);
        }
        archive
    }

    /// Adds a folder.
    pub(super) fn folder(&mut self, path: &str) {
        self.add(path, FOLDER, &[]);
    }

    /// Adds a file that is only read.
    pub(super) fn file(&mut self, path: &str, contents: &[u8]) {
        self.add(path, FILE, contents);
    }

    /// Adds a program.
    pub(super) fn program(&mut self, path: &str, contents: &[u8]) {
        self.add(path, PROGRAM, contents);
    }

    /// Adds a program of the host.
    pub(super) fn copy(&mut self, path: &str, host: &Path) -> Result<()> {
        let contents = fs::read(host).with_context(|| format!("reading {}", host.display()))?;
        self.program(path, &contents);
        Ok(())
    }

    /// The whole archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.add("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn add(&mut self, path: &str, mode: u32, contents: &[u8]) {
        self.entries += 1;
        let links = 1;
        // inode, mode, uid, gid, links, time, size, device (2), device it is (2), length of name, sum
        let header = [
            self.entries as usize,
            mode as usize,
            0,
            0,
            links,
            0,
            contents.len(),
            0,
            0,
            0,
            0,
            path.len() + 1,
            0,
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in header {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(contents);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_aligned_and_state_their_lengths() {
        let mut archive = Archive { bytes: Vec::new(), entries: 0 };
        archive.program("init", b"hello");
        archive.file("etc/x", b"");
        let bytes = archive.finish();
        let text = String::from_utf8(bytes).unwrap();
        let entry = |at: usize| &text[at..];
        assert!(entry(0).starts_with("07070100000001000081ed"));
        assert_eq!(&text[54..62], "00000005");
        assert_eq!(&text[94..102], "00000005");
        assert_eq!(&text[110..124], "init\0\0hello\0\0\0");
        assert!(entry(124).starts_with("07070100000002000081a4"));
        assert_eq!(&text[124 + 110..124 + 116], "etc/x\0");
        assert!(entry(240).contains("TRAILER!!!"));
    }
}
