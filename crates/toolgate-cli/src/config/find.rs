//! Where configuration files are: upwards from the workspace, and in the user's folder.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use crate::fault::UsageError;

/// The name of the file.
const NAME: &str = "toolgate.toml";

/// The nearest file in the workspace or a folder above it, if there is one. It is found by its name alone: what it is, is
/// for the reader to say.
///
/// # Errors
/// It cannot be known whether a folder has one.
pub(super) fn above(workspace: &Path) -> Result<Option<PathBuf>, UsageError> {
    for folder in workspace.ancestors() {
        let path = folder.join(NAME);
        match path.symlink_metadata() {
            Ok(_) => return Ok(Some(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("`{}` could not be looked for: {error}", path.display());
                return Err(UsageError::new(message).with_hint("make the folder accessible"));
            }
        }
    }
    Ok(None)
}

/// Where the user's file would be; nowhere where the user has no home.
pub(super) fn of_user() -> Option<PathBuf> {
    Some(base("XDG_CONFIG_HOME", ".config")?.join("toolgate").join(NAME))
}

/// The folder in which this program remembers what the user decided.
pub(crate) fn state() -> Option<PathBuf> {
    Some(base("XDG_STATE_HOME", ".local/state")?.join("toolgate"))
}

/// The folder for what can be lost.
#[cfg(unix)]
pub(crate) fn cache() -> Option<PathBuf> {
    Some(base("XDG_CACHE_HOME", ".cache")?.join("toolgate"))
}

/// A folder of the XDG base directories. A relative path in the variable does not count.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| {
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
        Some(home.join(below_home))
    })
}
