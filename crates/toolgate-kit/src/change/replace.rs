//! Puts new content in place: all of it by one rename, or nothing.
//!
//! Called by the tools `write` and `edit`. The content is on the disk before the rename, so a power cut leaves the old
//! file or the new one; the directory is not flushed, so right after a power cut it may still be the old one. The new
//! file keeps owner, group and permission bits of the one it replaces (set-user-id and the like excepted, as when a
//! file is written in place); other names of the old file (hard links) keep the old content.

use std::io::{self, Write as _};

use cap_std::fs::{Dir, Metadata};

use super::before::Before;
use super::error::ChangeError;
use super::fingerprint::Fingerprint;
use super::temporary::{Access, Temporary};
use super::{Changes, CreatedDirectories, Turn};
use crate::failure::FileToolError;
use crate::stop::Stop;
use crate::workspace::{Entry, shown_text};

/// How much is written between two questions whether to stop.
const BLOCK: usize = 1024 * 1024;

/// Makes `content` the content of the file at `entry`, which `before` describes; `None` for a file that must not exist
/// yet. Refuses when that is not so any more. Until the rename it can be stopped, and leaves nothing.
pub(crate) fn put_in_place(
    changes: &Changes,
    entry: &Entry,
    before: Option<&Before>,
    content: &[u8],
    stop: &Stop,
) -> Result<Fingerprint, FileToolError> {
    let path = shown_text(&entry.path);
    let failed = |error| ChangeError::of(error, &path);
    if before.is_some() {
        check_writable(entry).map_err(failed)?;
    }
    let directories = CreatedDirectories::on_the_way_to(entry)?;
    if let Some((texts, place)) = changes.workspace.writer_of(&entry.path)
        && let Ok(text) = std::str::from_utf8(content)
    {
        refuse_if_changed(changes, entry, before, stop)?;
        texts.write(&place, text, &|| stop.check().is_ok()).map_err(failed)?;
        directories.keep();
        return Ok(Fingerprint::of(content));
    }
    let directory = directories.innermost();
    changes.swept.sweep(directory);
    let access = if before.is_some() { Access::Private } else { Access::AsNew };
    let mut temporary = Temporary::create(directory, access).map_err(failed)?;
    for block in content.chunks(BLOCK) {
        stop.check()?;
        temporary.file.write_all(block).map_err(failed)?;
    }
    if let Some(before) = before {
        keep_access(&temporary.file, &before.metadata).map_err(failed)?;
    }
    temporary.file.sync_data().map_err(failed)?;

    let turn = Turn::take(&[directory], &path, stop)?;
    refuse_if_changed(changes, entry, before, stop)?;
    match before {
        Some(_) => temporary.replace(&entry.name).map_err(failed)?,
        None => temporary.place(&entry.name).map_err(|error| {
            match error.kind() == io::ErrorKind::AlreadyExists {
                true => ChangeError::ChangedMeanwhile { path: path.clone() },
                false => failed(error),
            }
        })?,
    }
    drop(turn);
    directories.keep();
    Ok(Fingerprint::of(content))
}

/// Refuses to go on where the file is not what `before` describes any more.
fn refuse_if_changed(
    changes: &Changes,
    entry: &Entry,
    before: Option<&Before>,
    stop: &Stop,
) -> Result<(), FileToolError> {
    let is_current = match before {
        Some(before) => before.is_current(&changes.workspace, entry, stop)?,
        None => true,
    };
    stop.check()?;
    if is_current {
        Ok(())
    } else {
        Err(ChangeError::ChangedMeanwhile { path: shown_text(&entry.path) }.into())
    }
}

/// Renames within the workspace, and fails with `AlreadyExists` where something has the new name, links included.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn rename_without_replacing(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // Not every file system can.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_after_a_look(from, old, to, new),
        result => Ok(result?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn rename_without_replacing(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    rename_after_a_look(from, old, to, new)
}

/// The same where the system has no such rename: safe against whoever takes turns, not against others.
fn rename_after_a_look(from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<()> {
    match to.symlink_metadata(new) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => from.rename(old, to, new),
        Err(error) => Err(error),
    }
}

/// Refuses to replace a file that may not be written to: a rename would not ask.
#[cfg(unix)]
fn check_writable(entry: &Entry) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, accessat};
    Ok(accessat(&entry.directory, entry.name.as_str(), Access::WRITE_OK, AtFlags::empty())?)
}

#[cfg(not(unix))]
fn check_writable(entry: &Entry) -> io::Result<()> {
    let is_readonly = entry.metadata.as_ref().is_some_and(|found| found.permissions().readonly());
    if is_readonly { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
}

/// Gives the new file the owner, group and permission bits of the old one. Fails where the owner cannot be kept: the
/// file would belong to somebody else without anybody having asked for that.
#[cfg(unix)]
fn keep_access(file: &std::fs::File, before: &Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt as _;
    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown, fstat};
    let now = fstat(file)?;
    let group = (now.st_gid != before.gid()).then(|| Gid::from_raw(before.gid()));
    if now.st_uid != before.uid() {
        fchown(file, Some(Uid::from_raw(before.uid())), group)?;
    } else if group.is_some() {
        fchown(file, None, group)?;
    }
    Ok(fchmod(file, Mode::from_bits_truncate(before.mode() & 0o777))?)
}

#[cfg(not(unix))]
fn keep_access(_file: &std::fs::File, _before: &Metadata) -> io::Result<()> {
    Ok(())
}
