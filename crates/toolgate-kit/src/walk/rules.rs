//! The ignore files that apply at the current place of a walk.
//!
//! Called by [`super::tree`], which enters and leaves directories. `.ignore` files win over `.gitignore` files, and
//! within one kind the deepest directory that says something wins. `.gitignore` rules apply whether or not the
//! workspace is a repository, and stop at the root of a nested one. Nothing outside the workspace is read: neither
//! the user's own ignore file nor those above the root. An ignore file that is a link is not followed.

use std::io::Read as _;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::workspace::Directory;

/// How much of one ignore file is read; the lines beyond are not applied.
const MAXIMUM_IGNORE_FILE: u64 = 1024 * 1024;

/// The rules of the directories from the root down to the current one.
#[derive(Debug, Default)]
pub(super) struct Rules {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    /// How much of a path the directory of this level takes, its final separator included.
    prefix: usize,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    repository: bool,
}

impl Rules {
    /// Adds the rules of a directory below the one entered last.
    pub(super) fn enter(&mut self, directory: &Directory, path: &str) {
        let repository = directory.has(".git");
        self.levels.push(Level {
            prefix: if path.is_empty() { 0 } else { path.len() + 1 },
            ignore: read_rules(directory, ".ignore"),
            gitignore: read_rules(directory, ".gitignore"),
            exclude: repository.then(|| read_rules(directory, ".git/info/exclude")).flatten(),
            repository,
        });
    }

    /// Takes the rules of the directory entered last away.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Whether the rules leave this path out. It is relative to the root and lies in the directory entered last.
    pub(super) fn ignores(&self, path: &str, is_directory: bool) -> bool {
        let own = |level: &Level| decide(level.ignore.as_ref(), level, path, is_directory);
        if let Some(verdict) = self.levels.iter().rev().find_map(own) {
            return verdict;
        }
        for level in self.levels.iter().rev() {
            let verdict = decide(level.gitignore.as_ref(), level, path, is_directory)
                .or_else(|| decide(level.exclude.as_ref(), level, path, is_directory));
            if let Some(verdict) = verdict {
                return verdict;
            }
            if level.repository {
                return false;
            }
        }
        false
    }
}

fn decide(rules: Option<&Gitignore>, level: &Level, path: &str, is_directory: bool) -> Option<bool> {
    match rules?.matched(path.get(level.prefix..)?, is_directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// The rules in one file; `None` when there is no such file or nothing in it. Lines that are no valid pattern are
/// skipped, as git does.
fn read_rules(directory: &Directory, name: &str) -> Option<Gitignore> {
    let file = directory.open_own_file(name)?;
    let mut bytes = Vec::new();
    file.take(MAXIMUM_IGNORE_FILE).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new("");
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _invalid_lines_are_skipped = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
