//! Tests on a real kernel: each boots a QEMU guest of a stated topology, runs a script there and judges
//! the files that come back.

mod boot;
mod expect;
mod initramfs;
mod kernel;
mod machine;
mod packages;
mod plugin;
mod programs;
mod seen;
mod session;
mod tests;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use machine::Topologies;
use packages::Missing;
use session::Session;
use tests::{Test, Tests};
use verdict::Verdict;

/// Exit status when nothing could be run here; as automake's, so that CI tells it from a failure.
const SKIPPED: u8 = 77;

/// Run tests in QEMU guests with several NUMA nodes and a stock Debian kernel.
///
/// Exit status: 0 all passed (some may have been skipped), 1 a test failed or a program did not build,
/// 2 wrong usage, 77 nothing was run, and why is said.
#[derive(Parser)]
pub(crate) struct Options {
    /// Tests to run; all that suit the topology and the kernel when none is named.
    #[arg(value_name = "TEST")]
    tests: Vec<String>,
    /// Run on this topology instead of those that the test lists.
    #[arg(long, value_name = "NAME")]
    topology: Option<String>,
    /// Kernel of the guest.
    #[arg(long, default_value = "6.12")]
    kernel: kernel::Release,
    /// Install the Debian packages that are missing, by apt-get.
    #[arg(long)]
    install: bool,
    /// Print the tests and the topologies, and run nothing.
    #[arg(long)]
    list: bool,
    /// Folder that keeps kernels, builds and results.
    #[arg(long, value_name = "DIR", default_value_os_t = workspace().join("target/guest"))]
    folder: PathBuf,
}

/// The workspace that this program was built from.
fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// Ends the program as clap does for wrong arguments.
fn usage(message: String) -> ! {
    crate::Task::command().error(ErrorKind::InvalidValue, message).exit()
}

/// Runs what was asked for.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let package = workspace().join("xtask");
    let topologies = Topologies::read(&package.join("topologies.toml"))?;
    let tests = Tests::read(&package.join("guest/tests"), &topologies)?;
    if options.list {
        print!("{tests}\n{topologies}");
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = choose(options, &tests, &topologies);
    if let Some(reason) = prepare(options)? {
        println!("skipped: {reason}");
        return Ok(ExitCode::from(SKIPPED));
    }
    let kernel = match kernel::fetch(options.kernel, &options.folder.join("kernels")) {
        Ok(kernel) => kernel,
        Err(error) => {
            println!("skipped: no kernel {}: {error:#}", options.kernel);
            return Ok(ExitCode::from(SKIPPED));
        }
    };
    let session = Session::begin(
        &options.folder,
        options.kernel,
        &kernel,
        chosen.iter().map(|&(test, _)| test),
    )?;
    let mut verdicts = Vec::new();
    for (test, topology) in chosen {
        let report = session.run(test, topology)?;
        print!("{report}");
        verdicts.push(report.verdict);
    }
    Ok(status(&verdicts))
}

/// The tests and the topology of each run, in the order of their names.
fn choose<'a>(
    options: &'a Options,
    tests: &'a Tests,
    topologies: &'a Topologies,
) -> Vec<(&'a Test, &'a machine::Topology)> {
    if let Some(unknown) = options.tests.iter().find(|name| tests.get(name).is_none()) {
        usage(format!("no test `{unknown}`; there are: {}", tests.names()));
    }
    if let Some(name) = options.topology.as_deref().filter(|name| topologies.get(name).is_none()) {
        usage(format!("no topology `{name}`; there are: {}", topologies.names()));
    }
    let named = |test: &Test| options.tests.contains(&test.name);
    let mut chosen = Vec::new();
    for test in tests.iter().filter(|&test| options.tests.is_empty() || named(test)) {
        let asked = options.topology.as_ref();
        let names: Vec<&String> = match asked {
            Some(name) if named(test) || test.topologies.contains(name) => vec![name],
            Some(_) => vec![],
            None => test.topologies.iter().collect(),
        };
        chosen.extend(names.into_iter().filter_map(|name| Some((test, topologies.get(name)?))));
    }
    if chosen.is_empty() {
        usage("no test for this topology: name one to run it there all the same".to_owned());
    }
    chosen
}

/// Installs what is missing if that was asked for; the reason why no guest can run, if there is one.
fn prepare(options: &Options) -> Result<Option<String>> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Some("the guest needs an x86-64 Linux host".to_owned()));
    }
    let missing = packages::missing();
    if missing.is_empty() {
        return Ok(None);
    }
    if options.install {
        packages::install(&missing)?;
    }
    let still: Vec<Missing> = packages::missing();
    Ok((!still.is_empty()).then(|| packages::explain(&still)))
}

/// The exit status for these verdicts.
fn status(verdicts: &[Verdict]) -> ExitCode {
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Failed(_))) {
        ExitCode::FAILURE
    } else if verdicts.contains(&Verdict::Passed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SKIPPED)
    }
}
