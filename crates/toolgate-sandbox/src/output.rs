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

/// What a kept line costs besides its text, so that empty lines are bounded as well.
const LINE: usize = 1;

impl Output {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: 0, logs: Vec::new(), printed: Printed::default(), overflown: false }
    }

    /// Counts a line and keeps what fits of it; gives the kept part.
    pub(crate) fn line(&mut self, mut line: String) -> Option<&str> {
        self.printed.lines += 1;
        self.printed.bytes += line.len() as u64;
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

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn printed(&self) -> Printed {
        self.printed
    }

    pub(crate) fn take_logs(&mut self) -> Vec<String> {
        std::mem::take(&mut self.logs)
    }
}
