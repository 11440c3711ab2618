//! What a workload file holds, key by key.

use homenode_topology::NodeId;
use serde::Deserialize;
use toml::Spanned;

use super::notation::{Count, Length, Nodes, Place, Size};
use crate::Access;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) row: Option<String>,
    pub(super) process: Vec<Spanned<Process>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Process {
    pub(super) name: String,
    pub(super) count: Option<Spanned<Count>>,
    pub(super) bind: Option<Spanned<Nodes>>,
    #[serde(default)]
    pub(super) start: Vec<Spanned<Step>>,
    #[serde(default)]
    pub(super) finish: Vec<Spanned<Step>>,
    #[serde(default)]
    pub(super) region: Vec<Region>,
    #[serde(default)]
    pub(super) thread: Vec<ThreadGroup>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Region {
    pub(super) name: Spanned<String>,
    pub(super) size: Spanned<Size>,
    #[serde(default)]
    pub(super) policy: Option<Spanned<Policy>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ThreadGroup {
    pub(super) count: Option<Spanned<Count>>,
    pub(super) bind: Option<Spanned<Nodes>>,
    pub(super) steps: Vec<Spanned<Step>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) enum Policy {
    Default,
    Local,
    Bind(Nodes),
    Interleave(Nodes),
    Preferred(NodeId),
    MigrateOnFault(Box<Policy>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) enum Step {
    Sweep(Sweep),
    Random(Random),
    Compute(Length),
    Sleep(Length),
    SetPolicy(Policy),
    RunOn(Nodes),
    Barrier(Barrier),
    Repeat(Repeat),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Sweep {
    pub(super) region: Spanned<String>,
    #[serde(default)]
    pub(super) part: Place,
    #[serde(default = "once")]
    pub(super) passes: u32,
    pub(super) access: Access,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Random {
    pub(super) region: Spanned<String>,
    #[serde(default)]
    pub(super) part: Place,
    pub(super) lines: u64,
    pub(super) access: Access,
    #[serde(default)]
    pub(super) compute: Length,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Barrier {
    pub(super) id: u32,
    pub(super) parties: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Repeat {
    pub(super) times: u32,
    pub(super) steps: Vec<Spanned<Step>>,
}

fn once() -> u32 {
    1
}
