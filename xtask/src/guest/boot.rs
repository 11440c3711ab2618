//! One run of QEMU and what it left.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::packages::QEMU;

/// What `timeout` exits with when the time is over.
const TIMED_OUT: i32 = 124;
/// Kernel parameters that make an emulated boot short, and a panic an end.
const PARAMETERS: &str = "console=ttyS0 quiet oops=panic panic=-1 nokaslr mitigations=off \
                          tsc=reliable no_timer_check nowatchdog random.trust_cpu=on";

/// A guest ready to boot.
pub(super) struct Guest<'a> {
    /// Its kernel image.
    pub(super) kernel: &'a Path,
    /// Its file system.
    pub(super) initramfs: &'a [u8],
    /// Kernel parameters besides the usual ones.
    pub(super) parameters: &'a str,
    /// The machine, for QEMU.
    pub(super) arguments: Vec<String>,
    /// Ends it when it takes longer.
    pub(super) time_limit_s: u32,
    /// Takes what it leaves; emptied before.
    pub(super) folder: PathBuf,
}

/// How a guest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The script ended with this status.
    Ended(i32),
    /// The guest ended before its script: a panic, as a rule.
    Died,
    /// It took too long.
    TimedOut,
}

impl Guest<'_> {
    /// Boots the guest, waits for its end and unpacks its files into `files`.
    pub(super) fn boot(&self) -> Result<Ending> {
        let at = |name: &str| self.folder.join(name);
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("emptying {}", self.folder.display()));
            }
            _ => {}
        }
        fs::create_dir_all(at("files"))
            .with_context(|| format!("creating {}", self.folder.display()))?;
        fs::write(at("initramfs"), self.initramfs).context("writing the initramfs")?;
        let log = File::create(at("qemu.log")).context("creating qemu.log")?;
        let status = Command::new("timeout")
            .args(["--foreground", "-k", "5", &self.time_limit_s.to_string(), QEMU])
            .args(["-accel", "tcg,thread=multi", "-cpu", "max", "-nodefaults", "-no-user-config"])
            .args(["-display", "none", "-no-reboot"])
            .args(["-device", "isa-debug-exit,iobase=0x501,iosize=1"])
            .args(["-serial", "file:console.log", "-serial", "file:files.tar.gz"])
            .arg("-kernel")
            .arg(self.kernel)
            .args(["-initrd", "initramfs", "-append"])
            .arg(format!("{PARAMETERS} {}", self.parameters))
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().context("sharing qemu.log")?)
            .stderr(log)
            .status()
            .context("starting timeout and QEMU")?;
        fs::remove_file(at("initramfs")).context("removing the initramfs")?;
        let console = fs::read(at("console.log")).unwrap_or_default();
        let console = String::from_utf8_lossy(&console);
        if status.code() == Some(TIMED_OUT) {
            return Ok(Ending::TimedOut);
        }
        let Some(script) = script_status(&console) else {
            if !console.is_empty() {
                return Ok(Ending::Died);
            }
            let log = fs::read_to_string(at("qemu.log")).unwrap_or_default();
            bail!("QEMU did not start a guest ({status}): {}", log.trim());
        };
        self.unpack()?;
        Ok(Ending::Ended(script))
    }

    fn unpack(&self) -> Result<()> {
        let status = Command::new("tar")
            .args(["-xzf", "files.tar.gz", "-C", "files", "--no-same-owner"])
            .current_dir(&self.folder)
            .status()
            .context("starting tar")?;
        ensure!(status.success(), "unpacking {}/files.tar.gz", self.folder.display());
        fs::remove_file(self.folder.join("files.tar.gz")).context("removing files.tar.gz")
    }
}

/// The status in the line `GUEST-RC status uptime`.
fn script_status(console: &str) -> Option<i32> {
    let words = console.lines().rev().find_map(|line| line.trim().strip_prefix("GUEST-RC "))?;
    words.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_status_on_the_console_counts() {
        assert_eq!(script_status("GUEST-UP 3.1 6.12\r\nGUEST-RC 7 9.81\r\n"), Some(7));
        assert_eq!(script_status("GUEST-UP 3.1 6.12\r\nOops: int3\r\n"), None);
    }
}
