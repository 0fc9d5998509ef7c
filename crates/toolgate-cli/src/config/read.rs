//! The text of a configuration file: bounded, and never waited for.
//!
//! Called for each file that is found. Whatever is there and cannot be read as a text is an error: a file that was to
//! deny something must not be skipped.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::file::Role;
use crate::fault::UsageError;
use crate::output::grouped;

/// More than any configuration that a person writes.
const LONGEST: u64 = 256 * 1024;

/// Reads a file; nothing where there is none.
///
/// # Errors
/// Something is there that is no text file of a bearable size, or cannot be read.
pub(super) fn read(path: &Path, role: Role) -> Result<Option<String>, UsageError> {
    let wrong = |what: String, hint: &str| {
        UsageError::new(format!("the configuration `{}` {what}", path.display())).with_hint(hint)
    };
    let file = match open(path, role) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if is_link(&error) => {
            let hint = "put the file itself there; a link of a workspace could lead to any file of yours";
            return Err(wrong("is a symbolic link".to_owned(), hint));
        }
        Err(error) => {
            return Err(wrong(format!("could not be read: {error}"), "make it readable, or remove it"));
        }
    };
    let metadata =
        file.metadata().map_err(|error| wrong(format!("could not be read: {error}"), "remove it"))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "is a directory" } else { "is no regular file" };
        return Err(wrong(what.to_owned(), "put a text file there, or remove it"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| wrong(format!("could not be read: {error}"), "make it readable, or remove it"))?;
    if bytes.len() as u64 > LONGEST {
        let what = format!("is longer than {} bytes", grouped(LONGEST));
        return Err(wrong(what, "say less, or write rules that cover more"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = grouped(error.utf8_error().valid_up_to() as u64);
        wrong(format!("is not UTF-8: it has another byte after {at} bytes"), "save it as UTF-8")
    })?;
    Ok(Some(text))
}

/// Reads a file of another program; nothing where there is none. One of a workspace is not read through a link.
///
/// # Errors
/// Those of a configuration.
pub(crate) fn read_other(path: &Path, is_of_workspace: bool) -> Result<Option<String>, UsageError> {
    read(path, if is_of_workspace { Role::Workspace } else { Role::User })
}

/// Opens without waiting for anybody, and for a file of a workspace without following a link.
#[cfg(unix)]
fn open(path: &Path, role: Role) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let follow = match role {
        Role::User => OFlags::empty(),
        Role::Workspace => OFlags::NOFOLLOW,
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | follow;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(unix)]
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn open(path: &Path, _role: Role) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
fn is_link(_error: &io::Error) -> bool {
    false
}
