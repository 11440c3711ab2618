//! Transparent huge page settings.

use crate::files::{Files, text};

const FOLDER: &str = "sys/kernel/mm/transparent_hugepage";

/// The chosen word of each setting; `None` where the kernel lacks it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thp {
    /// `always`, `madvise`, `never`.
    pub enabled: Option<String>,
    /// How hard to try when none is free.
    pub defrag: Option<String>,
    /// The same for shared memory.
    pub shmem_enabled: Option<String>,
}

/// Reads the settings.
#[must_use]
pub fn read_thp(files: &(impl Files + ?Sized)) -> Thp {
    let setting = |name: &str| chosen(&text(files, &format!("{FOLDER}/{name}")).ok()?);
    Thp {
        enabled: setting("enabled"),
        defrag: setting("defrag"),
        shmem_enabled: setting("shmem_enabled"),
    }
}

/// The word in brackets: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    let (_, after) = text.split_once('[')?;
    after.split_once(']').map(|(word, _)| word.to_string())
}
