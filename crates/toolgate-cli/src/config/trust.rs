//! Which files of workspaces the user trusts: by place and content, so that a changed file has to be trusted anew.
//!
//! Each has a record: a file in the user's state folder, named by the hash. Nothing is ever trusted without
//! `toolgate config trust`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

use super::file::{ConfigFile, Role};
use super::find;
use crate::fault::UsageError;

/// The folder of the records.
#[derive(Debug)]
pub(crate) struct TrustFolder(PathBuf);

impl TrustFolder {
    /// The folder of this user; none where the user has no home.
    pub(crate) fn of_user() -> Option<Self> {
        find::state().map(|state| Self(state.join("trusted")))
    }

    /// Whether the content of a file is trusted at its place.
    pub(crate) fn has(&self, path: &Path, text: &str) -> bool {
        self.record(path, text).symlink_metadata().is_ok_and(|found| found.is_file())
    }

    /// Trusts the content of a file at its place.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn add(&self, path: &Path, text: &str) -> io::Result<()> {
        private_folder(&self.0)?;
        let mut record = fs::File::create(self.record(path, text))?;
        writeln!(record, "{}", path.display())
    }

    /// Trusts it no more. Gives whether it did before.
    ///
    /// # Errors
    /// The record cannot be removed.
    pub(crate) fn remove(&self, path: &Path, text: &str) -> io::Result<bool> {
        match fs::remove_file(self.record(path, text)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn record(&self, path: &Path, text: &str) -> PathBuf {
        self.0.join(hashed(&[path.as_os_str().as_encoded_bytes(), text.as_bytes()]))
    }
}

/// A name of a file for what has these parts.
pub(crate) fn hashed(parts: &[&[u8]]) -> String {
    let mut hash = Context::new(&SHA256);
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            hash.update(b"\0");
        }
        hash.update(part);
    }
    hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a folder that nobody else can look into.
///
/// # Errors
/// It cannot be made.
#[cfg(unix)]
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a folder.
///
/// # Errors
/// It cannot be made.
#[cfg(not(unix))]
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// The file of a workspace, read and checked.
///
/// # Errors
/// There is none, or it is wrong.
pub(crate) fn workspace_file(workspace: &Path) -> Result<ConfigFile, UsageError> {
    let found = find::above(workspace)?;
    let file = found.map(|path| ConfigFile::load(&path, Role::Workspace)).transpose()?.flatten();
    file.ok_or_else(|| {
        UsageError::new(format!("there is no toolgate.toml in `{}` or above it", workspace.display()))
            .with_hint("your own file needs no trust; `toolgate config` shows where it is")
    })
}
