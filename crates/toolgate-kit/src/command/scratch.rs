//! The private folder for temporary files of the commands of one session.

use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A folder that only this user can enter, removed when the session ends. Where the owner is killed, a supervisor
/// removes it.
pub(super) fn scratch() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    // Its real path, because that is what the kernel compares.
    builder.tempdir_in(std::fs::canonicalize(std::env::temp_dir())?)
}

const PREFIX: &str = "toolgate-";

/// Removes a folder that [`scratch`] made, and no other.
pub(super) fn remove(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with(PREFIX) {
        let _ = std::fs::remove_dir_all(folder);
    }
}
