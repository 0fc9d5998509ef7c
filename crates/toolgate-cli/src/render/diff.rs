//! The card of a change: per file, the lines that went and the lines that came, with a little context.

use std::io::{self, Write as _};

use toolgate::FileDiff;
use toolgate::text::Line;

use crate::output::{Page, Styles, counted};

/// Unchanged lines shown on either side of a change.
const CONTEXT: usize = 3;
/// How many lines of one side are shown.
const SHOWN: usize = 400;

pub(super) fn card(page: &mut Page, diffs: &[FileDiff]) -> io::Result<()> {
    for diff in diffs {
        file(page, diff)?;
    }
    Ok(())
}

fn file(page: &mut Page, diff: &FileDiff) -> io::Result<()> {
    let styles = page.styles();
    let (path, faint) = (styles.path, styles.faint);
    let old = diff.old_text.as_option().map(String::as_str);
    let change = Change::between(old.unwrap_or_default(), &diff.new_text);
    let (gone, new) = (change.removed.len() as u64, change.added.len() as u64);
    let what = match old {
        None => format!("new file, {}", counted(new, "line", "lines")),
        Some(_) => format!("+{new} −{gone}"),
    };
    writeln!(page, "{path}{}{path:#}  {faint}{what}{faint:#}", Line(&diff.path))?;
    lines(page, &change.before, Mark::Kept)?;
    lines(page, &change.removed, Mark::Removed)?;
    lines(page, &change.added, Mark::Added)?;
    lines(page, &change.after, Mark::Kept)
}

/// What a line is in a change.
#[derive(Clone, Copy)]
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

/// The lines that differ between two texts, and the nearest of those that do not.
#[derive(Debug, PartialEq, Eq)]
struct Change<'a> {
    before: Vec<&'a str>,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
    after: Vec<&'a str>,
}

impl<'a> Change<'a> {
    /// One change from the first line that differs to the last one: the diffs of a card are hunks already.
    fn between(old: &'a str, new: &'a str) -> Self {
        let (old, new) = (old.lines().collect::<Vec<_>>(), new.lines().collect::<Vec<_>>());
        let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let longest_end = old.len().min(new.len()) - same_start;
        let same_end =
            old.iter().rev().zip(new.iter().rev()).take(longest_end).take_while(|(a, b)| a == b).count();
        let part =
            |lines: &[&'a str], from: usize, to: usize| lines.get(from..to).unwrap_or_default().to_vec();
        let end = old.len() - same_end;
        Self {
            before: part(&old, same_start.saturating_sub(CONTEXT), same_start),
            removed: part(&old, same_start, end),
            added: part(&new, same_start, new.len() - same_end),
            after: part(&old, end, old.len().min(end + CONTEXT)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found() {
        let change = Change::between("1\n2\n3\n4\nold\n5\n6\n", "1\n2\n3\n4\nnew\nnewer\n5\n6\n");
        assert_eq!(change.before, ["2", "3", "4"]);
        assert_eq!((change.removed, change.added), (vec!["old"], vec!["new", "newer"]));
        assert_eq!(change.after, ["5", "6"]);
    }

    #[test]
    fn repeated_lines_do_not_overlap() {
        let change = Change::between("a\na\n", "a\na\na\n");
        assert_eq!((change.removed.len(), change.added), (0, vec!["a"]));
        let change = Change::between("", "");
        assert!(change.removed.is_empty() && change.added.is_empty());
    }
}
