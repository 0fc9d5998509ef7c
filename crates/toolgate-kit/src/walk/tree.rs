//! The walk itself.
//!
//! An iterator in all but name: [`Walk::next`] yields one file path after the other. Directories are listed one at a
//! time and sorted by name, so the order is that of the paths' components and the same on every run. No handle is
//! held between two steps.

use std::io;
use std::vec;

use cap_std::fs::{DirEntry, FileType};

use super::rules::Rules;
use super::{Links, Selection};
use crate::stop::{Stop, Stopped};
use crate::workspace::{Workspace, WorkspaceError};

/// A walk over the files below one directory of the workspace.
pub(crate) struct Walk<'a> {
    workspace: &'a Workspace,
    selection: &'a Selection,
    stop: &'a Stop,
    rules: Rules,
    frames: Vec<Frame>,
    /// How much of a path is the start directory, its final separator included.
    start: usize,
    skipped: u64,
}

/// A walk that could not begin, or was told to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WalkError {
    /// The start directory cannot be listed.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The call was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

struct Frame {
    path: String,
    entries: vec::IntoIter<Entry>,
}

struct Entry {
    name: Box<str>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    File,
    Directory,
    Link,
}

impl<'a> Walk<'a> {
    /// Begins below `start`, a directory's path without links. The ignore files of the directories above it apply.
    pub(crate) fn begin(
        workspace: &'a Workspace,
        start: &str,
        selection: &'a Selection,
        stop: &'a Stop,
    ) -> Result<Self, WalkError> {
        let mut walk = Walk {
            workspace,
            selection,
            stop,
            rules: Rules::new(),
            frames: Vec::new(),
            start: if start.is_empty() { 0 } else { start.len() + 1 },
            skipped: 0,
        };
        if !start.is_empty() {
            for above in
                std::iter::once("").chain(start.match_indices('/').filter_map(|(at, _)| start.get(..at)))
            {
                let directory = workspace
                    .open_directory(above)
                    .map_err(|error| workspace.explain_unlistable(error, start))?;
                walk.rules.enter(&directory, above, stop)?;
            }
        }
        match walk.enter(start.to_owned())? {
            Ok(()) => Ok(walk),
            Err(error) => Err(workspace.explain_unlistable(error, start).into()),
        }
    }

    /// The next file, relative to the root of the workspace; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<String>, Stopped> {
        loop {
            self.stop.check()?;
            let Some(frame) = self.frames.last_mut() else {
                return Ok(None);
            };
            let Some(Entry { name, kind }) = frame.entries.next() else {
                self.frames.pop();
                self.rules.leave();
                continue;
            };
            let path = join(&frame.path, &name);
            match kind {
                Kind::File => return Ok(Some(path)),
                Kind::Link if self.workspace.leads_to_file(&path) => return Ok(Some(path)),
                Kind::Link => {}
                Kind::Directory => match self.enter(path)? {
                    Ok(()) => {}
                    // One that is gone counts too: it may have been renamed, and what is in it is not found now.
                    Err(_) => self.skipped += 1,
                },
            }
        }
    }

    /// How many entries could not be looked at in full so far: directories that cannot be listed or are gone, names
    /// that are not UTF-8, and ignore files whose rules are not all applied.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped + self.rules.incomplete()
    }

    fn enter(&mut self, path: String) -> Result<io::Result<()>, Stopped> {
        let directory = match self.workspace.open_directory(&path) {
            Ok(directory) => directory,
            Err(error) => return Ok(Err(error)),
        };
        let entries = match directory.entries() {
            Ok(entries) => entries,
            Err(error) => return Ok(Err(error)),
        };
        self.rules.enter(&directory, &path, self.stop)?;
        let above = path
            .get(self.start..)
            .filter(|below| !below.is_empty())
            .map_or(0, |below| below.matches('/').count() + 1);
        let mut wanted = Vec::new();
        for entry in entries {
            // Matching one name against many hostile rules takes milliseconds.
            self.stop.check()?;
            let Ok(entry) = entry else {
                // The system can repeat this error for ever, so the rest of the directory is given up.
                self.skipped += 1;
                break;
            };
            match (kind_of(&entry), entry.file_name().into_string()) {
                (Ok(Some(kind)), Ok(name)) => {
                    if self.wants(&path, &name, kind, above) {
                        wanted.push(Entry { name: name.into_boxed_str(), kind });
                    }
                }
                (Ok(None), _) => {}
                (Ok(Some(_)), Err(_)) | (Err(_), _) => self.skipped += 1,
            }
        }
        wanted.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        self.frames.push(Frame { path, entries: wanted.into_iter() });
        Ok(Ok(()))
    }

    fn wants(&self, directory: &str, name: &str, kind: Kind, above: usize) -> bool {
        if self.selection.leaves_out(name) {
            return false;
        }
        let path = join(directory, name);
        let selected = match kind {
            Kind::Directory => self.selection.wants_directory(name, above),
            Kind::Link if self.selection.links() == Links::Skip => false,
            Kind::File | Kind::Link => {
                path.get(self.start..).is_some_and(|below| self.selection.wants_file(below))
            }
        };
        selected && !self.rules.ignores(&path, matches!(kind, Kind::Directory))
    }
}

/// What an entry is; `None` for pipes, sockets and devices.
fn kind_of(entry: &DirEntry) -> io::Result<Option<Kind>> {
    let mut kind = entry.file_type()?;
    if kind == FileType::unknown() {
        kind = entry.metadata()?.file_type();
    }
    Ok(if kind.is_file() {
        Some(Kind::File)
    } else if kind.is_dir() {
        Some(Kind::Directory)
    } else if kind.is_symlink() {
        Some(Kind::Link)
    } else {
        None
    })
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { [directory, "/", name].concat() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::stop::counted::stops_at_every_question;

    #[test]
    fn it_stops_at_every_directory_ignore_file_and_entry() {
        let directory = tempfile::tempdir().unwrap();
        for place in ["a", "b/c", "d"] {
            fs::create_dir_all(directory.path().join(place)).unwrap();
        }
        for number in 0..1000 {
            fs::write(directory.path().join(format!("b/{number}")), "").unwrap();
        }
        fs::write(directory.path().join(".gitignore"), "nothing\n".repeat(100)).unwrap();
        let workspace = Workspace::open(directory.path()).unwrap();
        let selection = Selection::matching("**/1*0", Links::Skip).unwrap();
        let questions = stops_at_every_question(
            |stop| {
                let mut walk = Walk::begin(&workspace, "", &selection, stop)?;
                let mut found = 0;
                while walk.next()?.is_some() {
                    found += 1;
                }
                Ok(found)
            },
            |outcome: &Result<u64, WalkError>| matches!(outcome, Err(WalkError::Stopped(_))),
        );
        // 1005 entries are listed, five directories begun and left with two ignore files each, 100 rules added and
        // eleven files found.
        assert!((1100..1200).contains(&questions), "{questions}");
    }

    #[test]
    fn a_directory_that_is_gone_when_it_is_entered_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        for place in ["a", "b/c", "d"] {
            fs::create_dir_all(directory.path().join(place)).unwrap();
            fs::write(directory.path().join(place).join("x"), "").unwrap();
        }
        let workspace = Workspace::open(directory.path()).unwrap();
        let selection = Selection::matching("**/x", Links::Skip).unwrap();
        let stop = Stop::when(|| false);
        let mut walk = Walk::begin(&workspace, "", &selection, &stop).unwrap();
        assert_eq!(walk.next().unwrap().as_deref(), Some("a/x"));
        fs::rename(directory.path().join("b"), directory.path().join("renamed")).unwrap();
        fs::remove_dir_all(directory.path().join("d")).unwrap();
        fs::write(directory.path().join("d"), "a file now").unwrap();
        assert_eq!((walk.next().unwrap(), walk.skipped()), (None, 2));
    }
}
