//! The directories that a change makes for its file, and unmakes when the change fails.

use std::io;

use cap_std::fs::Dir;

use super::error::ChangeError;
use crate::workspace::{Entry, open_child, shown_text};

/// Directories that were made for one change. Dropping it removes them again, unless [`keep`](Self::keep) was called
/// or somebody has put something in.
#[derive(Debug)]
pub(crate) struct CreatedDirectories {
    /// Each directory's parent and name, outermost first.
    made: Vec<(Dir, String)>,
    innermost: Dir,
}

impl CreatedDirectories {
    /// Makes what is missing on the way to `entry`, and enters it.
    pub(crate) fn on_the_way_to(entry: &Entry) -> Result<Self, ChangeError> {
        let explain = |error: io::Error| ChangeError::of(error, &shown_text(&entry.path));
        let mut all = Self { made: Vec::new(), innermost: entry.directory.try_clone().map_err(explain)? };
        for name in &entry.missing {
            match all.innermost.create_dir(name) {
                Ok(()) => {
                    all.made.push((all.innermost.try_clone().map_err(explain)?, name.clone()));
                }
                // Somebody else made it meanwhile; if it is a link or a file, entering it fails.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(explain(error)),
            }
            all.innermost = open_child(&all.innermost, name).map_err(explain)?;
        }
        Ok(all)
    }

    /// The directory that the file goes into.
    pub(crate) fn innermost(&self) -> &Dir {
        &self.innermost
    }

    /// The change succeeded.
    pub(crate) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for CreatedDirectories {
    fn drop(&mut self) {
        for (parent, name) in self.made.iter().rev() {
            // One that is not empty belongs to somebody else by now.
            let _ = parent.remove_dir(name);
        }
    }
}
