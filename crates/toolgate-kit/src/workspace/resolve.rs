//! Resolves a path beneath the root, one name at a time, and says exactly why it cannot.
//!
//! Called by [`super::root`], [`super::open`] and [`super::entry`] before anything is opened. It follows the symbolic links that stay
//! inside (absolute ones included, which the kernel's beneath-only resolution refuses) and yields a path without
//! links. That path is a proposal, not a permission: opening it goes through the root's directory handle again, so
//! a link swapped in afterwards cannot lead out.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use cap_std::fs::{Dir, Metadata};

use super::{WorkspaceError, shown_path, shown_text};

/// How many links one path may go through; the number Linux uses.
const MAXIMUM_LINKS: usize = 40;

/// A path given by a caller, relative to the root and not yet looked up.
pub(super) struct Asked<'a> {
    /// The text as it was given.
    pub(super) text: &'a str,
    /// The same path relative to the root.
    pub(super) relative: PathBuf,
    /// It ends with a separator, so it must name a directory.
    pub(super) directory: bool,
}

/// What a path turned out to be.
pub(super) struct Resolved {
    /// The path relative to the root, without links and dots; empty for the root itself.
    pub(super) path: PathBuf,
    /// What is there; never a link.
    pub(super) metadata: Metadata,
}

/// Where a path leads that need not exist yet.
pub(super) struct Located {
    /// The part of it that exists, relative to the root, without links (but see [`Last`]) and dots.
    pub(super) path: PathBuf,
    /// The names after it, which do not exist.
    pub(super) missing: Vec<OsString>,
}

/// What to do where the last name of a path is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// Go where it points.
    Follow,
    /// Stay: the link itself is meant.
    Keep,
}

/// The root directory, and the two spellings under which absolute paths may name it.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) dir: Dir,
    pub(super) given: PathBuf,
    pub(super) canonical: PathBuf,
}

impl Root {
    /// The rest of an absolute path that starts with one of the root's spellings.
    pub(super) fn strip<'p>(&self, absolute: &'p Path) -> Option<&'p Path> {
        absolute.strip_prefix(&self.canonical).or_else(|_| absolute.strip_prefix(&self.given)).ok()
    }
}

/// A link that has been followed, for messages.
struct Link {
    path: PathBuf,
    target: PathBuf,
}

/// One name still to be looked up, and the link that it came from.
struct Step {
    part: Part,
    link: Option<Rc<Link>>,
}

enum Part {
    Parent,
    Name(OsString),
    /// Nothing more to enter, but what is there must be a directory.
    Directory,
}

/// Looks `asked` up. Fails with the reason that a person would give.
pub(super) fn resolve(root: &Root, asked: &Asked<'_>) -> Result<Resolved, WorkspaceError> {
    let mut walk = Resolution::of(root, asked, Last::Follow);
    if asked.directory {
        walk.pending.push_back(Step { part: Part::Directory, link: None });
    }
    let mut metadata = walk.start()?;
    while let Some(step) = walk.pending.pop_front() {
        metadata = walk.step(step, metadata)?;
    }
    Ok(Resolved { path: walk.path, metadata })
}

/// Looks up as much of `asked` as exists. The rest must be plain names: `..` after a missing name is refused, and so
/// is a link that leads to nothing. A separator at the end is left to the caller.
pub(super) fn locate(root: &Root, asked: &Asked<'_>, last: Last) -> Result<Located, WorkspaceError> {
    let mut walk = Resolution::of(root, asked, last);
    let mut metadata = walk.start()?;
    while let Some(step) = walk.pending.pop_front() {
        let name = match &step.part {
            Part::Name(name) => Some(name.clone()),
            Part::Parent | Part::Directory => None,
        };
        metadata = match (walk.step(step, metadata), name) {
            (Ok(metadata), _) => metadata,
            // A name that a link led to fails in another way.
            (Err(error @ WorkspaceError::NotFound { .. }), Some(name)) => {
                let rest = walk.pending.into_iter().map(|step| match step.part {
                    Part::Name(name) => Some(name),
                    Part::Parent | Part::Directory => None,
                });
                let missing = std::iter::once(Some(name)).chain(rest).collect::<Option<Vec<_>>>();
                return Ok(Located { path: walk.path, missing: missing.ok_or(error)? });
            }
            (Err(error), _) => return Err(error),
        };
    }
    Ok(Located { path: walk.path, missing: Vec::new() })
}

struct Resolution<'a> {
    root: &'a Root,
    asked: &'a Asked<'a>,
    /// What has been resolved so far: no links, no dots.
    path: PathBuf,
    pending: VecDeque<Step>,
    links: usize,
    last: Last,
}

impl<'a> Resolution<'a> {
    fn of(root: &'a Root, asked: &'a Asked<'a>, last: Last) -> Self {
        Self { root, asked, path: PathBuf::new(), pending: VecDeque::new(), links: 0, last }
    }

    /// Puts what was asked for in front of what is pending, and begins at the root.
    fn start(&mut self) -> Result<Metadata, WorkspaceError> {
        let relative = &self.asked.relative;
        self.prepend(relative, None);
        self.look(Path::new(""), None)
    }

    /// Takes one step from the place whose metadata is `here`, and returns the metadata of the new place.
    fn step(&mut self, step: Step, here: Metadata) -> Result<Metadata, WorkspaceError> {
        if !here.is_dir() {
            return Err(WorkspaceError::NotADirectory { path: self.asked(), file: shown_path(&self.path) });
        }
        match step.part {
            Part::Directory => Ok(here),
            Part::Parent => {
                if !self.path.pop() {
                    return Err(self.outside(step.link.as_deref()));
                }
                self.look(&self.path, step.link.as_deref())
            }
            Part::Name(name) => {
                let candidate = self.path.join(&name);
                let metadata = self.look(&candidate, step.link.as_deref())?;
                let is_kept = self.last == Last::Keep && step.link.is_none() && self.pending.is_empty();
                if metadata.is_symlink() && !is_kept {
                    self.follow(candidate, step.link)?;
                    return Ok(here);
                }
                self.path = candidate;
                Ok(metadata)
            }
        }
    }

    /// Replaces the link at `link`, which `from` led to, by its target.
    fn follow(&mut self, link: PathBuf, from: Option<Rc<Link>>) -> Result<(), WorkspaceError> {
        self.links += 1;
        if self.links > MAXIMUM_LINKS {
            return Err(WorkspaceError::LinkLoop { path: self.asked(), link: shown_path(&link) });
        }
        let target = match self.root.dir.read_link_contents(&link) {
            Ok(target) => target,
            // It was a link when it was looked at, and is none any more: look again. Counted, so this ends.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                if let Some(name) = link.file_name() {
                    self.pending.push_front(Step { part: Part::Name(name.to_owned()), link: from });
                }
                return Ok(());
            }
            Err(error) => return Err(self.failed(error, &link, None)),
        };
        let link = Rc::new(Link { path: link, target });
        if link.target.has_root() || link.target.is_absolute() {
            let Some(inside) = self.root.strip(&link.target) else {
                return Err(self.outside(Some(&link)));
            };
            let inside = inside.to_path_buf();
            // The names still pending follow the link's target, wherever it is, so only the path is reset.
            self.path = PathBuf::new();
            self.prepend(&inside, Some(&link));
        } else {
            self.prepend(&link.target.clone(), Some(&link));
        }
        Ok(())
    }

    /// Puts the names of `path` in front of what is pending.
    fn prepend(&mut self, path: &Path, link: Option<&Rc<Link>>) {
        for component in path.components().rev() {
            let part = match component {
                Component::ParentDir => Part::Parent,
                Component::Normal(name) => Part::Name(name.to_owned()),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => continue,
            };
            self.pending.push_front(Step { part, link: link.cloned() });
        }
    }

    fn look(&self, path: &Path, link: Option<&Link>) -> Result<Metadata, WorkspaceError> {
        let metadata = if path.as_os_str().is_empty() {
            self.root.dir.dir_metadata()
        } else {
            self.root.dir.symlink_metadata(path)
        };
        metadata.map_err(|error| self.failed(error, path, link))
    }

    fn outside(&self, link: Option<&Link>) -> WorkspaceError {
        match link {
            Some(link) => WorkspaceError::LinkOutside {
                path: self.asked(),
                link: shown_path(&link.path),
                target: shown_path(&link.target),
            },
            None => WorkspaceError::Outside { path: self.asked(), root: shown_path(&self.root.canonical) },
        }
    }

    /// The reason behind a failed look at `place`, which `link` led to.
    fn failed(&self, error: io::Error, place: &Path, link: Option<&Link>) -> WorkspaceError {
        match (error.kind(), link) {
            (io::ErrorKind::NotFound, Some(link)) => WorkspaceError::LinkDangling {
                path: self.asked(),
                link: shown_path(&link.path),
                target: shown_path(&link.target),
            },
            (io::ErrorKind::NotFound, None) => {
                WorkspaceError::NotFound { path: self.asked(), missing: shown_path(place) }
            }
            _ => classify(error, self.asked.text, self.root),
        }
    }

    fn asked(&self) -> String {
        shown_text(self.asked.text)
    }
}

/// The reason behind a system error that needs no knowledge of the links on the way.
#[expect(clippy::wildcard_enum_match_arm, reason = "the system's error kinds are open-ended")]
pub(super) fn classify(error: io::Error, asked: &str, root: &Root) -> WorkspaceError {
    let path = shown_text(asked);
    match error.kind() {
        io::ErrorKind::NotFound => WorkspaceError::NotFound { missing: path.clone(), path },
        // The beneath-only resolution reports an attempt to leave as a denial without a number from the system.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            WorkspaceError::Outside { path, root: shown_path(&root.canonical) }
        }
        io::ErrorKind::PermissionDenied => WorkspaceError::PermissionDenied { path },
        io::ErrorKind::NotADirectory => WorkspaceError::NotADirectory { file: path.clone(), path },
        io::ErrorKind::IsADirectory => WorkspaceError::IsADirectory { path },
        io::ErrorKind::InvalidFilename => WorkspaceError::PathTooLong { path },
        _ => WorkspaceError::Io { path, source: error },
    }
}
