//! A finding: what, how bad, why, and what to do.

use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// As it should be, or good to know.
    Info,
    /// Works less well than it could.
    Warning,
    /// Something needed does not work.
    Problem,
}

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// A short stable name, for scripts.
    pub code: &'static str,
    /// What it is, with its numbers, and why it matters.
    pub reason: String,
    /// A command that changes it.
    pub command: Option<String>,
}

impl Finding {
    pub(super) fn new(severity: Severity, code: &'static str, reason: String) -> Self {
        Self { severity, code, reason, command: None }
    }

    pub(super) fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}
