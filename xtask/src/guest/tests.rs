//! Tests as data: one file a test.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::expect::Expect;
use super::kernel::Release;
use super::machine::Topologies;
use super::plugin::Plugin;

/// All tests, in the order of their names.
pub(super) struct Tests(Vec<Test>);

/// A script for the guest and what is expected of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(super) name: String,
    about: String,
    /// Machines it runs on, each in a guest of its own.
    pub(super) topologies: Vec<String>,
    /// Kernels it can run on.
    #[serde(default = "every_kernel")]
    pub(super) kernels: Vec<Release>,
    /// Ends a guest that takes longer.
    pub(super) time_limit_s: u32,
    /// The plugin, where accesses are counted.
    pub(super) plugin: Option<Plugin>,
    /// Workspace packages whose program of the same name goes to the guest, besides the test kit.
    #[serde(default)]
    pub(super) programs: Vec<String>,
    /// Programs of the host that go there too, with their libraries; the test is skipped without them.
    #[serde(default)]
    pub(super) host_programs: Vec<String>,
    /// Settings of the guest's kernel, over those of [`Test::sysctl`].
    #[serde(default)]
    sysctl: BTreeMap<String, i64>,
    /// Kernel parameters besides the harness's own.
    #[serde(default)]
    pub(super) parameters: String,
    /// The script; it ends with 0, with 77 when this guest cannot run it, or otherwise as failed.
    pub(super) run: String,
    #[serde(default)]
    pub(super) expect: Vec<Expect>,
}

fn every_kernel() -> Vec<Release> {
    Release::ALL.to_vec()
}

impl Tests {
    /// Reads every `.toml` file of the folder.
    pub(super) fn read(folder: &Path, topologies: &Topologies) -> Result<Self> {
        let mut tests = Vec::new();
        let listing =
            fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))?;
        for entry in listing {
            let path = entry?.path();
            let (Some(name), Some("toml")) = (
                path.file_stem().and_then(|name| name.to_str()),
                path.extension().and_then(|extension| extension.to_str()),
            ) else {
                continue;
            };
            let text =
                fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            let test = Test::parse(name, &text, topologies);
            tests.push(test.with_context(|| format!("in {}", path.display()))?);
        }
        tests.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self(tests))
    }

    /// All tests.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Test> {
        self.0.iter()
    }

    /// The test of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Test> {
        self.iter().find(|test| test.name == name)
    }

    /// All names.
    pub(super) fn names(&self) -> String {
        self.iter().map(|test| test.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|test| {
            let topologies = test.topologies.join(", ");
            writeln!(f, "test     {:<18} {} (on {topologies})", test.name, test.about)
        })
    }
}

impl Test {
    fn parse(name: &str, text: &str, topologies: &Topologies) -> Result<Self> {
        let mut test: Self = toml::from_str(text)?;
        test.name = name.to_owned();
        let unknown = test.topologies.iter().find(|name| topologies.get(name).is_none());
        ensure!(
            unknown.is_none(),
            "no topology `{}`; there are: {}",
            unknown.map_or("", String::as_str),
            topologies.names()
        );
        ensure!(!test.topologies.is_empty(), "topologies is empty: the test would never run");
        test.expect.iter().try_for_each(Expect::check)?;
        Ok(test)
    }

    /// The guest's settings, a `key value` line each.
    pub(super) fn sysctl(&self) -> String {
        let defaults = [("kernel.numa_balancing", 0), ("kernel.perf_event_paranoid", 2)];
        let mut settings: BTreeMap<&str, i64> = defaults.into();
        settings.extend(self.sysctl.iter().map(|(key, &value)| (key.as_str(), value)));
        settings.iter().map(|(key, value)| format!("{key} {value}\n")).collect()
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    fn topologies() -> Topologies {
        Topologies::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies.toml")).unwrap()
    }

    const SMALL: &str = "about = 'x'\ntopologies = ['2x2']\ntime_limit_s = 9\nrun = 'true'\n";

    #[test]
    fn the_shipped_tests_are_in_order() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("guest/tests");
        assert!(Tests::read(&folder, &topologies()).unwrap().get("topology").is_some());
    }

    #[test]
    fn a_test_overrides_settings_and_keeps_the_rest() {
        let text = format!("{SMALL}[sysctl]\n'kernel.numa_balancing' = 1\n'vm.swappiness' = 0\n");
        let test = Test::parse("t", &text, &topologies()).unwrap();
        let expected = "kernel.numa_balancing 1\nkernel.perf_event_paranoid 2\nvm.swappiness 0\n";
        assert_eq!(test.sysctl(), expected);
        assert_eq!(test.kernels, Release::ALL);
    }

    #[test]
    fn mistakes_are_named() {
        for (from, to, reason) in [
            ("2x2", "3x3", "no topology `3x3`"),
            ("['2x2']", "[]", "would never run"),
            ("about", "abuot", "unknown field"),
            ("run = 'true'", "run = 'true'\nkernels = ['5.4']", "unknown variant"),
        ] {
            let error = Test::parse("t", &SMALL.replace(from, to), &topologies()).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
