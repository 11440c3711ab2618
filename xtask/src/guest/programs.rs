//! Programs for the guest: static ones built here, and programs of the host with their libraries.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::initramfs::Archive;
use super::packages::{self, QEMU};

const TARGET: &str = "x86_64-unknown-linux-gnu";
const KIT: &str = "testkit";
const KIT_PROGRAMS: [&str; 2] = ["wl", "keephold"];
const PLUGIN: &str = "numaplug";
/// First version of QEMU that needs the plugin's feature `qemu-9`.
const NEWER_API: u32 = 9;

/// Where the built things are.
pub(super) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds the test kit, its plugin and these packages, in a target folder of their own: their flags
    /// would throw away the caches of the usual one.
    pub(super) fn build(
        workspace: &Path,
        folder: PathBuf,
        packages: &BTreeSet<&str>,
    ) -> Result<Self> {
        let programs = Self { folder };
        let mut arguments = vec!["--target", TARGET, "--bins", "--package", KIT];
        arguments.extend(packages.iter().flat_map(|&package| ["--package", package]));
        programs.cargo(workspace, &arguments, "-C target-feature=+crt-static")?;
        let mut arguments = vec!["--package", PLUGIN];
        if qemu_major()? >= NEWER_API {
            arguments.extend(["--features", "qemu-9"]);
        }
        programs.cargo(workspace, &arguments, "")?;
        Ok(programs)
    }

    fn cargo(&self, workspace: &Path, arguments: &[&str], flags: &str) -> Result<()> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status =
            Command::new(cargo)
                .args(["build", "--quiet", "--release"])
                .args(["strip=true", "debug=0", "lto=\"off\"", "codegen-units=16"].iter().flat_map(
                    |setting| ["--config".to_owned(), format!("profile.release.{setting}")],
                ))
                .args(arguments)
                .arg("--target-dir")
                .arg(&self.folder)
                .current_dir(workspace)
                .env_remove("CARGO_ENCODED_RUSTFLAGS")
                .env("RUSTFLAGS", flags)
                .status()
                .context("starting cargo")?;
        ensure!(status.success(), "cargo build {}: {status}", arguments.join(" "));
        Ok(())
    }

    /// The plugin's library.
    pub(super) fn plugin(&self) -> PathBuf {
        self.folder.join("release").join(format!("lib{PLUGIN}.so"))
    }

    /// Puts the test kit and these packages' programs into `/test`.
    pub(super) fn add(&self, packages: &[String], archive: &mut Archive) -> Result<()> {
        let folder = self.folder.join(TARGET).join("release");
        for program in KIT_PROGRAMS.into_iter().chain(packages.iter().map(String::as_str)) {
            archive.copy(&format!("test/{program}"), &folder.join(program))?;
        }
        Ok(())
    }
}

/// Puts a program of the host into `/test` and its libraries where its loader looks for them.
pub(super) fn add_host_program(program: &Path, archive: &mut Archive) -> Result<()> {
    let name = program.file_name().context("a program without a name")?;
    archive.copy(&format!("test/{}", name.to_string_lossy()), program)?;
    let output = Command::new("ldd").arg(program).output().context("starting ldd")?;
    ensure!(output.status.success(), "{} is no dynamic program", program.display());
    let text = String::from_utf8_lossy(&output.stdout);
    for library in text.split_ascii_whitespace().filter(|word| word.starts_with('/')) {
        let path = library.trim_start_matches('/');
        for (end, _) in path.match_indices('/') {
            archive.folder(&path[..end]);
        }
        archive.copy(path, Path::new(library))?;
    }
    Ok(())
}

/// The major version of QEMU, out of `QEMU emulator version 7.2.22 (Debian …)`.
fn qemu_major() -> Result<u32> {
    let output = Command::new(QEMU).arg("--version").output().context("starting QEMU")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_ascii_whitespace().nth(3).and_then(|word| word.split('.').next());
    match version.and_then(|major| major.parse().ok()) {
        Some(major) => Ok(major),
        None => bail!("{QEMU} --version says `{}`, which names no version", text.trim()),
    }
}

/// The programs of the host by these names, or the first that is not there.
pub(super) fn host_programs(names: &[String]) -> Result<Vec<PathBuf>, String> {
    names.iter().map(|name| packages::find(name).ok_or_else(|| name.clone())).collect()
}
