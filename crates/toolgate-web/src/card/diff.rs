//! The card of a change: the lines that went and came, one above the other and side by side.
//!
//! Both forms are in the page, and the reader chooses without asking the server again.

use std::time::{Duration, Instant};

use maud::{Markup, html};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};
use toolgate::{FileDiff, Nullable};

use super::code::pieces;
use crate::foreign;
use crate::source::{Highlighter, language_of};

/// How many lines of one place are shown.
const MOST_LINES: usize = 400;

/// How many lines around a change are shown.
const AROUND: usize = 3;

/// How long to look for the smallest difference.
const EFFORT: Duration = Duration::from_millis(200);

/// Texts beyond this are not compared.
const MOST_BYTES: usize = 1 << 20;

/// How many changes are shown.
const MOST_CHANGES: usize = 50;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Same,
    Gone,
    Come,
}

impl Fate {
    fn class(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Gone => "gone",
            Self::Come => "come",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Gone => "−",
            Self::Come => "+",
        }
    }
}

/// One line of a comparison.
struct Row {
    fate: Fate,
    content: Markup,
}

/// Changes of files. `name` tells the choices of one card from those of others.
pub(super) fn changes(diffs: &[FileDiff], name: &str) -> Markup {
    let shown = diffs.get(..MOST_CHANGES.min(diffs.len())).unwrap_or_default();
    html! {
        fieldset.seg {
            legend.hidden { "How to show the change" }
            label { input type="radio" name=(name) value="unified" checked; span { "Unified" } }
            label { input type="radio" name=(name) value="split"; span { "Side by side" } }
        }
        // Changes of one file that follow each other are places in it.
        @for places in shown.chunk_by(|one, next| one.path == next.path) { (file(places)) }
        @if diffs.len() > shown.len() { p.more { (diffs.len() - shown.len()) " more changes" } }
    }
}

fn file(places: &[FileDiff]) -> Markup {
    let Some(first) = places.first() else { return html! {} };
    let is_new = first.old_text == Nullable::Null;
    let size =
        places.iter().map(|place| place.new_text.len().max(old_of(place).len())).max().unwrap_or_default();
    let is_large = size > MOST_BYTES;
    let shown = if is_large { &[] } else { places };
    let groups: Vec<_> = shown.iter().flat_map(compare).collect();
    let count = |fate| groups.iter().flatten().filter(|row| row.fate == fate).count();
    html! {
        section.file {
            h4 {
                span.path { (foreign::title(&first.path)) }
                @if is_new { span.pill.new { "new" } }
                @if !is_large { span.plus { "+" (count(Fate::Come)) } span.minus { "−" (count(Fate::Gone)) } }
            }
            @if is_large {
                p.quiet { "Too large to be compared here: " (size) " bytes." }
            } @else {
                div.unified tabindex="0" role="group" aria-label="Changed lines" { (unified(&groups)) }
                div.split tabindex="0" role="group" aria-label="Changed lines, side by side" { (split(&groups)) }
            }
        }
    }
}

fn old_of(diff: &FileDiff) -> &str {
    match &diff.old_text {
        Nullable::Null => "",
        Nullable::Value(text) => text,
    }
}

/// The changed lines with those around them, in groups.
fn compare(diff: &FileDiff) -> Vec<Vec<Row>> {
    let lang = language_of(&diff.path);
    let (old, new): (Vec<_>, Vec<_>) = (old_of(diff).lines().collect(), diff.new_text.lines().collect());
    let deadline = Instant::now().checked_add(EFFORT);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let colored = |lines: &[&str]| -> Vec<Markup> {
        let mut highlighter = Highlighter::new(lang);
        lines.iter().map(|line| pieces(&mut highlighter, line)).collect()
    };
    let (old, new) = (colored(&old), colored(&new));
    let mut left = MOST_LINES;
    let mut groups = Vec::new();
    for group in group_diff_ops(ops, AROUND) {
        let mut rows = Vec::new();
        for op in group {
            let (tag, of_old, of_new) = op.as_tag_tuple();
            let gone = || old.get(of_old.clone()).unwrap_or_default().iter().map(|line| (Fate::Gone, line));
            let come = || new.get(of_new.clone()).unwrap_or_default().iter().map(|line| (Fate::Come, line));
            let lines: Vec<_> = match tag {
                DiffTag::Equal => come().map(|(_, line)| (Fate::Same, line)).collect(),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => gone().chain(come()).collect(),
            };
            let shown = lines.into_iter().take(left);
            let before = rows.len();
            rows.extend(shown.map(|(fate, line)| Row { fate, content: line.clone() }));
            left -= rows.len() - before;
        }
        groups.push(rows);
    }
    groups.retain(|rows| !rows.is_empty());
    groups
}

fn unified(groups: &[Vec<Row>]) -> Markup {
    html! {
        table {
            @for rows in groups {
                tbody {
                    @for row in rows {
                        tr class=(row.fate.class()) { td.sign { (row.fate.sign()) } td.line { (row.content) } }
                    }
                }
            }
        }
    }
}

fn split(groups: &[Vec<Row>]) -> Markup {
    html! {
        table {
            @for rows in groups {
                tbody {
                    @for (old, new) in pairs(rows) {
                        tr {
                            @for row in [old, new] {
                                @match row {
                                    None => td.line.none {},
                                    Some(row) => td class={ "line " (row.fate.class()) } { (row.content) },
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What stands beside what: lines that went beside those that came in their place.
fn pairs(rows: &[Row]) -> Vec<(Option<&Row>, Option<&Row>)> {
    let mut pairs = Vec::new();
    for run in rows.chunk_by(|one, next| (one.fate == Fate::Same) == (next.fate == Fate::Same)) {
        let of = |fate| run.iter().filter(|row| row.fate == fate).collect::<Vec<_>>();
        let (gone, come, same) = (of(Fate::Gone), of(Fate::Come), of(Fate::Same));
        pairs.extend(same.into_iter().map(|row| (Some(row), Some(row))));
        for at in 0..gone.len().max(come.len()) {
            pairs.push((gone.get(at).copied(), come.get(at).copied()));
        }
    }
    pairs
}
