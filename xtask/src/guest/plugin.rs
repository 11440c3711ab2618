//! How the plugin that counts accesses is loaded.

use std::path::Path;

use serde::Deserialize;

use super::machine::Topology;

/// File of the plugin's lines in the folder of results, from where QEMU runs.
const OUT: &str = "plugin";

/// What the plugin is to do besides counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plugin {
    /// Time that each remote access takes longer.
    delay_ns: u64,
}

impl Plugin {
    /// The arguments for QEMU.
    pub(super) fn arguments(self, library: &Path, topology: &Topology) -> Vec<String> {
        let mut value = format!(
            "file={},out={OUT},delay_ns={}",
            library.display().to_string().replace(',', ",,"),
            self.delay_ns
        );
        for node in topology.nodes() {
            value += &format!(",node={}:{}", node.memory_mib, node.cpu_list());
        }
        vec!["-plugin".to_owned(), value]
    }
}
