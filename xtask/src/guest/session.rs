//! A row of tests on one kernel: builds once, then one guest at a time.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::boot::{Ending, Guest};
use super::initramfs::Archive;
use super::kernel::Release;
use super::machine::Topology;
use super::packages;
use super::programs::{self, Programs};
use super::seen;
use super::tests::Test;
use super::verdict::{Report, Verdict};

/// Status by which a script says that this guest cannot run it.
const CANNOT_RUN: i32 = 77;
/// Accounts of the guest: root and two ordinary users.
const ACCOUNTS: &str = "root:x:0:0:root:/tmp:/bin/sh\nu1:x:1000:1000:u1:/tmp:/bin/sh\nu2:x:1001:1001:u2:/tmp:/bin/sh\n";
const GROUPS: &str = "root:x:0:\nu1:x:1000:\nu2:x:1001:\n";

/// What all guests of the row have in common.
pub(super) struct Session {
    folder: PathBuf,
    release: Release,
    kernel: PathBuf,
    programs: Programs,
}

impl Session {
    /// Builds what the tests need.
    pub(super) fn begin<'a>(
        folder: &Path,
        release: Release,
        kernel: &Path,
        tests: impl Iterator<Item = &'a Test>,
    ) -> Result<Self> {
        let packages: BTreeSet<&str> =
            tests.flat_map(|test| test.programs.iter().map(String::as_str)).collect();
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let folder = fs::canonicalize(folder)?;
        let kernel = fs::canonicalize(kernel)?;
        let programs = Programs::build(&super::workspace(), folder.join("build"), &packages)?;
        Ok(Self { folder, release, kernel, programs })
    }

    /// Runs one test on one machine.
    pub(super) fn run(&self, test: &Test, topology: &Topology) -> Result<Report> {
        let name = format!("{}.{}.{}", test.name, topology.name, self.release);
        let mut report = Report {
            test: test.name.clone(),
            topology: topology.name.clone(),
            kernel: self.release,
            verdict: Verdict::Passed,
            findings: Vec::new(),
            took: Duration::ZERO,
            attempts: 1,
            folder: self.folder.join("results").join(name),
        };
        if !test.kernels.contains(&self.release) {
            report.verdict = Verdict::Skipped("not made for this kernel".to_owned());
            return Ok(report);
        }
        let host_programs = match programs::host_programs(&test.host_programs) {
            Ok(programs) => programs,
            Err(name) => {
                report.verdict = Verdict::Skipped(format!("the host has no {name}"));
                return Ok(report);
            }
        };
        let initramfs = self.initramfs(test, &host_programs)?;
        let guest = self.guest(test, topology, &initramfs, report.folder.clone());
        let one_at_a_time = lock()?;
        let begin = Instant::now();
        let mut ending = guest.boot()?;
        if ending == Ending::Died {
            let console = fs::read(report.folder.join("console.log")).unwrap_or_default();
            eprintln!("the guest of {} died; once more", report.test);
            ending = guest.boot()?;
            report.attempts += 1;
            fs::write(report.folder.join("console.first.log"), console)
                .context("keeping a console")?;
        }
        report.took = begin.elapsed();
        drop(one_at_a_time);
        self.judge(test, topology, ending, &mut report);
        fs::write(report.folder.join("verdict"), report.to_string())
            .context("writing the verdict")?;
        Ok(report)
    }

    fn guest<'a>(
        &'a self,
        test: &'a Test,
        topology: &Topology,
        initramfs: &'a [u8],
        folder: PathBuf,
    ) -> Guest<'a> {
        let mut arguments = topology.arguments();
        if let Some(plugin) = test.plugin {
            arguments.extend(plugin.arguments(&self.programs.plugin(), topology));
        }
        Guest {
            kernel: &self.kernel,
            initramfs,
            parameters: &test.parameters,
            arguments,
            time_limit_s: test.time_limit_s,
            folder,
        }
    }

    fn initramfs(&self, test: &Test, host_programs: &[PathBuf]) -> Result<Vec<u8>> {
        let mut archive = Archive::new();
        let busybox = packages::busybox().context("busybox has gone")?;
        archive.copy("bin/busybox", &busybox)?;
        archive.program("init", include_bytes!("../../guest/init"));
        archive.file("test/functions", include_bytes!("../../guest/functions"));
        archive.file("test/run", test.run.as_bytes());
        archive.file("test/sysctl", test.sysctl().as_bytes());
        archive.file("etc/passwd", ACCOUNTS.as_bytes());
        archive.file("etc/group", GROUPS.as_bytes());
        self.programs.add(&test.programs, &mut archive)?;
        for program in host_programs {
            programs::add_host_program(program, &mut archive)?;
        }
        Ok(archive.finish())
    }

    fn judge(&self, test: &Test, topology: &Topology, ending: Ending, report: &mut Report) {
        let last_words = || {
            let console = fs::read(report.folder.join("console.log")).unwrap_or_default();
            let console = String::from_utf8_lossy(&console);
            let line = console
                .lines()
                .map(str::trim)
                .rfind(|line| !line.is_empty() && !line.starts_with("GUEST-"));
            line.unwrap_or("nothing on the console").to_owned()
        };
        let failure = match ending {
            Ending::Ended(0) => None,
            Ending::Ended(CANNOT_RUN) => {
                report.verdict = Verdict::Skipped(last_words());
                return;
            }
            Ending::Ended(status) => {
                Some(format!("the script ended with {status}: {}", last_words()))
            }
            Ending::Died => Some(format!("the guest died twice: {}", last_words())),
            Ending::TimedOut => {
                Some(format!("not done after {} s: {}", test.time_limit_s, last_words()))
            }
        };
        let mut failures: Vec<String> = failure.into_iter().collect();
        if let Ending::Ended(_) = ending {
            failures.extend(seen::differences(&report.folder.join("files/node"), topology));
            report.findings =
                test.expect.iter().map(|expect| expect.judge(&report.folder)).collect();
            let unmet = report.findings.iter().filter(|finding| !finding.met).count();
            if unmet > 0 {
                failures.push(format!("{unmet} of {} demands not met", report.findings.len()));
            }
        }
        if !failures.is_empty() {
            report.verdict = Verdict::Failed(failures.join("; "));
        }
    }
}

/// Waits until no other guest runs on this host, in whichever folder it was started; the file keeps
/// others waiting until it is dropped.
fn lock() -> Result<File> {
    let path = env::temp_dir().join("homenode-guest.lock");
    let file = File::open(&path)
        .or_else(|_| File::create(&path))
        .with_context(|| format!("opening {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("waiting for another guest to end"),
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("locking {}", path.display()));
        }
    }
    file.lock().with_context(|| format!("locking {}", path.display()))?;
    Ok(file)
}
