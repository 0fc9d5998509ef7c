//! Searches one open file, in bounded memory, and stops when asked.
//!
//! Called by [`super::search`] for each file of the walk. It keeps as many matching lines as there is room for and
//! counts the rest.

use std::fs::File;
use std::io;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::excerpt::excerpt;
use super::stoppable::Stoppable;
use super::types::GrepLine;
use crate::stop::{Stop, Stopped};

/// How long one line may be, in bytes, its ending included; a file with a longer one is searched up to it.
///
/// It is also how much is searched at once, which nothing interrupts. With the heaviest expression that
/// [`super::expression`] lets through, that takes half a second.
pub(super) const MAXIMUM_LINE: usize = 128 * 1024;

/// How much is kept of what matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) lines: usize,
    pub(super) bytes: usize,
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(super) struct FileResult {
    pub(super) lines: Vec<GrepLine>,
    pub(super) total: u64,
    /// Where the first NUL byte is, if the file turned out to be binary.
    pub(super) binary: Option<u64>,
    /// It could not be read to its end, or holds a line that is too long.
    pub(super) incomplete: bool,
    /// A matching line did not fit into the room for text.
    pub(super) out_of_text: bool,
}

/// A searcher for many files, one after the other; its buffer is used again.
pub(super) fn searcher() -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAXIMUM_LINE))
        // A file that shrinks while it is mapped would end the process.
        .memory_map(MmapChoice::never())
        .build()
}

/// Searches `file` from its start.
pub(super) fn search_file(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    file: File,
    room: Room,
    stop: &Stop,
) -> Result<FileResult, Stopped> {
    let matcher = Stoppable { inner: matcher, stop };
    let mut found = Found { matcher: &matcher, room, result: FileResult::default() };
    let searched = searcher.search_reader(&matcher, Stoppable { inner: file, stop }, &mut found);
    if searched.is_err() {
        stop.check()?;
        found.result.incomplete = true;
    }
    Ok(found.result)
}

struct Found<'a> {
    matcher: &'a Stoppable<'a, &'a RegexMatcher>,
    room: Room,
    result: FileResult,
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.result.total += 1;
        if self.room.lines == 0 {
            return Ok(true);
        }
        let line = found.bytes();
        let place = self.matcher.find(line).map_err(io::Error::other)?;
        let place = place.map_or(0..0, |place| place.start()..place.end());
        let text = excerpt(line, place);
        match self.room.bytes.checked_sub(text.len()) {
            Some(bytes) => {
                self.room = Room { lines: self.room.lines - 1, bytes };
                let number = found.line_number().unwrap_or_default();
                self.result.lines.push(GrepLine { number, text });
            }
            // What comes later must not take the place of this line, so nothing more is kept.
            None => {
                self.room.lines = 0;
                self.result.out_of_text = true;
            }
        }
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, offset: u64) -> Result<bool, io::Error> {
        self.result.binary = Some(offset);
        Ok(false)
    }
}
