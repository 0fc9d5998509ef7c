//! The private folder that sessions lie in: `<id>.<suffix>` for the records, `<id>.head` beside it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use crate::{SessionId, StoreError};

/// A folder of sessions whose files have one suffix. Only its owner can enter it.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    suffix: &'static str,
}

impl Folder {
    /// Opens the folder, and makes it where it is missing.
    pub(crate) fn open(path: &Path, suffix: &'static str) -> Result<Self, StoreError> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(StoreError::io("making the folder", path))?;
        Ok(Self { path: path.to_owned(), suffix })
    }

    pub(crate) fn records(&self, id: SessionId) -> PathBuf {
        self.path.join(format!("{id}.{}", self.suffix))
    }

    pub(crate) fn head(&self, id: SessionId) -> PathBuf {
        self.path.join(format!("{id}.head"))
    }

    /// The records of a session that is there. What is no file of its own is none: to mend a link would change a file that
    /// lies elsewhere, and to open a pipe would wait.
    pub(crate) fn existing(&self, id: SessionId) -> Result<PathBuf, StoreError> {
        let path = self.records(id);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => Ok(path),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(StoreError::io("looking at", path)(error))
            }
            Ok(_) | Err(_) => Err(StoreError::NotFound(id)),
        }
    }

    /// Makes the file of a session that is not there yet.
    pub(crate) fn make(&self, id: SessionId) -> Result<File, StoreError> {
        let path = self.records(id);
        private().create_new(true).append(true).read(true).open(&path).map_err(|error| {
            if error.kind() == ErrorKind::AlreadyExists {
                return StoreError::Exists(id);
            }
            StoreError::io("creating", &path)(error)
        })
    }

    /// Writes the entry of a new file to disk.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let folder = File::open(&self.path).and_then(|folder| folder.sync_all());
        folder.map_err(StoreError::io("syncing the folder", &self.path))
    }

    /// Every session of the folder, oldest first. Other files are none of ours.
    pub(crate) fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        let failed = || StoreError::io("listing", &self.path);
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let path = entry.path();
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let has_suffix = path.extension().is_some_and(|suffix| suffix == self.suffix);
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if is_file
                && has_suffix
                && let Ok(id) = SessionId::from_str(stem)
            {
                ids.push(id);
            }
        }
        ids.sort_unstable();
        Ok(ids)
    }
}

/// Options for a file that only its owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
