//! One edit of a text: finds what is to be replaced, and replaces it, keeping line endings.
//!
//! Called by [`super::file`] for each edit in turn. Texts are compared literally, except that CRLF and LF are the same
//! line ending: models write LF. Only what differs between old and new text is touched, so lines given for context keep
//! their bytes.

use memchr::memmem::Finder;

use super::line_ends::{LfView, LineEnd, with_line_feeds};
use super::nearest::nearest;
use super::types::Edit;
use crate::change::TEXT_LIMIT;

/// How many occurrences are counted where one is needed.
const COUNTED: usize = 1000;

/// How many of their lines are named.
const NAMED: usize = 10;

/// A text after an edit.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) replacements: u64,
}

/// Why an edit was not made.
#[derive(Debug)]
pub(super) enum Problem {
    /// There is nothing to look for.
    EmptyOld,
    /// The edit would change nothing.
    Same,
    /// The text is not there; what is there instead, in words, if anything is near.
    NoMatch { nearest: String },
    /// The text is there several times.
    Several { times: String, lines: String },
    /// The text would become too large.
    TooLarge { size: u64 },
}

/// Makes one edit of `raw`.
pub(super) fn replace(raw: &str, edit: &Edit) -> Result<Edited, Problem> {
    let (old, new) = (with_line_feeds(&edit.old_string), with_line_feeds(&edit.new_string));
    if old.is_empty() {
        return Err(Problem::EmptyOld);
    }
    if old == new {
        return Err(Problem::Same);
    }
    let view = LfView::of(raw);
    let finder = Finder::new(old.as_bytes());
    let text = view.text.as_bytes();
    let Some(first) = finder.find(text) else {
        return Err(Problem::NoMatch { nearest: nearest(&view.text, &old) });
    };
    if edit.replace_all == Some(true) {
        let count = finder.find_iter(text).count() as u64;
        return rebuild(raw, &view, &old, &new, finder.find_iter(text), count);
    }
    let occurrences = overlapping(&finder, &view.text);
    if occurrences.len() > 1 {
        return Err(several(&view.text, &occurrences));
    }
    rebuild(raw, &view, &old, &new, std::iter::once(first), 1)
}

/// The places where the text is, overlapping ones too: each could be the one that is meant.
fn overlapping(finder: &Finder<'_>, text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        places.push(from + found);
        if places.len() > COUNTED {
            break;
        }
        from += found + 1;
    }
    places
}

fn several(text: &str, places: &[usize]) -> Problem {
    let times = match places.len() {
        count if count > COUNTED => format!("more than {COUNTED} times"),
        count => format!("{count} times"),
    };
    let mut lines = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for place in places {
        let between = text.as_bytes().get(counted..*place).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count();
        counted = *place;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        if lines.len() > NAMED {
            break;
        }
    }
    let named = lines.iter().take(NAMED).map(usize::to_string).collect::<Vec<_>>().join(", ");
    let lines = match lines.len() {
        1 => format!("line {named}"),
        count if count > NAMED => format!("lines {named} and others"),
        _ => format!("lines {named}"),
    };
    Problem::Several { times, lines }
}

/// Puts the text together: what is around the `places` as it was, and the new text in their place.
fn rebuild(
    raw: &str,
    view: &LfView<'_>,
    old: &str,
    new: &str,
    places: impl Iterator<Item = usize>,
    count: u64,
) -> Result<Edited, Problem> {
    let (start, end) = shared_ends(old, new);
    let inserted = new.get(start..new.len() - end).unwrap_or_default();
    let inserted_crlf = inserted.replace('\n', "\r\n");
    let removed = (old.len() - start - end) as u64;
    let most = (raw.len() as u64).saturating_add(count.saturating_mul(inserted_crlf.len() as u64));
    let size = most.saturating_sub(count.saturating_mul(removed));
    if size > TEXT_LIMIT {
        return Err(Problem::TooLarge { size });
    }
    let mut text = String::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut copied = 0;
    for place in places {
        let from = view.raw_offset(place + start);
        text.push_str(raw.get(copied..from).unwrap_or_default());
        text.push_str(match view.line_end_at(place, place + old.len()) {
            LineEnd::Lf => inserted,
            LineEnd::Crlf => &inserted_crlf,
        });
        copied = view.raw_offset(place + old.len() - end);
    }
    text.push_str(raw.get(copied..).unwrap_or_default());
    Ok(Edited { text, replacements: count })
}

/// How many bytes two texts share at their start, and then at their end, in whole characters.
fn shared_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
    };
    let start = same(&mut old.chars().zip(new.chars()));
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    (start, same(&mut old.chars().rev().zip(new.chars().rev())))
}
