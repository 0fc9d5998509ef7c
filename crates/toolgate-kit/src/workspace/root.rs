//! [`Workspace`]: the root directory and the paths beneath it.
//!
//! Whoever registers the file tools opens one and shares it. How a path is looked up is in [`super::resolve`], how a
//! file is opened in [`super::open`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::resolve::{Asked, Resolved, Root, resolve};
use super::{WorkspaceError, shown_path, shown_text};
use crate::open_texts::OpenTexts;
use crate::stop::Stop;

/// The longest path that is looked up, in bytes: what Linux takes in one call. Looking up each name of a longer one
/// would only take time.
const MAXIMUM_PATH: usize = 4096;

/// One directory that file tools may read and change, and nothing outside it.
///
/// Paths are relative to the root, or absolute and inside it. Symbolic links that stay inside are followed; a path
/// or link that leaves is refused with `OUTSIDE_WORKSPACE`. The refusal holds against races: files are opened
/// beneath an open handle of the root, so swapping a directory for a link between check and use does not help.
/// Renaming or replacing the root itself does not move the workspace: it stays with the directory that was opened.
#[derive(Debug)]
pub struct Workspace {
    pub(super) root: Root,
    open_texts: Option<Arc<dyn OpenTexts>>,
}

impl Workspace {
    /// Opens `root` as a workspace. It may be a symbolic link; what it points to becomes the root.
    ///
    /// # Errors
    /// [`WorkspaceError::RootUnusable`] (`WORKSPACE_UNAVAILABLE`) when it is no directory that can be opened.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        let root = root.as_ref();
        let unusable = |source| WorkspaceError::RootUnusable { root: shown_path(root), source };
        let given = std::path::absolute(root).map_err(unusable)?;
        let canonical = std::fs::canonicalize(root).map_err(unusable)?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(unusable)?;
        Ok(Self { root: Root { dir, given, canonical }, open_texts: None })
    }

    /// The same workspace, whose texts are read from and written through somebody who has files open. What is written
    /// that way is not put in place by this process, so what is promised of a whole change holds as far as they keep it.
    #[must_use]
    pub fn with_open_texts(mut self, texts: Arc<dyn OpenTexts>) -> Self {
        self.open_texts = Some(texts);
        self
    }

    /// The text of a file at a place without links, where somebody has it open.
    pub(crate) fn open_text(&self, place: &Path, stop: &Stop) -> Option<String> {
        let texts = self.open_texts.as_deref()?;
        texts.read(&self.root.canonical.join(place), &|| stop.check().is_ok())
    }

    /// Who writes texts in the place of this process, with the absolute path of a place without links.
    pub(crate) fn writer_of(&self, place: &str) -> Option<(&dyn OpenTexts, PathBuf)> {
        Some((self.open_texts.as_deref()?, self.root.canonical.join(place)))
    }

    /// The canonical absolute path of the root at the time it was opened.
    pub fn root(&self) -> &Path {
        &self.root.canonical
    }

    /// Looks a path up without opening it: the same place as a relative path without links, and whether it is a
    /// directory.
    pub(crate) fn find(&self, path: &str) -> Result<Place, WorkspaceError> {
        let Resolved { path: resolved, metadata } = resolve(&self.root, &self.asked(path)?)?;
        match resolved.into_os_string().into_string() {
            Ok(resolved) => Ok(Place { path: with_slashes(resolved), directory: metadata.is_dir() }),
            Err(_) => Err(WorkspaceError::NameNotUtf8 { path: shown_text(path) }),
        }
    }

    /// A path inside the root as results show it: relative, without `.`, with `/` between names.
    pub(crate) fn name(&self, path: &str) -> Result<String, WorkspaceError> {
        let relative = self.asked(path)?.relative;
        let names =
            relative.components().filter_map(|part| part.as_os_str().to_str()).filter(|name| *name != ".");
        let name = names.collect::<Vec<_>>().join("/");
        Ok(if name.is_empty() { ".".to_owned() } else { name })
    }

    /// The rest of an absolute path or pattern that starts with the root; `None` when it does not.
    pub(crate) fn strip_root<'p>(&self, absolute: &'p str) -> Option<&'p str> {
        self.root.strip(Path::new(absolute)).and_then(Path::to_str)
    }

    /// Takes a given path apart without looking at the disk.
    pub(super) fn asked<'a>(&self, text: &'a str) -> Result<Asked<'a>, WorkspaceError> {
        if text.is_empty() {
            return Err(WorkspaceError::EmptyPath);
        }
        if text.contains('\0') {
            return Err(WorkspaceError::NulInPath { path: shown_text(text) });
        }
        if text.len() > MAXIMUM_PATH {
            return Err(WorkspaceError::PathTooLong { path: shown_text(text) });
        }
        let path = Path::new(text);
        let relative = if path.is_absolute() || path.has_root() {
            let outside =
                || WorkspaceError::Outside { path: shown_text(text), root: shown_path(self.root()) };
            self.root.strip(path).ok_or_else(outside)?
        } else {
            path
        };
        let directory = text.ends_with(std::path::is_separator) || text.ends_with("/.");
        Ok(Asked { text, relative: PathBuf::from(relative), directory })
    }
}

/// A place in the workspace, looked up.
#[derive(Debug)]
pub(crate) struct Place {
    /// Relative to the root, without links and dots, with `/` between names; empty for the root itself.
    pub(crate) path: String,
    /// It is a directory.
    pub(crate) directory: bool,
}

#[cfg(windows)]
fn with_slashes(path: String) -> String {
    path.replace('\\', "/")
}

#[cfg(not(windows))]
fn with_slashes(path: String) -> String {
    path
}
