//! Finds what a change is about: an open handle of its directory, and its name there.
//!
//! Called by the tools that write, edit, delete and move. The directory is entered one name at a time and never
//! through a link, so whatever is done to the entry afterwards happens in the directory that was looked up, also when
//! somebody swaps things on the way to it. Nothing here changes the disk.

use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, Metadata};
use toolgate::text::is_hidden;

use super::open::{ATTEMPTS, check_regular, open_directory, open_own_file};
use super::resolve::{Asked, Last, Located, classify, locate};
use super::{Workspace, WorkspaceError, shown_text};

/// The longest name of one entry, in bytes: what nearly every file system takes.
const MAXIMUM_NAME: usize = 255;

/// An entry of a directory of the workspace, or the place where one could be.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The nearest directory above it that exists.
    pub(crate) directory: Dir,
    /// The directories between that one and the entry; they do not exist.
    pub(crate) missing: Vec<String>,
    /// Its name.
    pub(crate) name: String,
    /// Its path relative to the root, without links on the way, with `/` between names.
    pub(crate) path: String,
    /// What is there; nothing, or no link unless links are kept.
    pub(crate) metadata: Option<Metadata>,
}

impl Workspace {
    /// The file that `path` names, links followed, or the place where it would be. Refuses what is there and is no
    /// regular file.
    pub(crate) fn file_entry(&self, path: &str) -> Result<Entry, WorkspaceError> {
        let asked = self.asked(path)?;
        let entry = self.look_for(&asked, Last::Follow)?;
        if let Some(metadata) = &entry.metadata {
            check_regular(metadata, path)?;
        }
        match (asked.directory, &entry.metadata) {
            (true, Some(_)) => {
                Err(WorkspaceError::NotADirectory { path: shown_text(path), file: shown_text(&entry.path) })
            }
            (true, None) => Err(WorkspaceError::NamesADirectory { path: shown_text(path) }),
            (false, _) => Ok(entry),
        }
    }

    /// The entry that `path` names, itself where it is a link, or the place where it would be.
    pub(crate) fn any_entry(&self, path: &str) -> Result<Entry, WorkspaceError> {
        let asked = self.asked(path)?;
        let entry = self.look_for(&asked, Last::Keep)?;
        if asked.directory && entry.metadata.as_ref().is_some_and(|metadata| !metadata.is_dir()) {
            let (path, file) = (shown_text(path), shown_text(&entry.path));
            return Err(WorkspaceError::NotADirectory { path, file });
        }
        Ok(entry)
    }

    /// What to answer where nothing is at `path`.
    pub(crate) fn nothing_at(&self, path: &str) -> WorkspaceError {
        // Looked up once more, because a lookup for reading says best what is missing.
        let missing = || classify(io::ErrorKind::NotFound.into(), path, &self.root);
        self.find(path).err().unwrap_or_else(missing)
    }

    /// The reason behind a failure to look at an entry again.
    pub(crate) fn explain(&self, error: io::Error, path: &str) -> WorkspaceError {
        classify(error, path, &self.root)
    }

    fn look_for(&self, asked: &Asked<'_>, last: Last) -> Result<Entry, WorkspaceError> {
        let mut failed = None;
        for _ in 0..ATTEMPTS {
            let located = locate(&self.root, asked, last)?;
            match self.enter(asked, located)? {
                // Somebody put a link there since; the next lookup tells where it leads.
                Ok(Entry { metadata: Some(metadata), .. })
                    if last == Last::Follow && metadata.is_symlink() =>
                {
                    failed = Some(io::Error::from(io::ErrorKind::NotFound));
                }
                Ok(entry) => return Ok(entry),
                Err(error) => failed = Some(error),
            }
        }
        let error = failed.unwrap_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        Err(classify(error, asked.text, &self.root))
    }

    /// Opens the directory of what was located. The inner error is worth another try.
    fn enter(&self, asked: &Asked<'_>, located: Located) -> Result<io::Result<Entry>, WorkspaceError> {
        let shown = || shown_text(asked.text);
        let not_utf8 = || WorkspaceError::NameNotUtf8 { path: shown() };
        let mut names = Vec::new();
        for part in located.path.iter().chain(located.missing.iter().map(AsRef::as_ref)) {
            names.push(part.to_str().ok_or_else(not_utf8)?.to_owned());
        }
        check_new_names(asked, &located)?;
        let path = names.join("/");
        let Some(name) = names.pop() else {
            return Err(WorkspaceError::IsTheRoot { path: shown() });
        };
        let existing = names.len().saturating_sub(located.missing.len().saturating_sub(1));
        let missing = names.split_off(existing);
        let entered = names.iter().try_fold(open_directory(&self.root.dir, "."), |directory, name| {
            directory.map(|directory| open_child(&directory, name))
        });
        let looked = entered.flatten().and_then(|directory| {
            let metadata = if missing.is_empty() { look(&directory, &name)? } else { None };
            Ok((directory, metadata))
        });
        Ok(looked.map(|(directory, metadata)| Entry { directory, missing, name, path, metadata }))
    }
}

impl Entry {
    /// Opens the entry for reading; `None` when there is no regular file any more.
    pub(crate) fn open(&self) -> io::Result<Option<File>> {
        // Where its directory is missing, so is the entry.
        if self.missing.is_empty() { open_own_file(&self.directory, &self.name) } else { Ok(None) }
    }
}

/// Opens a directory in a directory, itself not a link.
pub(crate) fn open_child(directory: &Dir, name: impl AsRef<Path>) -> io::Result<Dir> {
    open_directory(directory, name)
}

fn look(directory: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    match directory.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Refuses names that must not come into being. What exists already may have any name.
fn check_new_names(asked: &Asked<'_>, located: &Located) -> Result<(), WorkspaceError> {
    let path = || shown_text(asked.text);
    if located.path.as_os_str().is_empty() && located.missing.first().is_some_and(|name| name == "~") {
        return Err(WorkspaceError::HomeDirectory { path: path() });
    }
    for name in &located.missing {
        if name.len() > MAXIMUM_NAME {
            return Err(WorkspaceError::PathTooLong { path: path() });
        }
        if name.to_str().is_none_or(|name| name.contains(is_hidden)) {
            return Err(WorkspaceError::HiddenInName { path: path() });
        }
    }
    Ok(())
}
