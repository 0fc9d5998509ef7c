//! One line of a read window, cut to what may be shown while its bytes arrive.
//!
//! Filled by [`super::window`] piece by piece. It keeps the beginning of the line and counts the rest, so a line of
//! any length costs the same memory.

/// How much of one line is shown, in characters.
pub(super) const SHOWN_CHARACTERS: usize = 2000;

/// How many bytes are kept for that: no character takes more than four, and one is kept to see the cut.
const KEPT_BYTES: usize = SHOWN_CHARACTERS * 4 + 4;

/// A line being collected.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    kept: Vec<u8>,
    length: u64,
    last: Option<u8>,
}

/// A collected line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CollectedLine {
    /// The text, without its line end.
    pub(super) text: String,
    /// How many bytes of it are not in `text`.
    pub(super) omitted: u64,
    /// It ended with a carriage return before the line feed.
    pub(super) carriage_return: bool,
}

/// A line holds a byte that is not valid UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidByte {
    /// Where, from the start of the line.
    pub(super) offset: u64,
}

impl LineBuffer {
    /// Adds the next piece of the line, without its line feed.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or(piece));
        self.length += piece.len() as u64;
        self.last = piece.last().copied().or(self.last);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Ends the line and empties the buffer for the next one.
    pub(super) fn finish(&mut self, line_feed: bool) -> Result<CollectedLine, InvalidByte> {
        let carriage_return = line_feed && self.last == Some(b'\r');
        let length = self.length - u64::from(carriage_return);
        if carriage_return && self.kept.len() as u64 > length {
            self.kept.pop();
        }
        let shown = shown_part(&self.kept, length);
        let collected = shown.map(|text| CollectedLine {
            omitted: length - text.len() as u64,
            text: text.to_owned(),
            carriage_return,
        });
        self.kept.clear();
        self.length = 0;
        self.last = None;
        collected
    }
}

/// The first characters of a line that begins with `kept` and is `length` bytes long. Only what is shown must be
/// valid.
fn shown_part(kept: &[u8], length: u64) -> Result<&str, InvalidByte> {
    let (valid, invalid) = match std::str::from_utf8(kept) {
        Ok(text) => (text, None),
        Err(error) => {
            let (valid, rest) = kept.split_at_checked(error.valid_up_to()).unwrap_or((kept, &[]));
            let cut_by_us = error.error_len().is_none() && length > kept.len() as u64 && !rest.is_empty();
            let invalid = (!cut_by_us).then_some(InvalidByte { offset: valid.len() as u64 });
            (std::str::from_utf8(valid).unwrap_or_default(), invalid)
        }
    };
    match (valid.char_indices().nth(SHOWN_CHARACTERS), invalid) {
        (Some((end, _)), _) => Ok(valid.get(..end).unwrap_or(valid)),
        (None, Some(invalid)) if valid.chars().count() < SHOWN_CHARACTERS => Err(invalid),
        (None, _) => Ok(valid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(pieces: &[&[u8]], line_feed: bool) -> Result<CollectedLine, InvalidByte> {
        let mut line = LineBuffer::default();
        pieces.iter().for_each(|piece| line.push(piece));
        line.finish(line_feed)
    }

    fn line(text: &str, omitted: u64, carriage_return: bool) -> Result<CollectedLine, InvalidByte> {
        Ok(CollectedLine { text: text.to_owned(), omitted, carriage_return })
    }

    #[test]
    fn line_ends_are_taken_off() {
        assert_eq!(collect(&[b"one"], true), line("one", 0, false));
        assert_eq!(collect(&[b"one\r"], true), line("one", 0, true));
        assert_eq!(collect(&[b"one", b"\r"], true), line("one", 0, true));
        assert_eq!(collect(&[b"one\r"], false), line("one\r", 0, false));
        assert_eq!(collect(&[b"\r"], true), line("", 0, true));
        assert_eq!(collect(&[], true), line("", 0, false));
    }

    #[test]
    fn a_character_may_be_split_between_pieces() {
        assert_eq!(collect(&[b"\xc3", b"\xa4"], true), line("ä", 0, false));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        for (unit, count) in [("x", 5000), ("ä", 2001), ("😀", 9000)] {
            let whole = unit.repeat(count);
            let cut = collect(&[whole.as_bytes(), b"\r"], true).unwrap();
            assert_eq!(cut.text, unit.repeat(SHOWN_CHARACTERS));
            assert_eq!(cut.omitted, ((count - SHOWN_CHARACTERS) * unit.len()) as u64);
            assert!(cut.carriage_return);
        }
        assert_eq!(collect(&["x".repeat(2000).as_bytes()], true).unwrap().omitted, 0);
    }

    #[test]
    fn invalid_bytes_are_found_where_they_would_be_shown() {
        assert_eq!(collect(&[b"ab\xffcd"], true), Err(InvalidByte { offset: 2 }));
        assert_eq!(collect(&[b"ab\xc3"], true), Err(InvalidByte { offset: 2 }));
        assert_eq!(collect(&[b"ab\xc3\r"], true), Err(InvalidByte { offset: 2 }));
        let beyond = [vec![b'x'; SHOWN_CHARACTERS], vec![0xff]].concat();
        assert_eq!(collect(&[&beyond], true).unwrap().omitted, 1);
    }

    #[test]
    fn the_buffer_starts_afresh() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"one\r");
        buffer.finish(true).unwrap();
        assert!(buffer.is_empty());
        assert_eq!(buffer.finish(true), line("", 0, false));
    }
}
