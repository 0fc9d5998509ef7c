//! The difference of two texts in the unified form, bounded.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};
use toolgate::text::{Line, shortened};

/// Unchanged lines on either side of a change.
const CONTEXT: usize = 2;
/// How long to look for the smallest difference.
const EFFORT: Duration = Duration::from_millis(200);
/// How many lines are shown.
const SHOWN: usize = 400;
/// How much of a line is shown, in characters.
const LINE: usize = 2_000;

/// What changed from one text to the other. Hidden characters are shown as escapes, because they are what somebody would
/// hide a change in.
pub(super) fn unified(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let deadline = Instant::now() + EFFORT;
    let operations = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    let mut lines = Vec::new();
    for group in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        lines.push(format!(
            "@@ -{},{} +{},{} @@",
            first.old_range().start + 1,
            last.old_range().end - first.old_range().start,
            first.new_range().start + 1,
            last.new_range().end - first.new_range().start,
        ));
        for operation in &group {
            let (tag, before, after) = operation.as_tag_tuple();
            let mut mark = |sign: char, all: &[&str], range: std::ops::Range<usize>| {
                for line in all.get(range).unwrap_or_default() {
                    lines.push(format!("{sign}{}", Line(&shortened(line, LINE))));
                }
            };
            match tag {
                DiffTag::Equal => mark(' ', &old, before),
                DiffTag::Delete => mark('-', &old, before),
                DiffTag::Insert => mark('+', &new, after),
                DiffTag::Replace => {
                    mark('-', &old, before);
                    mark('+', &new, after);
                }
            }
        }
    }
    let mut text = lines.iter().take(SHOWN).fold(String::new(), |mut text, line| {
        text.push_str(line);
        text.push('\n');
        text
    });
    if let Some(more) = lines.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "… and {more} more lines");
    }
    text
}
