//! The grep engine: the lines below a directory, or of one file, that match an expression. Blocking.

use super::expression::compile;
use super::file::{FileResult, Room, search_file, searcher};
use super::types::{GrepArgs, GrepFile, GrepOutput};
use crate::failure::FileToolError;
use crate::pattern::selection_of_include;
use crate::stop::Stop;
use crate::walk::{Links, Selection, Walk};
use crate::workspace::{Workspace, WorkspaceError, shown_text};

/// How many lines are returned at most.
pub(super) const MAXIMUM_LINES: usize = 500;

/// How many lines of one file are returned at most.
pub(super) const MAXIMUM_LINES_PER_FILE: usize = 100;

/// How much text is returned at most, in bytes.
pub(super) const MAXIMUM_TEXT: usize = 128 * 1024;

/// Searches for what `args` ask for. Files come in path order, so the first lines are kept as they come and the
/// others only counted.
pub(crate) fn search(
    workspace: &Workspace,
    args: &GrepArgs,
    stop: &Stop,
) -> Result<GrepOutput, FileToolError> {
    stop.check()?;
    let matcher = compile(&args.pattern)?;
    let mut searcher = searcher();
    let mut gathered = Gathered::new();
    let path = args.path.as_deref().unwrap_or(".");
    let start = workspace.find(path)?;
    if !start.directory {
        // The filter chooses among files; one that is named needs no choosing.
        let opened = workspace.open_file(path)?;
        let result = search_file(&mut searcher, &matcher, opened.file, gathered.room(), stop)?;
        if let Some(offset) = result.binary {
            return Err(WorkspaceError::BinaryFile { path: shown_text(path), offset }.into());
        }
        gathered.add(opened.name, result);
        return Ok(gathered.output(0));
    }
    let selection = match &args.include {
        Some(include) => selection_of_include(workspace, &start.path, include)?,
        None => Selection::everything(Links::Skip),
    };
    let mut walk = Walk::begin(workspace, &start.path, &selection, stop)?;
    while let Some(path) = walk.next()? {
        match workspace.open_listed(&path) {
            Ok(Some(file)) => {
                let result = search_file(&mut searcher, &matcher, file, gathered.room(), stop)?;
                gathered.add(path, result);
            }
            // What was a file a moment ago may not be read, or is gone or something else now.
            Ok(None) | Err(_) => gathered.skipped += 1,
        }
    }
    let skipped = walk.skipped();
    Ok(gathered.output(skipped))
}

struct Gathered {
    files: Vec<GrepFile>,
    shown: u64,
    total: u64,
    total_files: u64,
    skipped: u64,
    room: Room,
}

impl Gathered {
    fn new() -> Self {
        let room = Room { lines: MAXIMUM_LINES, bytes: MAXIMUM_TEXT };
        Self { files: Vec::new(), shown: 0, total: 0, total_files: 0, skipped: 0, room }
    }

    fn room(&self) -> Room {
        Room { lines: self.room.lines.min(MAXIMUM_LINES_PER_FILE), bytes: self.room.bytes }
    }

    fn add(&mut self, path: String, result: FileResult) {
        if result.binary.is_some() {
            return;
        }
        self.skipped += u64::from(result.incomplete);
        if result.total == 0 {
            return;
        }
        self.total += result.total;
        self.total_files += 1;
        let kept = result.lines.len();
        let bytes = path.len() + result.lines.iter().map(|line| line.text.len()).sum::<usize>();
        self.room.lines = if result.out_of_text { 0 } else { self.room.lines.saturating_sub(kept) };
        self.room.bytes = self.room.bytes.saturating_sub(bytes);
        self.shown += kept as u64;
        if kept > 0 {
            self.files.push(GrepFile { path, lines: result.lines, total: result.total });
        }
    }

    fn output(self, skipped: u64) -> GrepOutput {
        GrepOutput {
            files: self.files,
            total: self.total,
            total_files: self.total_files,
            truncated: self.shown < self.total,
            skipped: self.skipped + skipped,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::stop::counted::stops_at_every_question;

    #[test]
    fn it_stops_at_every_block_and_match() {
        let directory = tempfile::tempdir().unwrap();
        let text = format!("{}match\nmatch\n", "other\n".repeat(200_000));
        std::fs::write(directory.path().join("long.txt"), text).unwrap();
        let workspace = Workspace::open(directory.path()).unwrap();
        for path in [None, Some("long.txt".to_owned())] {
            let args = GrepArgs { pattern: "match".to_owned(), path, include: None };
            let questions = stops_at_every_question(
                |stop| search(&workspace, &args, stop),
                |outcome| matches!(outcome, Err(FileToolError::Stopped(_))),
            );
            // 1.2 MB in blocks of 64 KiB, each of them read and searched.
            assert!((36..80).contains(&questions), "{questions}");
        }
    }

    #[test]
    fn whatever_disappears_once_it_was_listed_is_counted() {
        let outcome_when_renamed_at = |at: u64| {
            let directory = tempfile::tempdir().unwrap();
            for place in ["a", "b/c"] {
                std::fs::create_dir_all(directory.path().join(place)).unwrap();
                std::fs::write(directory.path().join(place).join("x"), "match\n").unwrap();
            }
            let workspace = Workspace::open(directory.path()).unwrap();
            let args = GrepArgs { pattern: "match".to_owned(), path: None, include: None };
            let (from, to) = (directory.path().join("b"), directory.path().join(".hidden"));
            let asked = AtomicU64::new(0);
            let stop = Stop::when(move || {
                if asked.fetch_add(1, Ordering::Relaxed) == at {
                    std::fs::rename(&from, &to).unwrap();
                }
                false
            });
            let output = search(&workspace, &args, &stop).unwrap();
            (output.total, output.skipped)
        };
        let mut outcomes = (0..60).map(outcome_when_renamed_at).collect::<Vec<_>>();
        outcomes.dedup();
        // Before the root is listed it is not there; then it is missed as directory, subdirectory or file; at last it
        // has been searched.
        assert_eq!(outcomes, [(1, 0), (1, 1), (2, 0)]);
    }
}
