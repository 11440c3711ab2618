//! Stock Debian kernels: downloaded by apt from a private list of sources and unpacked, not installed.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use serde::Deserialize;

/// A kernel series that Debian 12 offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
pub(crate) enum Release {
    /// The backported one.
    #[value(name = "6.12")]
    #[serde(rename = "6.12")]
    V6_12,
    /// The release's own.
    #[value(name = "6.1")]
    #[serde(rename = "6.1")]
    V6_1,
}

impl Release {
    /// Every series.
    pub(super) const ALL: [Self; 2] = [Self::V6_12, Self::V6_1];

    fn suite(self) -> &'static str {
        match self {
            Self::V6_12 => "bookworm-backports",
            Self::V6_1 => "bookworm",
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V6_12 => "6.12",
            Self::V6_1 => "6.1",
        })
    }
}

/// The kernel image of `release` in `folder`, fetched if it is not there yet.
pub(super) fn fetch(release: Release, folder: &Path) -> Result<PathBuf> {
    let image = folder.join(format!("vmlinuz-{release}"));
    if image.is_file() {
        return Ok(image);
    }
    let apt = Apt::new(release, &folder.join(format!("apt-{release}")))?;
    eprintln!("fetching kernel {release} from {}", release.suite());
    apt.run("apt-get", &["-q", "update"])?;
    let prefix = format!("linux-image-{release}.");
    let names = apt.run("apt-cache", &["pkgnames", &prefix])?;
    let package = newest(names.lines(), &prefix)
        .with_context(|| format!("{} has no package {prefix}*-amd64", release.suite()))?;
    apt.run("apt-get", &["-q", "download", package])?;
    apt.unpack(&image)?;
    fs::remove_dir_all(&apt.folder)
        .with_context(|| format!("removing {}", apt.folder.display()))?;
    Ok(image)
}

/// The newest plain amd64 kernel among these package names.
fn newest<'a>(names: impl Iterator<Item = &'a str>, prefix: &str) -> Option<&'a str> {
    let version = |name: &str| -> Option<Vec<u32>> {
        let version = name.strip_prefix(prefix)?.strip_suffix("-amd64")?;
        let plain = !["-rt", "-cloud", "unsigned", "dbg"].iter().any(|word| version.contains(word));
        plain.then(|| {
            version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
        })
    };
    names.filter_map(|name| Some((version(name)?, name))).max().map(|(_, name)| name)
}

/// Apt with sources, lists and caches of its own.
struct Apt {
    folder: PathBuf,
    settings: Vec<String>,
}

impl Apt {
    fn new(release: Release, folder: &Path) -> Result<Self> {
        for part in ["lists/partial", "cache/archives/partial"] {
            let path = folder.join(part);
            fs::create_dir_all(&path).with_context(|| format!("creating {}", path.display()))?;
        }
        let folder = fs::canonicalize(folder)?;
        let sources = folder.join("sources.list");
        let line = format!(
            "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
             http://deb.debian.org/debian {} main\n",
            release.suite()
        );
        fs::write(&sources, line).with_context(|| format!("writing {}", sources.display()))?;
        let settings = [
            ("Dir::Etc::sourcelist", "sources.list"),
            ("Dir::Etc::sourceparts", "none"),
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
        ]
        .into_iter()
        .flat_map(|(key, path)| ["-o".to_owned(), format!("{key}={}", folder.join(path).display())])
        // Its own user may not be able to reach this folder.
        .chain(["-o", "APT::Sandbox::User=root"].map(str::to_owned))
        .collect();
        Ok(Self { folder, settings })
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let output = Command::new(program)
            .args(&self.settings)
            .args(arguments)
            .current_dir(&self.folder)
            .output()
            .with_context(|| format!("starting {program}"))?;
        ensure!(
            output.status.success(),
            "{program} {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Takes the kernel image out of the package that was downloaded.
    fn unpack(&self, image: &Path) -> Result<()> {
        let package = files(&self.folder)?
            .into_iter()
            .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
            .context("apt-get download left no package")?;
        let mut unpacker = Command::new("dpkg-deb")
            .arg("--fsys-tarfile")
            .arg(&package)
            .stdout(Stdio::piped())
            .spawn()
            .context("starting dpkg-deb")?;
        let archive = unpacker.stdout.take().context("dpkg-deb has no output")?;
        let status = Command::new("tar")
            .args(["-x", "--wildcards", "./boot/vmlinuz-*"])
            .current_dir(&self.folder)
            .stdin(archive)
            .status()
            .context("starting tar")?;
        ensure!(unpacker.wait()?.success() && status.success(), "unpacking {}", package.display());
        match files(&self.folder.join("boot"))?.as_slice() {
            [kernel] => fs::rename(kernel, image)
                .with_context(|| format!("moving {} to {}", kernel.display(), image.display())),
            other => bail!("{} holds {} kernels instead of one", package.display(), other.len()),
        }
    }
}

/// What a folder holds.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .with_context(|| format!("listing {}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_plain_kernel_is_chosen() {
        let names = [
            "linux-image-6.12.9+bpo-amd64",
            "linux-image-6.12.95+deb12-amd64",
            "linux-image-6.12.95+deb12-amd64-dbg",
            "linux-image-6.12.96+deb12-amd64-unsigned",
            "linux-image-6.12.97+deb12-rt-amd64",
            "linux-image-6.12.97+deb12-cloud-amd64",
            "linux-image-6.12.97+deb12-arm64",
            "linux-image-6.1.0-57-amd64",
        ];
        let newest = |prefix| newest(names.into_iter(), prefix);
        assert_eq!(newest("linux-image-6.12."), Some("linux-image-6.12.95+deb12-amd64"));
        assert_eq!(newest("linux-image-6.1."), Some("linux-image-6.1.0-57-amd64"));
        assert_eq!(newest("linux-image-6.6."), None);
    }
}
