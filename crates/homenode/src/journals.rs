//! Where journals are kept, and which of them has something to undo.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use homenode_linux::journal::{Reading, read_journal};

use crate::Error;

/// The folder of this user's journals: `$XDG_STATE_HOME/homenode`, else `~/.local/state/homenode`.
///
/// # Errors
/// [`Error::Usage`] if neither variable is set.
pub fn folder() -> Result<PathBuf, Error> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = variable("XDG_STATE_HOME").map(PathBuf::from);
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    state.or_else(home).map(|state| state.join("homenode")).ok_or_else(|| {
        Error::Usage("neither XDG_STATE_HOME nor HOME is set: name the journal".into())
    })
}

/// Reads a journal.
///
/// # Errors
/// It cannot be read; what is wrong inside it is part of the [`Reading`].
pub fn read(path: &Path) -> Result<Reading, Error> {
    let bytes = fs::read(path).map_err(|cause| homenode_linux::Error::File {
        action: "read",
        path: path.display().to_string(),
        errno: cause.into(),
    })?;
    Ok(read_journal(&bytes))
}

/// The newest journal of a folder that is not settled.
///
/// # Errors
/// The folder cannot be listed, or a journal in it not be read. A folder that does not exist holds none.
pub fn newest(folder: &Path) -> Result<Option<(PathBuf, Reading)>, Error> {
    let failed = |cause: std::io::Error| homenode_linux::Error::File {
        action: "list",
        path: folder.display().to_string(),
        errno: cause.into(),
    };
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(failed)?,
    };
    let mut journals: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "journal") {
            let changed = fs::metadata(&path).and_then(|data| data.modified()).map_err(failed)?;
            journals.push((changed, path));
        }
    }
    journals.sort();
    for (_, path) in journals.into_iter().rev() {
        let reading = read(&path)?;
        if !reading.is_settled() {
            return Ok(Some((path, reading)));
        }
    }
    Ok(None)
}
