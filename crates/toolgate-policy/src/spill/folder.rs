//! The private folder in which one process keeps content, and the only code that touches it.
//!
//! `BASE/run-PID-RANDOM` with mode 0700 holds files with mode 0600 and a locked file `lock`, by which other processes
//! know that the folder is in use. Everything is reached from descriptors that were opened once and checked: putting a
//! link in the place of the folder later leads nowhere. No name comes from a model or a tool.

use std::fs::{DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::process::geteuid;

use super::cleaning::{self, LOCK};

/// How often a folder of one's own is tried: a process that cleans up may take a new one for a dead one.
const ATTEMPTS: usize = 8;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Why there is no folder to keep content in.
#[derive(Debug, thiserror::Error)]
pub enum SpillFolderError {
    /// It, or a folder above it, could not be made or opened.
    #[error("the folder {} for kept content cannot be opened{}", folder.display(), if *is_link { ": it is a symbolic link" } else { "" })]
    Unavailable {
        /// The folder.
        folder: PathBuf,
        /// Whether a symbolic link is in its place.
        is_link: bool,
        /// What the system said.
        source: io::Error,
    },
    /// It belongs to another user.
    #[error("the folder {} for kept content belongs to user {owner}\nhint: choose a folder of your own", folder.display())]
    ForeignOwner {
        /// The folder.
        folder: PathBuf,
        /// Who owns it.
        owner: u32,
    },
    /// Others than its owner have rights on it.
    #[error("the folder {} for kept content is open to others (mode {mode:04o})\nhint: chmod 700 it", folder.display())]
    OpenToOthers {
        /// The folder.
        folder: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

/// The folder of this process. Dropping it removes it with everything in it.
#[derive(Debug)]
pub(super) struct RunFolder {
    base: OwnedFd,
    folder: OwnedFd,
    name: String,
    /// Locked for as long as it is open.
    _lock: File,
}

impl RunFolder {
    /// Makes a folder below `base`, which is made where there is none, and removes those of dead processes.
    pub(super) fn open(base: &Path) -> Result<Self, SpillFolderError> {
        let unavailable =
            |is_link, source| SpillFolderError::Unavailable { folder: base.to_owned(), is_link, source };
        let opened = open_private(base)?;
        cleaning::remove_dead(&opened);
        for _ in 0..ATTEMPTS {
            match Self::claim(&opened).map_err(|source| unavailable(false, source))? {
                Some((folder, name, lock)) => return Ok(Self { base: opened, folder, name, _lock: lock }),
                None => continue,
            }
        }
        Err(unavailable(false, io::Error::other("every new folder was removed by another process")))
    }

    /// Makes and locks a folder; none where a cleaning process was faster.
    fn claim(base: &OwnedFd) -> io::Result<Option<(OwnedFd, String, File)>> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let name = format!("run-{}-{:016x}", std::process::id(), u64::from_ne_bytes(random));
        mkdirat(base, &name, Mode::RWXU)?;
        let claimed = (|| {
            let folder = openat(base, &name, FOLDER, Mode::empty())?;
            let lock = create(&folder, LOCK)?;
            lock.try_lock()?;
            Ok::<_, io::Error>((folder, lock))
        })();
        let Ok((folder, lock)) = claimed else { return Ok(None) };
        // The lock is worth something only while it is the file that others find under its name.
        let (held, found) = (fstat(&lock)?, statat(&folder, LOCK, AtFlags::SYMLINK_NOFOLLOW));
        let is_found = found.is_ok_and(|found| (found.st_ino, found.st_dev) == (held.st_ino, held.st_dev));
        Ok(is_found.then_some((folder, name, lock)))
    }

    /// Writes a new file that appears under its name once it is complete. Nothing stays of one that failed.
    pub(super) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let part = format!("{name}{}", cleaning::PART);
        let written = create(&self.folder, &part).and_then(|file| {
            let mut file = BufWriter::with_capacity(64 * 1024, file);
            write(&mut file)?;
            file.flush()?;
            renameat(&self.folder, &part, &self.folder, name)?;
            Ok(())
        });
        if written.is_err() {
            // It is not there where creating it failed.
            let _ = unlinkat(&self.folder, &part, AtFlags::empty());
        }
        written
    }

    /// Opens a file that [`write`](Self::write) made.
    pub(super) fn read(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.folder, name, flags, Mode::empty())?.into())
    }

    /// Removes a file; one that is not there is gone already.
    pub(super) fn remove(&self, name: &str) {
        let _ = unlinkat(&self.folder, name, AtFlags::empty());
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        cleaning::remove_folder(&self.base, &self.folder, &self.name);
    }
}

/// Opens the folder at `path`, made where there is none, if it belongs to this user alone.
fn open_private(path: &Path) -> Result<OwnedFd, SpillFolderError> {
    let unavailable = |source: io::Error| {
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        SpillFolderError::Unavailable { folder: path.to_owned(), is_link, source }
    };
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(unavailable)?;
    }
    match mkdirat(CWD, path, Mode::RWXU) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(unavailable(error.into())),
    }
    let folder = openat(CWD, path, FOLDER, Mode::empty()).map_err(|error| unavailable(error.into()))?;
    let found = fstat(&folder).map_err(|error| unavailable(error.into()))?;
    if found.st_uid != geteuid().as_raw() {
        return Err(SpillFolderError::ForeignOwner { folder: path.to_owned(), owner: found.st_uid });
    }
    let mode = Mode::from_raw_mode(found.st_mode).bits() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(SpillFolderError::OpenToOthers { folder: path.to_owned(), mode });
    }
    Ok(folder)
}

/// Makes a new file that only this user can open.
fn create(folder: &OwnedFd, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}
