//! [`Output`]: what a program printed, bounded while it is produced.
//!
//! Used by the engines. It keeps the head that fits, counts everything, and never writes anywhere.

use crate::outcome::Printed;

/// What a program printed.
#[derive(Debug)]
pub(crate) struct Output {
    limit: usize,
    used: usize,
    logs: Vec<String>,
    printed: Printed,
    overflown: bool,
}

/// A flood is counted up to this multiple of the limit.
const FLOOD: u64 = 16;

/// What a kept line costs besides its text, so that empty lines are bounded as well.
const LINE: usize = 1;

impl Output {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: 0, logs: Vec::new(), printed: Printed::default(), overflown: false }
    }

    /// Counts a line and keeps what fits of it; gives the kept part.
    pub(crate) fn line(&mut self, line: String) -> Option<&str> {
        let bytes = line.len() as u64;
        self.head_of_line(line, bytes)
    }

    /// The same for a line of which only the beginning is at hand, cut where nothing more fits.
    pub(crate) fn head_of_line(&mut self, mut line: String, bytes: u64) -> Option<&str> {
        self.printed.lines += 1;
        self.printed.bytes += bytes;
        if self.overflown {
            return None;
        }
        let room = self.limit.saturating_sub(self.used);
        if line.len() + LINE > room {
            self.overflown = true;
            let mut cut = room.saturating_sub(LINE).min(line.len());
            while !line.is_char_boundary(cut) {
                cut -= 1;
            }
            line.truncate(cut);
            if line.is_empty() {
                return None;
            }
        }
        self.used += line.len() + LINE;
        self.logs.push(line);
        self.logs.last().map(String::as_str)
    }

    /// The bytes that are left for lines or for the result.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    /// Whether more was printed than may be.
    pub(crate) fn is_overflown(&self) -> bool {
        self.overflown
    }

    /// From how many bytes on printing is not even worth counting.
    pub(crate) fn flood_bytes(&self) -> u64 {
        FLOOD.saturating_mul(self.limit as u64)
    }

    /// Whether so much was printed.
    pub(crate) fn is_flood(&self) -> bool {
        self.overflown && self.printed.bytes + self.printed.lines > self.flood_bytes()
    }

    /// The words for a run that printed too much.
    pub(crate) fn flood(&self) -> String {
        format!(
            "the program printed {} lines ({} bytes with their ends), more than the {} bytes it may print and return",
            self.printed.lines,
            self.printed.bytes + self.printed.lines,
            self.limit
        )
    }

    pub(crate) fn printed(&self) -> Printed {
        self.printed
    }

    pub(crate) fn take_logs(&mut self) -> Vec<String> {
        std::mem::take(&mut self.logs)
    }
}
