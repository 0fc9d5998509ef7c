//! Takes a window of lines out of a stream of bytes, in constant memory, and counts the lines outside it.
//!
//! Called by the read engine with an open file. It reads one block after the other and asks to stop before each. It
//! never buffers more than one block, one shortened line and the window, and the window is bounded as well.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use super::line::{CollectedLine, LineBuffer};
use crate::stop::{Stop, Stopped};

/// How much is read at once.
pub(super) const BLOCK: usize = 64 * 1024;

/// How much text one window holds at most, in bytes.
pub(super) const WINDOW_BYTES: usize = 256 * 1024;

/// What each line counts for besides its text: its number and its separators.
const LINE_OVERHEAD: usize = 8;

/// Which lines are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The first line, counted from 1.
    pub(super) offset: u64,
    /// How many lines at most.
    pub(super) limit: u64,
}

/// The lines of a window, and what is known about the text as a whole.
#[derive(Debug, Default)]
pub(super) struct WindowText {
    pub(super) lines: Vec<CollectedLine>,
    pub(super) total_lines: u64,
    pub(super) byte_order_mark: bool,
    pub(super) final_newline: bool,
}

/// Why there is no window.
#[derive(Debug)]
pub(super) enum WindowError {
    Stopped,
    Io(io::Error),
    Binary { offset: u64 },
    Utf16,
    NotUtf8 { line: u64, offset: u64 },
}

impl From<Stopped> for WindowError {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

/// Reads `source` to its end.
///
/// A NUL byte in the first block, or in any block up to the end of the window, makes it binary; beyond the window
/// only lines are counted. Invalid UTF-8 matters only where it would be shown.
pub(super) fn take_window(
    mut source: impl Read,
    window: Window,
    stop: &Stop,
) -> Result<WindowText, WindowError> {
    let mut scan = Scan::new(window);
    let mut block = vec![0; BLOCK];
    loop {
        stop.check()?;
        let filled = fill(&mut source, &mut block).map_err(WindowError::Io)?;
        let bytes = block.get(..filled).unwrap_or_default();
        if bytes.is_empty() {
            return scan.end();
        }
        scan.block(bytes)?;
    }
}

/// Reads until the block is full or the source ends.
fn fill(source: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(room) = block.get_mut(filled..).filter(|room| !room.is_empty()) {
        match source.read(room) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

struct Scan {
    window: Window,
    text: WindowText,
    line: LineBuffer,
    /// How much of the window's text is used up.
    weight: usize,
    phase: Phase,
    /// How many line feeds have been seen.
    newlines: u64,
    /// How many bytes came before the current block.
    consumed: u64,
    /// Where the line being collected starts.
    line_start: u64,
    last: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Inside,
    After,
}

impl Scan {
    fn new(window: Window) -> Self {
        let phase = if window.offset <= 1 { Phase::Inside } else { Phase::Before };
        Self {
            window,
            text: WindowText::default(),
            line: LineBuffer::default(),
            weight: 0,
            phase,
            newlines: 0,
            consumed: 0,
            line_start: 0,
            last: None,
        }
    }

    fn block(&mut self, bytes: &[u8]) -> Result<(), WindowError> {
        let mut rest = bytes;
        if self.consumed == 0 {
            if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
                return Err(WindowError::Utf16);
            }
            if let Some(after) = bytes.strip_prefix(b"\xef\xbb\xbf") {
                self.text.byte_order_mark = true;
                self.line_start = 3;
                rest = after;
            }
        }
        if (self.phase != Phase::After || self.consumed == 0)
            && let Some(at) = memchr(0, bytes)
        {
            return Err(WindowError::Binary { offset: self.consumed + at as u64 });
        }
        self.last = rest.last().copied().or(self.last);
        let end = self.consumed + bytes.len() as u64;
        while !rest.is_empty() {
            rest = match self.phase {
                Phase::Before => self.skip(rest),
                Phase::Inside => self.collect(rest, end)?,
                Phase::After => {
                    self.newlines += count_newlines(rest);
                    &[]
                }
            };
        }
        self.consumed = end;
        Ok(())
    }

    /// Passes over lines before the window; returns what is left of the block.
    fn skip<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let missing = self.window.offset - 1 - self.newlines;
        let found = count_newlines(bytes);
        if found < missing {
            self.newlines += found;
            return &[];
        }
        self.newlines += missing;
        self.phase = Phase::Inside;
        let last =
            usize::try_from(missing).ok().and_then(|missing| memchr_iter(b'\n', bytes).nth(missing - 1));
        last.and_then(|at| bytes.get(at + 1..)).unwrap_or_default()
    }

    /// Adds to the current line; returns what is left of the block, whose end is at `end` in the file.
    fn collect<'b>(&mut self, bytes: &'b [u8], end: u64) -> Result<&'b [u8], WindowError> {
        if self.line.is_empty() {
            self.line_start = end - bytes.len() as u64;
        }
        let Some((piece, rest)) =
            memchr(b'\n', bytes).and_then(|at| Some((bytes.get(..at)?, bytes.get(at + 1..)?)))
        else {
            self.line.push(bytes);
            return Ok(&[]);
        };
        self.line.push(piece);
        self.newlines += 1;
        self.finish_line(true)?;
        Ok(rest)
    }

    fn finish_line(&mut self, line_feed: bool) -> Result<(), WindowError> {
        let number = self.window.offset + self.text.lines.len() as u64;
        let line = self.line.finish(line_feed).map_err(|invalid| WindowError::NotUtf8 {
            line: number,
            offset: self.line_start + invalid.offset,
        })?;
        self.weight += line.text.len() + LINE_OVERHEAD;
        if self.weight > WINDOW_BYTES {
            self.phase = Phase::After;
            return Ok(());
        }
        self.text.lines.push(line);
        if self.text.lines.len() as u64 >= self.window.limit {
            self.phase = Phase::After;
        }
        Ok(())
    }

    fn end(mut self) -> Result<WindowText, WindowError> {
        let open_line = self.last.is_some_and(|byte| byte != b'\n');
        if self.phase == Phase::Inside && open_line {
            self.finish_line(false)?;
        }
        self.text.final_newline = self.last == Some(b'\n');
        self.text.total_lines = self.newlines + u64::from(open_line);
        Ok(self.text)
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    fn never() -> Stop {
        Stop::when(|| false)
    }

    fn window(source: impl Read, offset: u64, limit: u64) -> Result<WindowText, WindowError> {
        take_window(source, Window { offset, limit }, &never())
    }

    fn texts(text: &WindowText) -> Vec<&str> {
        text.lines.iter().map(|line| line.text.as_str()).collect()
    }

    /// Gives one byte at a time.
    struct Dribble<'a>(&'a [u8]);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1).min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn windows_of_five_lines() {
        for (offset, limit, expected) in [
            (1, 2, &["1", "2"][..]),
            (2, 2, &["2", "3"]),
            (5, 9, &["5"]),
            (6, 1, &[]),
            (600, 1, &[]),
            (1, u64::MAX, &["1", "2", "3", "4", "5"]),
        ] {
            for source in ["1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5"] {
                let text = window(Dribble(source.as_bytes()), offset, limit).unwrap();
                assert_eq!(texts(&text), expected, "{offset} {limit} {source:?}");
                assert_eq!(text.total_lines, 5, "{offset} {limit} {source:?}");
                assert_eq!(text.final_newline, source.ends_with('\n'));
            }
        }
    }

    #[test]
    fn lines_are_counted_across_blocks() {
        let source = "0123456\n".repeat(3 * BLOCK / 8 + 5);
        let last = source.len() as u64 / 8;
        for offset in [1, 8192, 8193, 8194, 16385, last] {
            let text = window(source.as_bytes(), offset, 1).unwrap();
            assert_eq!((texts(&text), text.total_lines), (vec!["0123456"], last), "{offset}");
        }
    }

    #[test]
    fn nothing_and_almost_nothing() {
        for (source, lines, total) in [
            (&b""[..], &[][..], 0),
            (b"\xef\xbb\xbf", &[], 0),
            (b"\n", &[""], 1),
            (b"\xef\xbb\xbf\n", &[""], 1),
            (b"\xef\xbb\xbfx", &["x"], 1),
            (b"\n\n", &["", ""], 2),
            (b"a\r\n\r\nb", &["a", "", "b"], 3),
        ] {
            let text = window(source, 1, 100).unwrap();
            assert_eq!((texts(&text), text.total_lines), (lines.to_vec(), total), "{source:?}");
        }
    }

    #[test]
    fn the_window_is_bounded_and_the_count_exact() {
        let source = format!("{}\n", "y".repeat(1000)).repeat(1000);
        let text = window(source.as_bytes(), 1, u64::MAX).unwrap();
        assert_eq!(text.lines.len(), WINDOW_BYTES / (1000 + LINE_OVERHEAD));
        assert_eq!(text.total_lines, 1000);
    }

    #[test]
    fn kinds_that_are_not_text() {
        assert!(matches!(window(&b"a\nb\0c"[..], 1, 1), Err(WindowError::Binary { offset: 3 })));
        assert!(matches!(window(&b"\xff\xfea\0"[..], 1, 1), Err(WindowError::Utf16)));
        assert!(matches!(
            window(&b"ok\nb\xffc\n"[..], 1, 9),
            Err(WindowError::NotUtf8 { line: 2, offset: 4 })
        ));
        assert!(matches!(
            window(&b"\xef\xbb\xbf\xff\n"[..], 1, 9),
            Err(WindowError::NotUtf8 { line: 1, offset: 3 })
        ));
        assert!(window(&b"ok\nb\xffc\n"[..], 1, 1).is_ok());
    }

    #[test]
    fn a_nul_counts_up_to_the_end_of_the_window() {
        let mut source = "text\n".repeat(BLOCK / 5 + 1).into_bytes();
        source.extend_from_slice(&[0; 10]);
        assert!(window(&source[..], 1, 1).is_ok());
        assert!(matches!(window(&source[..], 1, u64::MAX), Err(WindowError::Binary { .. })));
    }

    #[test]
    fn an_endless_line_is_shortened_and_stops_when_asked() {
        let blocks = Rc::new(Cell::new(0_u64));
        let seen = Rc::clone(&blocks);
        struct Endless(Rc<Cell<u64>>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.set(self.0.get() + 1);
                buffer.fill(b'x');
                // Ends at last, so that a failure is a failure and no hanging test.
                Ok(if self.0.get() < 1000 { buffer.len() } else { 0 })
            }
        }
        let checks = std::sync::atomic::AtomicU64::new(0);
        let stop = Stop::when(move || checks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 100);
        let stopped = take_window(Endless(blocks), Window { offset: 1, limit: 1 }, &stop);
        assert!(matches!(stopped, Err(WindowError::Stopped)));
        assert_eq!(seen.get(), 100);
    }

    #[test]
    fn a_failing_source_is_an_error() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        assert!(matches!(window((&b"a\n"[..]).chain(Failing), 1, 1), Err(WindowError::Io(_))));
    }
}
