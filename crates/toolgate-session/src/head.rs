//! [`Head`]: the lock of a session's writer, and the place of the last record that it acknowledged.
//!
//! Both live in `<id>.head`. The number is written after the records, by whoever holds the lock, so it can be behind
//! them and never ahead of what was acknowledged. It is how the loss of whole records at the end is noticed.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::folder::private;
use crate::record::LAST_PLACE;
use crate::{SessionId, StoreError};

/// The lock, as long as this lives.
#[derive(Debug)]
pub(crate) struct Head {
    file: File,
    path: PathBuf,
}

impl Head {
    /// Takes the lock of a session.
    pub(crate) fn take(path: PathBuf, id: SessionId) -> Result<Self, StoreError> {
        if is_something_else(&path) {
            // What is noted would be written over a file that lies elsewhere.
            return Err(StoreError::io("locking", path)(std::io::Error::other("it is a link or no file")));
        }
        let file = private().create(true).truncate(false).read(true).write(true).open(&path);
        let file = file.map_err(StoreError::io("opening", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file, path }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy(id)),
            Err(TryLockError::Error(error)) => Err(StoreError::io("locking", path)(error)),
        }
    }

    /// Notes the place of the last record.
    pub(crate) fn note(&mut self, last: u64) -> Result<(), StoreError> {
        if last > LAST_PLACE {
            let none_left = std::io::Error::other("a session has no more places than that");
            return Err(StoreError::io("counting the records of", &self.path)(none_left));
        }
        let note = |file: &mut File| {
            file.seek(SeekFrom::Start(0))?;
            // Always twenty digits, so that nothing of an older number is left.
            write!(file, "{last:020}")
        };
        note(&mut self.file).map_err(StoreError::io("writing", &self.path))
    }

    /// What was noted, without the lock; 0 where nothing was, or nothing that can be.
    pub(crate) fn noted(path: &Path) -> Result<u64, StoreError> {
        if is_something_else(path) {
            // Opening a pipe would wait for whoever writes it.
            return Ok(0);
        }
        let mut text = String::new();
        match File::open(path).and_then(|file| file.take(20).read_to_string(&mut text)) {
            Ok(_) => Ok(text.parse().ok().filter(|noted| *noted <= LAST_PLACE).unwrap_or(0)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => Ok(0),
            Err(error) => Err(StoreError::io("reading", path)(error)),
        }
    }
}

fn is_something_else(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file())
}
