//! Paths in arguments, and the patterns that rules have for them.
//!
//! A path has several spellings and, through symbolic links, several names. A rule that allows has to match every name
//! under which the call may find the file; one that denies or asks, any. Looking at the links is a look at one moment:
//! what confines a tool to its workspace is the tool, not the rule.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// How many links are followed for one path.
const MOST_LINKS: usize = 40;

/// The folder that relative paths start from.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    given: PathBuf,
    real: PathBuf,
}

impl Folder {
    /// The folder, as it is now.
    pub(crate) fn new(path: &Path) -> std::io::Result<Self> {
        Ok(Self { given: std::path::absolute(path)?, real: path.canonicalize()? })
    }

    /// An absolute path relative to the folder, or as it is where it lies outside.
    fn relative(&self, path: &Path) -> String {
        let inside =
            path.strip_prefix(&self.real).or_else(|_| path.strip_prefix(&self.given)).unwrap_or(path);
        shown(inside)
    }
}

/// A path of an argument, under each of its names.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathNames {
    /// Relative to the workspace where it lies inside, absolute where not; the workspace itself is `.`.
    names: Vec<String>,
    /// Whether there may be other names.
    is_open: bool,
    /// Whether the call reaches everything below as well.
    is_tree: bool,
}

impl PathNames {
    /// The names of a path.
    pub(crate) fn of(text: &str, folder: &Folder, is_tree: bool) -> Self {
        let mut names = Self { names: Vec::new(), is_open: false, is_tree };
        let is_drive = text.as_bytes().get(1) == Some(&b':');
        if text.is_empty() || text.contains(['\0', '\\']) || is_drive || text.starts_with('~') {
            names.is_open = true;
        }
        let written = folder.real.join(text);
        // Behind a link, `..` leads elsewhere than the text says.
        let climbs = climbs(Path::new(text));
        names.is_open |= climbs;
        names.names.push(folder.relative(&without_dots(&written)));
        match real(&written) {
            Some(real) => {
                let real = folder.relative(&real);
                if !names.names.contains(&real) {
                    names.names.push(real);
                }
                // Where the links have been followed, dots hide nothing.
                if climbs {
                    names.is_open = text.contains(['\0', '\\']) || is_drive || text.starts_with('~');
                }
            }
            None => names.is_open = true,
        }
        names
    }

    /// The names of something that is no path at all.
    pub(crate) fn unreadable() -> Self {
        Self { names: Vec::new(), is_open: true, is_tree: false }
    }

    /// The first name, for texts.
    pub(crate) fn first(&self) -> Option<&str> {
        (!self.is_open).then(|| self.names.first().map(String::as_str)).flatten()
    }

    /// Whether everything lies in the workspace, as far as the names say.
    pub(crate) fn is_inside(&self) -> bool {
        !self.is_open && self.names.iter().all(|name| !name.starts_with('/'))
    }
}

/// A pattern of paths: `src/**`, `*.md`, `/etc/hosts`.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    written: String,
    exact: GlobMatcher,
    /// The same without regard to case, as some file systems have it.
    folded: GlobMatcher,
    /// The folder of a pattern that ends with `/**`: the whole tree is meant, and so its root.
    root: Option<GlobMatcher>,
    folded_root: Option<GlobMatcher>,
    /// The names before the first one with a special character.
    literal: Vec<String>,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words, with a hint.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        if written.is_empty() {
            return Err("the path is empty; hint: write `**` for every path of the workspace".to_owned());
        }
        if written.split('/').any(|part| part == "..") {
            return Err(
                "`..` in a rule is not clear; hint: write the path from the workspace's root".to_owned()
            );
        }
        let text = written.strip_prefix("./").unwrap_or(written);
        let text = if text.is_empty() { "." } else { text };
        let text = text.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(text);
        if text.contains("//") || text.split('/').skip(1).any(|part| part == ".") {
            return Err("an empty name or `.` in the middle matches nothing; hint: leave it out".to_owned());
        }
        let root = text.strip_suffix("/**");
        let special = ['*', '?', '[', '{', '\\'];
        let literal = text.split('/').take_while(|part| !part.contains(special)).map(str::to_lowercase);
        Ok(Self {
            written: written.to_owned(),
            exact: glob(text, false)?,
            folded: glob(text, true)?,
            root: root.map(|root| glob(root, false)).transpose()?,
            folded_root: root.map(|root| glob(root, true)).transpose()?,
            literal: literal.collect(),
        })
    }

    /// Whether the call surely stays within the pattern.
    pub(crate) fn covers(&self, path: &PathNames) -> bool {
        let is_tree_pattern = self.written.ends_with("**");
        let covers = |name: &String| {
            // A pattern of the workspace's paths never means an absolute one.
            name.starts_with('/') == self.written.starts_with('/')
                && (is_tree_pattern || !path.is_tree)
                && (self.exact.is_match(name) || self.root.as_ref().is_some_and(|root| root.is_match(name)))
        };
        !path.is_open && !path.names.is_empty() && path.names.iter().all(covers)
    }

    /// Whether the call may touch what the pattern means.
    pub(crate) fn may_touch(&self, path: &PathNames) -> bool {
        path.is_open
            || path.names.iter().any(|name| {
                self.folded.is_match(name)
                    || self.folded_root.as_ref().is_some_and(|root| root.is_match(name))
                    || path.is_tree && self.may_begin_below(name)
            })
    }

    /// Whether the pattern may mean something below a folder.
    fn may_begin_below(&self, folder: &str) -> bool {
        if folder == "." {
            return !self.written.starts_with('/');
        }
        let folder = folder.to_lowercase();
        let same = self.literal.iter().zip(folder.split('/')).all(|(one, other)| one == other);
        same && (self.literal.len() >= folder.split('/').count()
            || self.written.contains(['*', '?', '[', '{']))
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

fn glob(text: &str, is_folded: bool) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).literal_separator(true).case_insensitive(is_folded).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        format!("{}; hint: write `\\` before a character that is meant literally", error.kind())
    })
}

/// Whether `..` follows a name.
fn climbs(path: &Path) -> bool {
    let mut was_name = false;
    path.components().any(|component| match component {
        Component::ParentDir => was_name,
        Component::Normal(_) => {
            was_name = true;
            false
        }
        Component::CurDir | Component::RootDir | Component::Prefix(_) => false,
    })
}

/// An absolute path without `.`, `..` and doubled separators, by its text alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(component),
        }
    }
    plain
}

/// Where an absolute path leads when the links that exist now are followed; none where that cannot be told.
fn real(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    let mut rest: Vec<PathBuf> =
        path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.components().next()? {
            Component::RootDir | Component::Prefix(_) => found = part,
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            Component::Normal(_) => {
                found.push(&part);
                match found.read_link() {
                    Ok(target) => {
                        links += 1;
                        if links > MOST_LINKS {
                            return None;
                        }
                        found.pop();
                        rest.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
                    }
                    Err(error) if is_no_link(&error) => {}
                    Err(_) => return None,
                }
            }
        }
    }
    Some(found)
}

/// Whether there is something that is no link, or nothing at all.
fn is_no_link(error: &std::io::Error) -> bool {
    [std::io::ErrorKind::InvalidInput, std::io::ErrorKind::NotFound, std::io::ErrorKind::NotADirectory]
        .contains(&error.kind())
}

fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    if text.is_empty() { ".".to_owned() } else { text }
}
