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
    pub(crate) fn has(&self, file: &ConfigFile) -> bool {
        self.record(file).symlink_metadata().is_ok_and(|found| found.is_file())
    }

    /// Trusts the content of a file at its place.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn add(&self, file: &ConfigFile) -> io::Result<()> {
        private_folder(&self.0)?;
        let mut record = fs::File::create(self.record(file))?;
        writeln!(record, "{}", file.path.display())
    }

    /// Trusts it no more. Gives whether it did before.
    ///
    /// # Errors
    /// The record cannot be removed.
    pub(crate) fn remove(&self, file: &ConfigFile) -> io::Result<bool> {
        match fs::remove_file(self.record(file)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn record(&self, file: &ConfigFile) -> PathBuf {
        let mut hash = Context::new(&SHA256);
        hash.update(file.path.as_os_str().as_encoded_bytes());
        hash.update(b"\0");
        hash.update(file.text.as_bytes());
        let hash: String = hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.join(hash)
    }
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
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
