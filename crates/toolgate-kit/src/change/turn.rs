//! Whose turn it is to change files in a directory: one change at a time, over all processes that use this crate.
//!
//! A turn is an advisory lock on the directory itself, held from the last look at a file until it is replaced. It is
//! given back when it is dropped, and by the system when the process ends. Other programs do not know of it; against
//! those only the comparison before the rename helps. Where the file system has no such locks there are none.

use std::time::{Duration, Instant};

use cap_std::fs::Dir;

use super::error::ChangeError;
use crate::failure::FileToolError;
use crate::stop::Stop;

/// How long another process may keep a directory before a change gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(2);

/// The right to change files in a directory, or in two.
#[derive(Debug)]
pub(crate) struct Turn {
    _held: Vec<Held>,
}

impl Turn {
    /// Waits for a turn in each of `directories`. `path` is for messages.
    pub(crate) fn take(directories: &[&Dir], path: &str, stop: &Stop) -> Result<Self, FileToolError> {
        let deadline = Instant::now() + PATIENCE;
        let mut held = Vec::new();
        for directory in in_one_order(directories) {
            loop {
                stop.check()?;
                if let Some(lock) = try_hold(directory) {
                    held.push(lock);
                    break;
                }
                if Instant::now() >= deadline {
                    return Err(ChangeError::Busy { path: path.to_owned() }.into());
                }
                std::thread::sleep(PAUSE);
            }
        }
        Ok(Self { _held: held })
    }
}

/// The directories, each once, in an order that does not depend on who asks: nobody then waits for somebody who waits.
#[cfg(unix)]
fn in_one_order<'a>(directories: &[&'a Dir]) -> impl Iterator<Item = &'a Dir> {
    use cap_std::fs::MetadataExt as _;
    let identity = |directory: &Dir| directory.dir_metadata().map(|found| (found.dev(), found.ino())).ok();
    let mut known: Vec<_> = directories.iter().map(|&directory| (identity(directory), directory)).collect();
    known.sort_by_key(|(identity, _)| *identity);
    known.dedup_by_key(|(identity, _)| *identity);
    known.into_iter().map(|(_, directory)| directory)
}

#[cfg(unix)]
type Held = std::os::fd::OwnedFd;

/// The lock, unless somebody else has it.
#[cfg(unix)]
fn try_hold(directory: &Dir) -> Option<Held> {
    use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};
    use rustix::io::Errno;
    // Opened anew: two changes through one handle would otherwise share one lock.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let own = openat(directory, ".", flags, Mode::empty()).ok()?;
    match flock(&own, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK | Errno::INTR) => None,
        Ok(()) | Err(_) => Some(own),
    }
}

#[cfg(not(unix))]
fn in_one_order<'a>(directories: &[&'a Dir]) -> impl Iterator<Item = &'a Dir> {
    directories.iter().copied().take(1)
}

#[cfg(not(unix))]
type Held = std::sync::MutexGuard<'static, ()>;

/// Directories cannot be locked here, so the changes of this process take turns among themselves.
#[cfg(not(unix))]
fn try_hold(_directory: &Dir) -> Option<Held> {
    static CHANGES: std::sync::Mutex<()> = std::sync::Mutex::new(());
    match CHANGES.try_lock() {
        Ok(guard) => Some(guard),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => None,
    }
}
