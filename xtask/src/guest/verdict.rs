//! What came out of a test, for the reader.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::expect::Finding;
use super::kernel::Release;

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every demand was met.
    Passed,
    /// Not run to its end, and why.
    Skipped(String),
    /// Not as demanded, and why.
    Failed(String),
}

/// The outcome with what led to it.
pub(super) struct Report {
    /// Name of the test.
    pub(super) test: String,
    /// Name of the machine.
    pub(super) topology: String,
    /// Kernel of the guest.
    pub(super) kernel: Release,
    /// The outcome.
    pub(super) verdict: Verdict,
    /// The demands.
    pub(super) findings: Vec<Finding>,
    /// From the start of QEMU to its end, a second attempt included.
    pub(super) took: Duration,
    /// How often the guest was booted: again when it died.
    pub(super) attempts: u32,
    /// Console, files and lines of the plugin.
    pub(super) folder: PathBuf,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, reason) = match &self.verdict {
            Verdict::Passed => ("passed", ""),
            Verdict::Skipped(reason) => ("skipped", reason.as_str()),
            Verdict::Failed(reason) => ("FAILED", reason.as_str()),
        };
        write!(f, "{word:<8}{} {} {}", self.test, self.topology, self.kernel)?;
        if !self.took.is_zero() {
            write!(f, " {:.1} s", self.took.as_secs_f64())?;
        }
        if self.attempts > 1 {
            write!(f, " (attempt {})", self.attempts)?;
        }
        if !reason.is_empty() {
            write!(f, ": {reason}")?;
        }
        writeln!(f)?;
        self.findings.iter().try_for_each(|finding| writeln!(f, "        {finding}"))?;
        if matches!(self.verdict, Verdict::Failed(_)) {
            writeln!(f, "        see {}", self.folder.display())?;
        }
        Ok(())
    }
}
