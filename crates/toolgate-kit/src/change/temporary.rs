//! The temporary file that new content is written to before it takes its place.
//!
//! It lies in the directory of its target, under a name that [`super::litter`] knows, and is locked while its process
//! lives. Dropping it removes it; a killed process leaves it, unlocked, to the next change in that directory.

use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;

use cap_std::fs::{Dir, OpenOptions};

/// What the names of temporary files begin and end with.
pub(super) const PREFIX: &str = ".toolgate-";
pub(super) const SUFFIX: &str = ".tmp";

/// How many names are tried before giving up.
const ATTEMPTS: usize = 16;

/// A temporary file in a directory.
#[derive(Debug)]
pub(super) struct Temporary<'d> {
    directory: &'d Dir,
    name: String,
    pub(super) file: File,
    is_placed: bool,
}

/// Who may read the file while it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// Whoever may read new files.
    AsNew,
    /// Nobody else: the file that it replaces says later who may.
    Private,
}

impl<'d> Temporary<'d> {
    pub(super) fn create(directory: &'d Dir, access: Access) -> io::Result<Self> {
        let mut failed = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let number = RandomState::new().build_hasher().finish();
            let name = format!("{PREFIX}{number:016x}{SUFFIX}");
            match directory.open_with(&name, &creating(access)) {
                Ok(file) => {
                    let file = file.into_std();
                    // Made before it is locked, so that it is removed whatever comes.
                    let made = Self { directory, name, file, is_placed: false };
                    if made.is_ours()? {
                        return Ok(made);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    /// Locks the file. A sweep that came between its creation and its lock has it locked, or has removed it.
    fn is_ours(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => return Ok(false),
            // No locks here: then nothing is ever swept either.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => {}
        }
        Ok(self.directory.symlink_metadata(&self.name).is_ok())
    }

    /// Puts the file in the place of whatever has that name in the same directory.
    pub(super) fn replace(mut self, name: &str) -> io::Result<()> {
        self.directory.rename(&self.name, self.directory, name)?;
        self.is_placed = true;
        Ok(())
    }

    /// Gives the file a name that nothing has. Fails with `AlreadyExists` where something has it.
    pub(super) fn place(mut self, name: &str) -> io::Result<()> {
        super::rename_without_replacing(self.directory, &self.name, self.directory, name)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = self.directory.remove_file(&self.name);
        }
    }
}

fn creating(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, access);
    options
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, access: Access) {
    use cap_std::fs::OpenOptionsExt as _;
    options.mode(match access {
        Access::AsNew => 0o666,
        Access::Private => 0o600,
    });
}

#[cfg(not(unix))]
fn set_mode(_options: &mut OpenOptions, _access: Access) {}
