//! Removes what killed processes left: temporary files that nobody holds any more.
//!
//! Each directory is looked at once per runtime, before the first change in it. A temporary file is locked while its
//! process lives, so one that can be locked has none. Nothing else is ever removed, whatever its name.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use cap_std::fs::Dir;

use super::temporary::{PREFIX, SUFFIX};
use crate::workspace::open_own_file;

/// How many entries of one directory are looked at.
const ENTRIES: usize = 20_000;

/// How many directories are remembered. After that they are looked at anew.
const DIRECTORIES: usize = 4096;

/// Which directories have been looked at.
#[derive(Debug, Default)]
pub(super) struct Swept {
    directories: Mutex<HashSet<Identity>>,
}

impl Swept {
    /// Looks at `directory`, unless that has been done.
    pub(super) fn sweep(&self, directory: &Dir) {
        let Some(identity) = identity(directory) else { return };
        let is_new = {
            let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
            if directories.len() >= DIRECTORIES {
                directories.clear();
            }
            directories.insert(identity)
        };
        if is_new {
            sweep(directory);
        }
    }
}

/// Removes the abandoned temporary files of a directory. What cannot be looked at or removed is left.
fn sweep(directory: &Dir) {
    let Ok(entries) = directory.entries() else { return };
    for entry in entries.take(ENTRIES).flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_temporary(name)) else { continue };
        let Ok(Some(file)) = open_own_file(directory, name) else { continue };
        // Held until the name is gone, so that nobody takes the file for theirs meanwhile.
        if file.try_lock().is_ok() {
            let _ = directory.remove_file(name);
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    number.is_some_and(|number| number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(directory: &Dir) -> Option<Identity> {
    use cap_std::fs::MetadataExt as _;
    directory.dir_metadata().map(|found| (found.dev(), found.ino())).ok()
}

#[cfg(not(unix))]
type Identity = std::time::SystemTime;

#[cfg(not(unix))]
fn identity(directory: &Dir) -> Option<Identity> {
    directory.dir_metadata().ok()?.created().ok().map(cap_std::time::SystemTime::into_std)
}
