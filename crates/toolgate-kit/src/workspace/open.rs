//! Opens files and directories beneath the root.
//!
//! Called by the read engine, the search engine, the directory walk and [`super::entry`]. Nothing is opened that could block: pipes,
//! sockets and devices are refused by what the lookup found, and once more by what the handle says, which was opened
//! without waiting for a peer.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, FileType, Metadata, OpenOptions, ReadDir};

use super::resolve::{classify, resolve};
use super::{SpecialFile, Workspace, WorkspaceError, shown_text};

/// How often a file that changed its kind or place between lookup and open is looked up again.
pub(super) const ATTEMPTS: usize = 4;

/// A regular file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    /// The handle. Its kind has been checked.
    pub(crate) file: File,
    /// The path as results show it.
    pub(crate) name: String,
    /// Where it is, relative to the root, without links.
    pub(crate) place: PathBuf,
}

impl Workspace {
    /// Opens a regular file for reading.
    pub(crate) fn open_file(&self, path: &str) -> Result<OpenedFile, WorkspaceError> {
        let asked = self.asked(path)?;
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let place = resolve(&self.root, &asked)?;
            check_regular(&place.metadata, path)?;
            match self.root.dir.open_with(&place.path, &reading(Links::Follow)) {
                Ok(file) => {
                    let metadata = file.metadata().map_err(|error| classify(error, path, &self.root))?;
                    check_regular(&metadata, path)?;
                    return Ok(OpenedFile {
                        file: file.into_std(),
                        name: self.name(path)?,
                        place: place.path,
                    });
                }
                // Somebody changed the tree in between, or it may not be read: the next lookup tells.
                Err(error) => last = Some(error),
            }
        }
        let error = last.unwrap_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        Err(classify(error, path, &self.root))
    }

    /// Opens a file that the walk has just listed; `None` when it is no regular file any more.
    pub(crate) fn open_listed(&self, path: &str) -> io::Result<Option<File>> {
        let file = self.root.dir.open_with(path, &reading(Links::Refuse))?;
        Ok(file.metadata()?.is_file().then(|| file.into_std()))
    }

    /// The reason behind a failure to list the directory at `path`.
    pub(crate) fn explain_unlistable(&self, error: io::Error, path: &str) -> WorkspaceError {
        classify(error, if path.is_empty() { "." } else { path }, &self.root)
    }

    /// Opens a directory of the workspace by its resolved path, itself not a link.
    pub(crate) fn open_directory(&self, path: &str) -> io::Result<Directory> {
        let path = if path.is_empty() { "." } else { path };
        open_directory(&self.root.dir, path).map(Directory)
    }

    /// Opens a directory that a command is to begin in, and gives its absolute path as well.
    #[cfg(unix)]
    pub(crate) fn working_directory(&self, path: &str) -> Result<(File, PathBuf), WorkspaceError> {
        let place = self.find(path)?;
        if !place.directory {
            return Err(WorkspaceError::NotADirectory { path: shown_text(path), file: shown_text(path) });
        }
        let open = self.open_directory(&place.path).map_err(|error| classify(error, path, &self.root))?;
        let mut absolute = self.root().to_owned();
        // Joining nothing would put a separator behind.
        absolute.extend((!place.path.is_empty()).then_some(&place.path));
        Ok((open.0.into_std_file(), absolute))
    }

    /// Whether a link leads to a regular file inside the workspace.
    pub(crate) fn leads_to_file(&self, path: &str) -> bool {
        let place = self.asked(path).and_then(|asked| resolve(&self.root, &asked));
        place.is_ok_and(|place| place.metadata.is_file())
    }
}

/// A directory handle of the walk.
#[derive(Debug)]
pub(crate) struct Directory(Dir);

impl Directory {
    /// What is in it, in no order.
    pub(crate) fn entries(&self) -> io::Result<ReadDir> {
        self.0.entries()
    }

    /// Opens a regular file in it, not following a link; `None` when there is none. Fails when there is one that
    /// cannot be opened.
    pub(crate) fn open_own_file(&self, name: &str) -> io::Result<Option<File>> {
        open_own_file(&self.0, name)
    }

    /// Whether it has an entry of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.symlink_metadata(name).is_ok()
    }
}

/// Opens a regular file in a directory, not following a link and not waiting; `None` when there is none. Fails when
/// there is one that cannot be opened.
pub(crate) fn open_own_file(directory: &Dir, name: &str) -> io::Result<Option<File>> {
    let opened = directory.open_with(name, &reading(Links::Refuse));
    match opened.and_then(|file| Ok((file.metadata()?.is_file(), file))) {
        Ok((true, file)) => Ok(Some(file.into_std())),
        Ok((false, _)) => Ok(None),
        Err(error) if directory.symlink_metadata(name).is_ok_and(|metadata| metadata.is_file()) => Err(error),
        Err(_) => Ok(None),
    }
}

pub(super) fn check_regular(metadata: &Metadata, path: &str) -> Result<(), WorkspaceError> {
    if metadata.is_file() {
        return Ok(());
    }
    let path = shown_text(path);
    if metadata.is_dir() {
        return Err(WorkspaceError::IsADirectory { path });
    }
    Err(WorkspaceError::NotARegularFile { path, kind: special(metadata.file_type()) })
}

enum Links {
    Follow,
    Refuse,
}

#[cfg(unix)]
fn reading(links: Links) -> OpenOptions {
    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::OFlags;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if matches!(links, Links::Refuse) {
        flags |= OFlags::NOFOLLOW;
    }
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options
}

#[cfg(not(unix))]
fn reading(_links: Links) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(unix)]
pub(super) fn open_directory(root: &Dir, path: impl AsRef<Path>) -> io::Result<Dir> {
    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::OFlags;
    let mut options = OpenOptions::new();
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.read(true).custom_flags(flags.bits().cast_signed());
    Ok(Dir::from_std_file(root.open_with(path, &options)?.into_std()))
}

#[cfg(not(unix))]
pub(super) fn open_directory(root: &Dir, path: impl AsRef<Path>) -> io::Result<Dir> {
    root.open_dir(path)
}

#[cfg(unix)]
fn special(kind: FileType) -> SpecialFile {
    use cap_std::fs::FileTypeExt as _;
    if kind.is_fifo() {
        SpecialFile::Pipe
    } else if kind.is_socket() {
        SpecialFile::Socket
    } else if kind.is_block_device() || kind.is_char_device() {
        SpecialFile::Device
    } else {
        SpecialFile::Other
    }
}

#[cfg(not(unix))]
fn special(_kind: FileType) -> SpecialFile {
    SpecialFile::Other
}
