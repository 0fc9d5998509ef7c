//! Asks to stop before each block is read and before each search in what was read.
//!
//! Wrapped by [`super::file`] around the file and the expression that it hands to the searcher, which knows nothing of
//! stopping.

use std::io::{self, Read};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::RegexMatcher;

use crate::stop::{Stop, Stopped};

/// Something that asks `stop` before it is used.
pub(super) struct Stoppable<'a, T> {
    pub(super) inner: T,
    pub(super) stop: &'a Stop,
}

impl<T: Read> Read for Stoppable<'_, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.inner.read(buffer)
    }
}

impl<'m> Stoppable<'_, &'m RegexMatcher> {
    fn ask<T>(&self, search: impl FnOnce(&'m RegexMatcher) -> Result<T, NoError>) -> Result<T, Stopped> {
        self.stop.check()?;
        // The expression itself has no way to fail.
        search(self.inner).map_err(|_: NoError| Stopped)
    }
}

impl Matcher for Stoppable<'_, &RegexMatcher> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.ask(|inner| inner.find_at(text, at))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        self.ask(|inner| inner.shortest_match_at(text, at))
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        self.ask(|inner| inner.find_candidate_line(text))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.inner.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.inner.line_terminator()
    }
}
