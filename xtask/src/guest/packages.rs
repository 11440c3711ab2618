//! What the host must have, by Debian package.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

/// Name of the emulator.
pub(super) const QEMU: &str = "qemu-system-x86_64";

/// A package that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missing {
    package: &'static str,
    command: &'static str,
}

/// The program `command` in `PATH`, or in the folders of the system that a user's `PATH` may lack.
pub(super) fn find(command: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/bin", "/usr/bin", "/sbin", "/usr/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(command))
        .find(|program| program.is_file())
}

/// The busybox that needs no library, since the guest has none.
pub(super) fn busybox() -> Option<PathBuf> {
    find("busybox").filter(|path| fs::read(path).is_ok_and(|program| is_static(&program)))
}

/// Whether a 64-bit ELF program names no interpreter (`PT_INTERP`).
fn is_static(elf: &[u8]) -> bool {
    const INTERPRETER: [u8; 4] = [3, 0, 0, 0];
    let number = |at: usize, bytes: usize| {
        let field = elf.get(at..at + bytes)?;
        Some(field.iter().rev().fold(0_usize, |value, &byte| value << 8 | usize::from(byte)))
    };
    let headers = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    elf.starts_with(b"\x7fELF\x02")
        && headers().is_some_and(|(start, size, count)| {
            (0..count)
                .all(|i| elf.get(start + i * size..).is_some_and(|h| !h.starts_with(&INTERPRETER)))
        })
}

/// The packages that are missing here.
pub(super) fn missing() -> Vec<Missing> {
    [
        ("qemu-system-x86", QEMU, find(QEMU)),
        ("busybox-static", "busybox (static)", busybox()),
        ("apt", "apt-get", find("apt-get")),
        ("dpkg", "dpkg-deb", find("dpkg-deb")),
        ("tar", "tar", find("tar")),
    ]
    .into_iter()
    .filter(|(.., found)| found.is_none())
    .map(|(package, command, _)| Missing { package, command })
    .collect()
}

/// What is missing and how to get it.
pub(super) fn explain(missing: &[Missing]) -> String {
    let commands: Vec<_> = missing.iter().map(|missing| missing.command).collect();
    let packages: Vec<_> = missing.iter().map(|missing| missing.package).collect();
    format!(
        "not found: {}; run with --install, or: apt-get install --no-install-recommends {}",
        commands.join(", "),
        packages.join(" ")
    )
}

/// Installs them by apt-get.
pub(super) fn install(missing: &[Missing]) -> Result<()> {
    let apt = |arguments: &[&str]| -> Result<()> {
        let status = Command::new("apt-get")
            .args(["-q", "-y"])
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status()
            .context("starting apt-get")?;
        ensure!(status.success(), "apt-get {}: {status}", arguments.join(" "));
        Ok(())
    };
    apt(&["update"])?;
    let packages: Vec<_> = missing.iter().map(|missing| missing.package).collect();
    apt(&[&["install", "--no-install-recommends"], packages.as_slice()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_an_interpreter_is_not_static() {
        let own = fs::read(env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(!is_static(b"#!/bin/sh\n"));
        let mut without = own.clone();
        let start = usize::try_from(u64::from_le_bytes(own[32..40].try_into().unwrap())).unwrap();
        for header in 0..usize::from(own[56]) {
            let kind = start + header * usize::from(own[54]);
            if without[kind] == 3 {
                without[kind] = 0;
            }
        }
        assert!(is_static(&without));
    }

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let text = explain(&[Missing { package: "qemu-system-x86", command: QEMU }]);
        assert!(text.contains("qemu-system-x86_64") && text.ends_with("qemu-system-x86"));
    }
}
