//! The lines of a file, read one by one, each bounded.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::Range;

/// A longer line is no record of ours. What is read of it is no more than this.
pub(crate) const LONGEST_LINE: usize = 64 << 20;

/// A line, without its end.
#[derive(Debug)]
pub(super) struct Line {
    /// What stands in it; cut off where it is too long to be a record.
    pub(super) bytes: Vec<u8>,
    /// Where it stands, with its end.
    pub(super) range: Range<u64>,
    /// Whether it has an end.
    pub(super) is_ended: bool,
}

/// Reads lines from some place on.
pub(super) struct Lines {
    reader: BufReader<File>,
    offset: u64,
}

impl Lines {
    pub(super) fn new(mut file: File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { reader: BufReader::with_capacity(64 << 10, file), offset })
    }

    /// The next line; none at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        let start = self.offset;
        let mut bytes = Vec::new();
        let is_ended = loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                break false;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let (piece, _) = available.split_at(end.unwrap_or(available.len()));
            let room = LONGEST_LINE.saturating_sub(bytes.len());
            bytes.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.offset += used as u64;
            if end.is_some() {
                break true;
            }
        };
        let range = start..self.offset;
        Ok(if range.is_empty() { None } else { Some(Line { bytes, range, is_ended }) })
    }
}
