//! Removes a directory with all that is in it, and never anything else.
//!
//! Called by [`super::path`], which counts first: too much is refused before anything is gone. Directories are entered
//! through handles and never through links, so a link that somebody puts into the tree is removed, not followed. The
//! depth is bounded because each level keeps a handle open.

use std::ffi::OsString;
use std::io;

use cap_std::fs::Dir;

use crate::stop::{Stop, Stopped};
use crate::workspace::open_child;

/// How many entries a tree may have.
const MOST_ENTRIES: u64 = 10_000;

/// How deep it may be.
const DEEPEST: usize = 128;

/// Why a tree was not removed, or not wholly.
#[derive(Debug)]
pub(super) enum TreeProblem {
    TooLarge { most: u64, depth: usize },
    Failed { removed: u64, source: io::Error },
    Stopped { removed: u64, stopped: Stopped },
}

/// A directory of the tree.
struct Level {
    directory: Dir,
    /// Its name in the directory above.
    name: OsString,
    /// What has not been dealt with yet: name, and whether it is a directory.
    pending: Vec<(OsString, bool)>,
}

/// What is done to each entry, once all below it is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Count,
    Remove,
}

/// Counts what is in the directory `name` of `parent`, and refuses more than can be removed.
pub(super) fn count_tree(parent: &Dir, name: &str, stop: &Stop) -> Result<u64, TreeProblem> {
    walk(parent, name, Act::Count, stop)
}

/// Removes the directory `name` of `parent`, and returns how many entries it had.
pub(super) fn remove_tree(parent: &Dir, name: &str, stop: &Stop) -> Result<u64, TreeProblem> {
    walk(parent, name, Act::Remove, stop)
}

fn walk(parent: &Dir, name: &str, act: Act, stop: &Stop) -> Result<u64, TreeProblem> {
    let mut done = 0;
    let removed = |done| if act == Act::Remove { done } else { 0 };
    let failed = |done| move |source| TreeProblem::Failed { removed: removed(done), source };
    let too_large = || TreeProblem::TooLarge { most: MOST_ENTRIES, depth: DEEPEST };
    let top = OsString::from(name);
    let mut levels = vec![enter(parent, top).map_err(failed(done))?];
    while let Some(level) = levels.last_mut() {
        stop.check().map_err(|stopped| TreeProblem::Stopped { removed: removed(done), stopped })?;
        if let Some((name, is_directory)) = level.pending.pop() {
            if is_directory {
                let next = enter(&level.directory, name).map_err(failed(done))?;
                levels.push(next);
                if levels.len() > DEEPEST && act == Act::Count {
                    return Err(too_large());
                }
                continue;
            }
            if act == Act::Remove {
                or_gone(level.directory.remove_file(&name)).map_err(failed(done))?;
            }
        } else {
            let Some(Level { name, .. }) = levels.pop() else { break };
            let above = levels.last().map_or(parent, |level| &level.directory);
            if act == Act::Remove {
                or_gone(above.remove_dir(&name)).map_err(failed(done))?;
            }
            if levels.is_empty() {
                break;
            }
        }
        done += 1;
        if done > MOST_ENTRIES && act == Act::Count {
            return Err(too_large());
        }
    }
    Ok(done)
}

/// Opens a directory, itself not a link, and lists it.
fn enter(parent: &Dir, name: OsString) -> io::Result<Level> {
    let directory = open_child(parent, &name)?;
    let mut pending = Vec::new();
    for entry in directory.entries()?.take(MOST_ENTRIES as usize + 1) {
        let entry = entry?;
        pending.push((entry.file_name(), entry.file_type()?.is_dir()));
    }
    Ok(Level { directory, name, pending })
}

/// That an entry is gone already is as good as removing it.
fn or_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
