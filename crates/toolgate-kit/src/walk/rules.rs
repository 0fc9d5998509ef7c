//! The ignore files that apply at the current place of a walk.
//!
//! Called by [`super::tree`], which enters and leaves directories. `.ignore` files win over `.gitignore` files, and
//! within one kind the deepest directory that says something wins. `.gitignore` rules apply whether or not the
//! workspace is a repository, and stop at the root of a nested one. Nothing outside the workspace is read: neither
//! the user's own ignore file nor those above the root. An ignore file that is a link is not followed.
//!
//! Compiled rules take a hundred times their text in memory, so the text is bounded: that of each file, and that of
//! all files in force at one place. Rules beyond that are not applied, and the file is counted.

use std::io::Read as _;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::stop::{Stop, Stopped};
use crate::workspace::Directory;

/// How much of one ignore file is applied.
const ONE_FILE: Amount = Amount { bytes: 64 * 1024, rules: 1000 };

/// How much is applied of all the ignore files from the root down to one place.
const ONE_PLACE: Amount = Amount { bytes: 128 * 1024, rules: 2000 };

/// An amount of rules, as text.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    bytes: usize,
    rules: usize,
}

/// The rules of the directories from the root down to the current one.
#[derive(Debug)]
pub(super) struct Rules {
    levels: Vec<Level>,
    /// What is left of [`ONE_PLACE`].
    room: Amount,
    incomplete: u64,
}

#[derive(Debug)]
struct Level {
    /// How much of a path the directory of this level takes, its final separator included.
    prefix: usize,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    repository: bool,
    /// The room above this level.
    room_above: Amount,
}

impl Rules {
    /// No rules yet.
    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), room: ONE_PLACE, incomplete: 0 }
    }

    /// Adds the rules of a directory below the one entered last.
    pub(super) fn enter(&mut self, directory: &Directory, path: &str, stop: &Stop) -> Result<(), Stopped> {
        let room_above = self.room;
        let repository = directory.has(".git");
        let ignore = self.read(directory, ".ignore", stop)?;
        let gitignore = self.read(directory, ".gitignore", stop)?;
        let exclude = if repository { self.read(directory, ".git/info/exclude", stop)? } else { None };
        let prefix = if path.is_empty() { 0 } else { path.len() + 1 };
        self.levels.push(Level { prefix, ignore, gitignore, exclude, repository, room_above });
        Ok(())
    }

    /// How many ignore files so far could not be read or not be applied in full.
    pub(super) fn incomplete(&self) -> u64 {
        self.incomplete
    }

    /// Takes the rules of the directory entered last away.
    pub(super) fn leave(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.room = level.room_above;
        }
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

    /// The rules in one file; `None` when there is no such file or nothing in it.
    fn read(&mut self, directory: &Directory, name: &str, stop: &Stop) -> Result<Option<Gitignore>, Stopped> {
        stop.check()?;
        let file = match directory.open_own_file(name) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(_) => {
                self.incomplete += 1;
                return Ok(None);
            }
        };
        let (bytes, rules) = (self.room.bytes.min(ONE_FILE.bytes), self.room.rules.min(ONE_FILE.rules));
        let mut text = Vec::new();
        // One byte more tells whether there is more.
        let read = file.take(bytes as u64 + 1).read_to_end(&mut text);
        let mut complete = read.is_ok() && text.len() <= bytes;
        if !complete {
            text.truncate(bytes);
            // Half a line would be another rule.
            text.truncate(text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        }
        self.room.bytes -= text.len();
        let (applied, count, all) = compile(&text, rules, stop)?;
        self.room.rules -= count;
        complete &= all;
        self.incomplete += u64::from(!complete);
        Ok(applied)
    }
}

fn decide(rules: Option<&Gitignore>, level: &Level, path: &str, is_directory: bool) -> Option<bool> {
    match rules?.matched(path.get(level.prefix..)?, is_directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// The first rules in a text, at most so many, with their number and whether they are all. Lines that are no valid
/// pattern are skipped, as git does.
fn compile(text: &[u8], most: usize, stop: &Stop) -> Result<(Option<Gitignore>, usize, bool), Stopped> {
    let text = String::from_utf8_lossy(text);
    let mut builder = GitignoreBuilder::new("");
    let (mut count, mut all) = (0, true);
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        stop.check()?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if count == most {
            all = false;
            break;
        }
        count += 1;
        let _invalid_lines_are_skipped = builder.add_line(None, line);
    }
    stop.check()?;
    match builder.build() {
        Ok(rules) => Ok(((!rules.is_empty()).then_some(rules), count, all)),
        // Together they are too large.
        Err(_) => Ok((None, count, false)),
    }
}
