//! The private folder for temporary files of the commands of one session.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

/// What the names of these folders begin with. Nothing else in the folder of temporary files is ever touched.
const PREFIX: &str = "toolgate-shell-";

/// How old a folder that nobody holds has to be. A younger one may be about to be locked.
const ABANDONED: Duration = Duration::from_secs(60);

/// How many entries of the system's folder are looked at for abandoned ones.
const ENTRIES: usize = 20_000;

/// A folder that only this user can enter. It is made for the first command and removed when the session ends. Where the
/// owner is killed, the supervisor of a running command removes it, or else the next session that makes one.
#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Option<Held>>);

#[derive(Debug)]
struct Held {
    folder: TempDir,
    /// Locked as long as the owner lives.
    _lock: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        remove(self.folder.path());
    }
}

impl Scratch {
    /// Where it is.
    pub(super) fn path(&self) -> io::Result<PathBuf> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match held.take() {
            Some(made) => made,
            None => make()?,
        };
        let path = made.folder.path().to_owned();
        *held = Some(made);
        Ok(path)
    }
}

fn make() -> io::Result<Held> {
    // Its real path, because that is what the kernel compares.
    let place = std::fs::canonicalize(std::env::temp_dir())?;
    sweep(&place);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    let folder = builder.tempdir_in(place)?;
    let lock = File::open(folder.path())?;
    lock.try_lock()?;
    Ok(Held { folder, _lock: lock })
}

/// Removes the folders of owners that were killed while they ran no command.
fn sweep(place: &Path) {
    let Ok(entries) = std::fs::read_dir(place) else { return };
    for entry in entries.take(ENTRIES).flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Whether it is old and nobody holds it. A folder of another user cannot be opened.
fn is_abandoned(folder: &Path) -> bool {
    let Ok(open) = File::open(folder) else { return false };
    let age = open.metadata().and_then(|found| found.modified()).map(|changed| changed.elapsed());
    matches!(age, Ok(Ok(age)) if age >= ABANDONED) && open.try_lock().is_ok()
}

/// Removes a folder that a [`Scratch`] made, and no other.
pub(super) fn remove(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with(PREFIX) && std::fs::remove_dir_all(folder).is_err() {
        #[cfg(target_os = "linux")]
        open_up(rustix::fs::CWD, folder, DEPTH);
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// How deep directories are opened up.
#[cfg(target_os = "linux")]
const DEPTH: usize = 128;

/// Gives this user the right to change a directory and those below it: a cache of packages is often read-only. By
/// handles and never through a link, so that nothing outside is touched whoever works there at the same time.
#[cfg(target_os = "linux")]
fn open_up<P: rustix::path::Arg>(parent: std::os::fd::BorrowedFd<'_>, name: P, deeper: usize) {
    use std::os::fd::{AsFd as _, AsRawFd as _};

    use rustix::fs::{Dir, FileType, Mode, OFlags, chmod, openat};

    let folder = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(place) = openat(parent, name, folder | OFlags::PATH, Mode::empty()) else { return };
    let _ = chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU);
    let Ok(open) = openat(&place, c".", folder | OFlags::RDONLY, Mode::empty()) else { return };
    let Ok(entries) = Dir::read_from(&open) else { return };
    let Some(deeper) = deeper.checked_sub(1) else { return };
    for entry in entries.flatten() {
        let is_below = entry.file_name() != c"." && entry.file_name() != c"..";
        if is_below && matches!(entry.file_type(), FileType::Directory | FileType::Unknown) {
            open_up::<&std::ffi::CStr>(open.as_fd(), entry.file_name(), deeper);
        }
    }
}
