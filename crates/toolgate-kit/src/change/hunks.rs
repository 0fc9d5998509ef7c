//! What a change did to the lines of a file: hunks with context, bounded, as results carry them and cards show them.
//!
//! Made by the tools that change content. The comparison is by lines; where two texts differ so much that it would take
//! long, it settles for larger hunks. Nothing here touches the disk.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};
use toolgate::{FileDiff, Nullable, Schema, ToolResultView};

/// Unchanged lines on either side of a change.
const CONTEXT: usize = 3;

/// How much text the hunks of one result hold, in bytes.
const HUNK_BYTES: usize = 256 * 1024;

/// How many hunks a result has.
const HUNKS: usize = 500;

/// How long the comparison looks for the smallest difference.
const EFFORT: Duration = Duration::from_millis(500);

/// A change, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct LineChanges {
    /// How many lines are new.
    pub(crate) added: u64,
    /// How many lines are gone. A line that was changed counts as one that is gone and one that is new.
    pub(crate) removed: u64,
    /// The places that were changed, with three unchanged lines on either side.
    pub(crate) hunks: Vec<Hunk>,
    /// How many places were changed beyond those: all hunks together hold at most 256 KiB.
    pub(crate) hunks_omitted: u64,
}

/// One changed place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct Hunk {
    /// Its first line before the change, counted from 1.
    pub(crate) old_line: u64,
    /// Its first line after the change, counted from 1.
    pub(crate) new_line: u64,
    /// Its text before.
    pub(crate) old_text: String,
    /// Its text after.
    pub(crate) new_text: String,
}

/// Compares two texts line by line.
pub(crate) fn line_changes(old: &str, new: &str) -> LineChanges {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let deadline = Instant::now() + EFFORT;
    let operations = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    let mut changes = LineChanges::default();
    for operation in &operations {
        match *operation {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_len, .. } => changes.removed += old_len as u64,
            DiffOp::Insert { new_len, .. } => changes.added += new_len as u64,
            DiffOp::Replace { old_len, new_len, .. } => {
                changes.removed += old_len as u64;
                changes.added += new_len as u64;
            }
        }
    }
    let mut room = HUNK_BYTES;
    for group in group_diff_ops(operations, CONTEXT) {
        let hunk = hunk(&group, &old, &new);
        let size = hunk.as_ref().map_or(0, |hunk| hunk.old_text.len() + hunk.new_text.len());
        match hunk {
            Some(hunk) if size <= room && changes.hunks.len() < HUNKS && changes.hunks_omitted == 0 => {
                room -= size;
                changes.hunks.push(hunk);
            }
            Some(_) => changes.hunks_omitted += 1,
            None => {}
        }
    }
    changes
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let (old_range, new_range) =
        (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
    Some(Hunk {
        old_line: old_range.start as u64 + 1,
        new_line: new_range.start as u64 + 1,
        old_text: old.get(old_range)?.concat(),
        new_text: new.get(new_range)?.concat(),
    })
}

impl LineChanges {
    /// The counts, as texts show them.
    pub(crate) fn counts(&self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }

    fn diffs(&self, path: &str) -> Vec<FileDiff> {
        let diff = |hunk: &Hunk| FileDiff {
            path: path.to_owned(),
            old_text: Nullable::Value(hunk.old_text.clone()),
            new_text: hunk.new_text.clone(),
        };
        self.hunks.iter().map(diff).collect()
    }
}

/// The card of a file whose content changed; `title` is the one of the pending card.
pub(crate) fn diff_view(title: &str, path: &str, changes: &LineChanges) -> ToolResultView {
    let LineChanges { hunks, hunks_omitted, .. } = changes;
    let counts = changes.counts();
    if hunks.is_empty() {
        // Nothing to show: no line differs, or what differs is too much to keep.
        return ToolResultView::Generic { title: Some(format!("{title} ({counts})")), content: None };
    }
    let title = (*hunks_omitted > 0)
        .then(|| format!("{title} ({counts}; {hunks_omitted} more changed places are not shown)"));
    ToolResultView::Diff { title, diffs: changes.diffs(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_context_and_line_numbers() {
        let numbered =
            |from: u32, to: u32| (from..=to).map(|number| format!("{number}\n")).collect::<String>();
        let old = numbered(1, 40);
        let new = old.replace("\n10\n", "\nten\n").replace("\n30\n", "\n");
        let changes = line_changes(&old, &new);
        assert_eq!((changes.added, changes.removed, changes.hunks_omitted), (1, 2, 0));
        let [first, second] = changes.hunks.as_slice() else { panic!("{changes:?}") };
        assert_eq!((first.old_line, first.new_line), (7, 7));
        assert_eq!(first.old_text, numbered(7, 13));
        assert_eq!(first.new_text, numbered(7, 13).replace("10", "ten"));
        assert_eq!((second.old_line, second.new_line, &second.old_text), (27, 27, &numbered(27, 33)));
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        let changes = line_changes("a\nb", "a\nb\n");
        assert_eq!((changes.added, changes.removed), (1, 1));
        assert_eq!(changes.hunks[0].new_text, "a\nb\n");
        assert_eq!(line_changes("same", "same"), LineChanges::default());
    }

    #[test]
    fn texts_that_differ_everywhere_are_compared_in_bounded_time_and_room() {
        let text = |seed: u64| -> String {
            (0..200_000_u64).map(|line| format!("{}\n", (line * seed) % 99_991)).collect()
        };
        let start = Instant::now();
        let changes = line_changes(&text(7), &text(11));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert!(changes.hunks_omitted > 0);
        let size: usize = changes.hunks.iter().map(|hunk| hunk.old_text.len() + hunk.new_text.len()).sum();
        assert!(size <= HUNK_BYTES && changes.hunks.len() <= HUNKS);
    }
}
