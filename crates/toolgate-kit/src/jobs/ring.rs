//! [`Ring`]: the output of a job that nobody has read yet, as much of it as there is room for.

use std::collections::VecDeque;

use crate::command::{complete, text_of};

/// Output on its way to a reader. The oldest bytes give way when there is no room.
#[derive(Debug)]
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    most: usize,
    total: u64,
    dropped: u64,
}

/// What a reader gets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// The text.
    pub(super) text: String,
    /// How many bytes before it were lost because nobody had read them in time.
    pub(super) dropped: u64,
    /// How many bytes are still to be read.
    pub(super) unread: u64,
    /// How many bytes were written in all, up to now.
    pub(super) total: u64,
}

impl Ring {
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most, total: 0, dropped: 0 }
    }

    /// Takes some more bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let fits = bytes.get(bytes.len().saturating_sub(self.most)..).unwrap_or_default();
        let excess = (self.bytes.len() + fits.len()).saturating_sub(self.most);
        self.bytes.drain(..excess);
        self.bytes.extend(fits);
        self.dropped += (excess + bytes.len() - fits.len()) as u64;
    }

    /// Gives the oldest bytes away, at most so many. A character that is not complete waits for its rest, unless
    /// nothing more will come.
    pub(super) fn take(&mut self, most: usize, is_over: bool) -> Taken {
        let length = self.bytes.len().min(most.max(4));
        let mut bytes: Vec<u8> = self.bytes.range(..length).copied().collect();
        if !is_over || length < self.bytes.len() {
            bytes.truncate(complete(&bytes));
        }
        self.bytes.drain(..bytes.len());
        Taken {
            text: text_of(&bytes),
            dropped: std::mem::take(&mut self.dropped),
            unread: self.bytes.len() as u64,
            total: self.total,
        }
    }

    /// How many bytes wait.
    pub(super) fn unread(&self) -> u64 {
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_in_time_is_all_there() {
        let mut ring = Ring::new(8);
        ring.write(b"abc");
        assert_eq!(ring.take(100, false), Taken { text: "abc".into(), dropped: 0, unread: 0, total: 3 });
        assert_eq!(ring.take(100, false), Taken { total: 3, ..Taken::default() });
        ring.write(b"defghijk");
        assert_eq!(ring.take(5, false), Taken { text: "defgh".into(), dropped: 0, unread: 3, total: 11 });
        assert_eq!(ring.take(5, true), Taken { text: "ijk".into(), dropped: 0, unread: 0, total: 11 });
    }

    #[test]
    fn the_oldest_goes_first_and_is_counted_once() {
        let mut ring = Ring::new(4);
        for piece in [&b"ab"[..], b"cde", b"", b"fghijklmnop"] {
            ring.write(piece);
        }
        assert_eq!(ring.take(100, false), Taken { text: "mnop".into(), dropped: 12, unread: 0, total: 16 });
        ring.write(b"q");
        assert_eq!(ring.take(100, false).dropped, 0);
    }

    #[test]
    fn half_a_character_waits_for_the_other_half() {
        let mut ring = Ring::new(16);
        ring.write(b"a\xe2\x82");
        assert_eq!(ring.take(100, false).text, "a");
        ring.write(b"\xac\xe2");
        assert_eq!(ring.take(100, false).text, "€");
        assert_eq!(ring.take(100, true).text, "\u{fffd}");
    }
}
