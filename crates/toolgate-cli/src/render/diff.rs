//! The card of a change: per file, the lines that went and the lines that came, with a little context.
//!
//! Diffs of one file that follow each other are places in it, and share its heading.

use std::io::{self, Write as _};
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};
use toolgate::FileDiff;
use toolgate::text::Line;

use crate::output::{Page, Styles, counted};

/// Unchanged lines shown on either side of a change.
const CONTEXT: usize = 3;
/// How long to look for the smallest difference.
const EFFORT: Duration = Duration::from_millis(200);
/// How many lines of one run are shown.
const SHOWN: usize = 400;

pub(super) fn card(page: &mut Page, diffs: &[FileDiff]) -> io::Result<()> {
    for places in diffs.chunk_by(|one, next| one.path == next.path) {
        file(page, places)?;
    }
    Ok(())
}

/// What changed in one file, place after place.
fn file(page: &mut Page, diffs: &[FileDiff]) -> io::Result<()> {
    let Some(first) = diffs.first() else { return Ok(()) };
    let styles = page.styles();
    let (path, faint) = (styles.path, styles.faint);
    let changes: Vec<_> = diffs.iter().map(Change::of).collect();
    let new: u64 = changes.iter().map(|change| change.added).sum();
    let gone: u64 = changes.iter().map(|change| change.removed).sum();
    let what = match first.old_text.as_option() {
        None => format!("new file, {}", counted(new, "line", "lines")),
        Some(_) => format!("+{new} −{gone}"),
    };
    writeln!(page, "{path}{}{path:#}  {faint}{what}{faint:#}", Line(&first.path))?;
    for (index, place) in changes.iter().flat_map(|change| &change.places).enumerate() {
        if index > 0 {
            writeln!(page, "{faint}  …{faint:#}")?;
        }
        for (mark, run) in place {
            lines(page, run, *mark)?;
        }
    }
    Ok(())
}

/// What a line is in a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Kept,
    Removed,
    Added,
}

impl Mark {
    fn sign(self) -> char {
        match self {
            Self::Kept => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }

    fn style(self, styles: &Styles) -> anstyle::Style {
        match self {
            Self::Kept => styles.faint,
            Self::Removed => styles.removed,
            Self::Added => styles.added,
        }
    }
}

fn lines(page: &mut Page, lines: &[&str], mark: Mark) -> io::Result<()> {
    let styles = page.styles();
    let (style, warning, sign) = (mark.style(&styles), styles.warning, mark.sign());
    for line in lines.iter().take(SHOWN) {
        writeln!(page, "{style}{sign} {}{style:#}", Line(line))?;
    }
    match lines.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => {
            let more = counted(more as u64, "more line", "more lines");
            writeln!(page, "{warning}{sign} … {more}{warning:#}")
        }
    }
}

/// Lines that follow each other and are marked alike.
type Run<'a> = (Mark, Vec<&'a str>);

/// How two texts differ.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change<'a> {
    added: u64,
    removed: u64,
    /// The places where they differ, with the nearest lines that do not.
    places: Vec<Vec<Run<'a>>>,
}

impl<'a> Change<'a> {
    fn of(diff: &'a FileDiff) -> Self {
        let old = diff.old_text.as_option().map(String::as_str);
        Self::between(old.unwrap_or_default(), &diff.new_text)
    }

    fn between(old: &'a str, new: &'a str) -> Self {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let deadline = Instant::now() + EFFORT;
        let operations = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
        let mut change = Self::default();
        for group in group_diff_ops(operations, CONTEXT) {
            let mut place = Vec::new();
            for operation in group {
                let gone = part(&old, operation.old_range());
                let came = part(&new, operation.new_range());
                if operation.tag() == DiffTag::Equal {
                    place.push((Mark::Kept, gone));
                    continue;
                }
                change.removed += gone.len() as u64;
                change.added += came.len() as u64;
                place.extend([(Mark::Removed, gone), (Mark::Added, came)]);
            }
            change.places.push(place);
        }
        change
    }
}

/// Some lines, without their ends.
fn part<'a>(lines: &[&'a str], range: Range<usize>) -> Vec<&'a str> {
    let lines = lines.get(range).unwrap_or_default().iter();
    lines
        .map(|line| line.strip_suffix('\n').map_or(*line, |line| line.strip_suffix('\r').unwrap_or(line)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, counts: (u64, u64), expected: &str) {
        let change = Change::between(old, new);
        let place = |place: &Vec<Run<'_>>| {
            let lines =
                place.iter().flat_map(|(mark, run)| run.iter().map(|line| format!("{}{line}", mark.sign())));
            lines.collect::<Vec<_>>().join("|")
        };
        assert_eq!((change.added, change.removed), counts);
        assert_eq!(change.places.iter().map(place).collect::<Vec<_>>().join(" … "), expected);
    }

    #[test]
    fn changes_are_found() {
        check(
            "1\n2\n3\n4\nold\n5\n6\n",
            "1\n2\n3\n4\nnew\nnewer\n5\n6\n",
            (2, 1),
            " 2| 3| 4|-old|+new|+newer| 5| 6",
        );
        check("a\nb\nc\n", "A\nb\nC\n", (2, 2), "-a|+A| b|-c|+C");
        let far = "1\n2\n3\n4\n5\n6\n7\n8\n";
        check(&format!("a\n{far}b\n"), &format!("{far}B\n"), (1, 2), "-a| 1| 2| 3 …  6| 7| 8|-b|+B");
    }

    #[test]
    fn texts_that_hardly_differ_are_no_exception() {
        check("a\na\n", "a\na\na\n", (1, 0), " a| a|+a");
        check("", "", (0, 0), "");
        check("a\r\n", "a\n", (1, 1), "-a|+a");
        check("a", "a\n", (1, 1), "-a|+a");
    }
}
