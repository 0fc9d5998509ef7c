//! Finds the lines of a kept text that match a regular expression, in bounded memory and time.
//!
//! Reads a file once, in order. A line that is longer than [`PIECE`] is searched piece by piece; neighbouring pieces
//! share [`OVERLAP`] bytes, so that a match no longer than that is not missed where two of them meet.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};
use toolgate::Cancellation;

use super::blocking::check;
use super::error::SpillError;

/// How much is searched at once, which nothing interrupts.
const PIECE: usize = 4 * 1024;

/// How much the pieces of a long line share.
const OVERLAP: usize = 512;

/// How much of a line is shown, in bytes.
const SHOWN: usize = 400;

/// How much of that stands before the match.
const BEFORE: usize = 100;

/// How long an expression may be, in bytes, and how large its compiled form. The number of places where a search can be
/// at the same time is bounded by the latter, and so is the time for one piece.
const MOST_PATTERN: usize = 1024;
const MOST_COMPILED: usize = 256 * 1024;

/// How long one search may take; what it has found by then is the answer.
const MOST_TIME: Duration = Duration::from_secs(10);

/// A line that matches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Counted from 1.
    pub(super) line: u64,
    /// Where the match begins, in bytes from the start of the text.
    pub(super) offset: u64,
    /// The line, or the part of it around the match with marks.
    pub(super) text: String,
}

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matches {
    pub(super) found: Vec<Match>,
    /// How many lines match, shown or not.
    pub(super) total: u64,
    /// Where the search gave up for lack of time.
    pub(super) stopped_at: Option<u64>,
}

/// Compiles an expression.
pub(super) fn compile(pattern: &str) -> Result<Regex, SpillError> {
    let wrong = |what: String| {
        SpillError::Arguments {
        what,
        hint: "use a shorter regular expression of Rust's syntax, and escape what is meant literally, as in `\\(`"
            .to_owned(),
    }
    };
    if pattern.is_empty() || pattern.len() > MOST_PATTERN {
        return Err(wrong(format!("`pattern` is empty or longer than {MOST_PATTERN} bytes")));
    }
    RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(MOST_COMPILED)
        .dfa_size_limit(MOST_COMPILED)
        .build()
        .map_err(|error| {
            if matches!(error, regex::Error::CompiledTooBig(_)) {
                return wrong("`pattern` is too large with its repetitions written out".to_owned());
            }
            wrong(format!("`pattern` is not a regular expression: {error}"))
        })
}

/// Searches the text from `start` on, and keeps at most `lines` lines of at most `bytes` bytes together. `start` is the
/// start of a line, or is taken for one; lines are counted from the start of the text.
pub(super) fn search(
    file: &File,
    pattern: &Regex,
    start: u64,
    (lines, bytes): (usize, usize),
    cancellation: &Cancellation,
) -> Result<Matches, SpillError> {
    let begun = Instant::now();
    let mut input = BufReader::with_capacity(64 * 1024, file);
    let mut line = 1 + count_lines(&mut input, start, cancellation)?;
    let mut matches = Matches::default();
    let (mut room, mut offset) = (bytes, start);
    let mut piece = Vec::with_capacity(PIECE);
    // Whether the line of the piece has matched in an earlier one.
    let mut has_matched = false;
    loop {
        check(cancellation)?;
        if begun.elapsed() > MOST_TIME {
            matches.stopped_at = Some(offset);
            return Ok(matches);
        }
        let kept = piece.len();
        let wanted = (PIECE - kept) as u64;
        let read = (&mut input).take(wanted).read_until(b'\n', &mut piece).map_err(SpillError::Unreadable)?;
        if read == 0 {
            return Ok(matches);
        }
        let ends = piece.last() == Some(&b'\n');
        let text = piece.strip_suffix(b"\n").unwrap_or(&piece);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        // The start of a later piece is no start of a line, which the byte before it shows.
        let from = usize::from(kept > 0).min(text.len());
        if !has_matched && let Some(found) = pattern.find_at(text, from) {
            has_matched = true;
            matches.total += 1;
            let shown = around(text, found.start(), kept > 0, !ends);
            if matches.found.len() < lines && shown.len() <= room {
                room -= shown.len();
                matches.found.push(Match { line, offset: offset + found.start() as u64, text: shown });
            } else {
                // What comes later must not take the place of this line.
                room = 0;
            }
        }
        let done = if ends || piece.len() < PIECE { piece.len() } else { PIECE - OVERLAP };
        offset += done as u64;
        piece.drain(..done);
        if ends {
            line += 1;
            has_matched = false;
        }
    }
}

/// Moves to `end` and says how many line breaks stand before it.
fn count_lines(
    input: &mut BufReader<&File>,
    end: u64,
    cancellation: &Cancellation,
) -> Result<u64, SpillError> {
    input.seek(SeekFrom::Start(0)).map_err(SpillError::Unreadable)?;
    let (mut left, mut lines) = (end, 0);
    while left > 0 {
        check(cancellation)?;
        let block = input.fill_buf().map_err(SpillError::Unreadable)?;
        let block = block.get(..usize::try_from(left).unwrap_or(usize::MAX)).unwrap_or(block);
        if block.is_empty() {
            break;
        }
        lines += block.iter().filter(|byte| **byte == b'\n').count() as u64;
        let read = block.len();
        left -= read as u64;
        input.consume(read);
    }
    Ok(lines)
}

/// The part of a line around a match, with marks where something is left out.
fn around(text: &[u8], found: usize, continues: bool, goes_on: bool) -> String {
    let latest = text.len().saturating_sub(SHOWN);
    let start = found.saturating_sub(BEFORE).min(latest);
    let end = (start + SHOWN).min(text.len());
    let shown = String::from_utf8_lossy(text.get(start..end).unwrap_or_default());
    // What is left of a character that was cut is no part of the text.
    let shown = shown.trim_matches('\u{fffd}');
    let before = if start > 0 || continues { "[…] " } else { "" };
    let after = if end < text.len() || goes_on { " […]" } else { "" };
    [before, shown, after].concat()
}
