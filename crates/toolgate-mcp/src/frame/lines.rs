//! [`Lines`]: bytes as they come in, cut into lines of a bounded length.
//!
//! Called by both transports. Of a line that is too long nothing is kept but what [`Skim`] finds in it.

use std::collections::VecDeque;

use super::{Skim, Skimmed};

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// It was longer than lines may be.
    TooLong(Skimmed),
}

/// Cuts a stream of bytes at its line feeds. A carriage return before one belongs to the line end.
#[derive(Debug)]
pub(crate) struct Lines {
    most: usize,
    /// The line that has no end yet.
    open: Open,
    ready: VecDeque<Line>,
}

#[derive(Debug)]
enum Open {
    Kept(Vec<u8>),
    Skimmed(Skim),
}

impl Lines {
    /// Lines of at most so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: Open::Kept(Vec::new()), ready: VecDeque::new() }
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.extend(rest.get(..end).unwrap_or_default());
            self.finish();
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        self.extend(rest);
    }

    /// The next line that is complete.
    pub(crate) fn next(&mut self) -> Option<Line> {
        self.ready.pop_front()
    }

    /// There are no more bytes: what was begun is a line.
    pub(crate) fn end(&mut self) {
        if !matches!(&self.open, Open::Kept(line) if line.is_empty()) {
            self.finish();
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        match &mut self.open {
            Open::Kept(line) if line.len() + bytes.len() <= self.most => line.extend_from_slice(bytes),
            Open::Kept(line) => {
                let mut skim = Skim::default();
                skim.feed(line);
                skim.feed(bytes);
                self.open = Open::Skimmed(skim);
            }
            Open::Skimmed(skim) => skim.feed(bytes),
        }
    }

    fn finish(&mut self) {
        let line = match std::mem::replace(&mut self.open, Open::Kept(Vec::new())) {
            Open::Kept(mut line) => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                Line::Whole(line)
            }
            Open::Skimmed(skim) => Line::TooLong(skim.finish()),
        };
        self.ready.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(most: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::new(most);
        pieces.iter().for_each(|piece| lines.push(piece));
        lines.end();
        std::iter::from_fn(|| lines.next())
            .map(|line| match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(skimmed) => format!("{skimmed:?}"),
            })
            .collect()
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_come() {
        let text = b"one\r\n\n{\"a\":1}\nlast";
        for size in 1..=text.len() {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            assert_eq!(cut(16, &pieces), ["one", "", "{\"a\":1}", "last"], "pieces of {size}");
        }
    }

    #[test]
    fn of_a_line_that_is_too_long_the_id_is_kept_and_the_next_line_is_whole() {
        let text = format!("{{\"result\":\"{}\",\"id\":7}}\n{{\"id\":8}}\n", "x".repeat(100));
        for size in [1, 3, 64, 1000] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let lines = cut(64, &pieces);
            assert!(lines[0].contains("Number(7)"), "{lines:?}");
            assert_eq!(lines[1], "{\"id\":8}");
        }
    }
}
