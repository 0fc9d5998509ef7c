//! [`Capture`]: the beginning and the end of an output of any length, and how long it was.
//!
//! Filled by the thread that reads a command's output. Memory is bounded by the two parts, whatever is written.

use super::Sink;

/// What is kept of an output while it is written.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    most_head: usize,
    /// The end, as a ring: the oldest byte is at `next` once it is full.
    tail: Vec<u8>,
    most_tail: usize,
    next: usize,
    total: u64,
}

/// What was kept, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Captured {
    /// The whole output, or its beginning and its end with a line between them that says how much is missing.
    pub(crate) text: String,
    /// How many bytes were written in all.
    pub(crate) total: u64,
    /// How many of them are not in the text.
    pub(crate) omitted: u64,
}

impl Capture {
    /// Keeps so many bytes: a quarter from the beginning, the rest from the end.
    pub(crate) fn new(most: usize) -> Self {
        let most_head = most / 4;
        let most_tail = most - most_head;
        Self { head: Vec::new(), most_head, tail: Vec::new(), most_tail, next: 0, total: 0 }
    }

    /// What was kept. Characters that were cut in two at the gap belong to what is missing.
    pub(crate) fn captured(&self) -> Captured {
        let mut end = Vec::with_capacity(self.tail.len());
        end.extend_from_slice(self.tail.get(self.next..).unwrap_or_default());
        end.extend_from_slice(self.tail.get(..self.next).unwrap_or_default());
        let kept = (self.head.len() + end.len()) as u64;
        if kept == self.total {
            let whole = [self.head.as_slice(), &end].concat();
            return Captured { text: text_of(&whole), total: self.total, omitted: 0 };
        }
        let head = self.head.get(..complete(&self.head)).unwrap_or_default();
        let tail = end.get(continued(&end)..).unwrap_or_default();
        let omitted = self.total - (head.len() + tail.len()) as u64;
        let (head, tail) = (text_of(head), text_of(tail));
        let line = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        let text = format!("{head}{line}[… {omitted} bytes left out …]\n{tail}");
        Captured { text, total: self.total, omitted }
    }
}

impl Sink for Capture {
    fn write(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let (first, rest) = bytes.split_at(bytes.len().min(self.most_head - self.head.len()));
        self.head.extend_from_slice(first);
        // Of one block no more than the end can stay.
        let mut rest = rest.get(rest.len().saturating_sub(self.most_tail)..).unwrap_or_default();
        while !rest.is_empty() {
            if self.tail.len() < self.most_tail {
                let (now, later) = rest.split_at(rest.len().min(self.most_tail - self.tail.len()));
                self.tail.extend_from_slice(now);
                rest = later;
                continue;
            }
            let (now, later) = rest.split_at(rest.len().min(self.most_tail - self.next));
            if let Some(place) = self.tail.get_mut(self.next..self.next + now.len()) {
                place.copy_from_slice(now);
            }
            self.next = (self.next + now.len()) % self.most_tail;
            rest = later;
        }
    }
}

/// Bytes as text; what is not UTF-8 is replaced, and nothing else is changed.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The length of the bytes without a character at the end that is not complete.
pub(crate) fn complete(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let last = bytes.get(from..).unwrap_or_default().iter().rposition(|byte| *byte >= 0xC0);
    let Some(start) = last.map(|at| from + at) else { return bytes.len() };
    let needed = match bytes.get(start) {
        Some(0xF0..) => 4,
        Some(0xE0..) => 3,
        Some(_) | None => 2,
    };
    if bytes.len() - start < needed { start } else { bytes.len() }
}

/// Where the first character begins, after the rest of one that was cut.
fn continued(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| (0x80..0xC0).contains(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(most: usize, pieces: &[&[u8]]) -> Captured {
        let mut capture = Capture::new(most);
        for piece in pieces {
            capture.write(piece);
        }
        capture.captured()
    }

    #[test]
    fn a_short_output_is_whole() {
        for pieces in [&[&b"abcdefghijklmnop"[..]][..], &[b"abc", b"defghijk", b"lmnop"], &[]] {
            let whole = pieces.concat();
            let captured = captured(16, pieces);
            assert_eq!(captured.text.as_bytes(), whole);
            assert_eq!((captured.total, captured.omitted), (whole.len() as u64, 0));
        }
    }

    #[test]
    fn of_a_long_output_both_ends_are_kept_however_it_is_cut() {
        let text: Vec<u8> = (0..100).flat_map(|n| format!("{n:02}").into_bytes()).collect();
        for size in [1, 2, 3, 7, 12, 13, 64, 200] {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let captured = captured(16, &pieces);
            assert_eq!(captured.text, "0001\n[… 184 bytes left out …]\n949596979899", "pieces of {size}");
            assert_eq!((captured.total, captured.omitted), (200, 184));
        }
    }

    #[test]
    fn characters_at_the_gap_are_not_torn() {
        let captured = captured(16, &["a€€€€€€€€€€€€€€€€€€b".as_bytes()]);
        assert_eq!(captured.text, "a€\n[… 42 bytes left out …]\n€€€b");
        assert_eq!(captured.total, 56);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(text_of(b"a\xff\x00\x1b[0m"), "a\u{fffd}\0\u{1b}[0m");
        for (bytes, length) in [
            (&b"ab"[..], 2),
            (b"a\xe2\x82", 1),
            (b"a\xe2\x82\xac", 4),
            (b"\xf0\x9f\x98", 0),
            (b"\x80", 1),
            (b"", 0),
        ] {
            assert_eq!(complete(bytes), length, "{bytes:?}");
        }
    }
}
