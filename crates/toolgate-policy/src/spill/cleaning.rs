//! Removes the folders of processes that are gone: at the start of another one, and at the end of this one.
//!
//! Called by [`super::folder`]. It touches only names that this crate gives, follows no link, takes nothing whose lock
//! somebody holds, and stops after a bounded number of entries; what it leaves is found by the next start.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstat, openat, unlinkat};
use rustix::process::geteuid;

/// The file in each folder that its process keeps locked.
pub(super) const LOCK: &str = "lock";

/// What the name of a file ends with that is being written.
pub(super) const PART: &str = "-part";

/// What a kept file is called behind its number.
pub(super) const KINDS: [&str; 3] = ["text", "json", "call"];

/// How many entries of a folder are looked at.
const MOST_ENTRIES: usize = 10_000;

/// How many folders one start removes.
const MOST_FOLDERS: usize = 100;

/// Removes the folders below `base` that no living process holds.
pub(super) fn remove_dead(base: &OwnedFd) {
    for name in names(base, is_run_folder).into_iter().take(MOST_FOLDERS) {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(folder) = openat(base, &name, flags, Mode::empty()) else { continue };
        if !fstat(&folder).is_ok_and(|found| found.st_uid == geteuid().as_raw()) {
            continue;
        }
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&folder, LOCK, flags, Mode::empty()) {
            Ok(lock) => {
                // Held until the folder is gone, so that two cleaning processes do not meet in it.
                let lock = File::from(lock);
                if lock.try_lock().is_ok() {
                    remove_folder(base, &folder, &name);
                }
            }
            // A process that ended before it had a lock left the folder empty; one that begins tries another.
            Err(_) => {
                let _ = unlinkat(base, &name, AtFlags::REMOVEDIR);
            }
        }
    }
}

/// Removes what this crate put into a folder, and the folder if that was all.
pub(super) fn remove_folder(base: &OwnedFd, folder: &OwnedFd, name: &str) {
    for file in names(folder, is_kept_file) {
        let _ = unlinkat(folder, &file, AtFlags::empty());
    }
    // Last, so that whoever finds the folder without a lock finds it empty.
    let _ = unlinkat(folder, LOCK, AtFlags::empty());
    let _ = unlinkat(base, name, AtFlags::REMOVEDIR);
}

fn names(folder: impl AsFd, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let Ok(entries) = Dir::read_from(folder) else { return Vec::new() };
    let names = entries.take(MOST_ENTRIES).flatten();
    names
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .filter(|name| is_meant(name))
        .collect()
}

/// `run-PID-RANDOM`.
fn is_run_folder(name: &str) -> bool {
    let parts = name.strip_prefix("run-").and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(process, random)| {
        is_number(process) && random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// `NUMBER.KIND`, complete or not.
fn is_kept_file(name: &str) -> bool {
    name.split_once('.').is_some_and(|(number, kind)| {
        is_number(number) && KINDS.contains(&kind.strip_suffix(PART).unwrap_or(kind))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
