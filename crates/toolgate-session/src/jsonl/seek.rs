//! Finding a record by its place without reading what stands before it.

use std::fs::File;
use std::io;

use super::lines::Lines;
use crate::record::{is_intact, seq_of};

/// Below this many bytes, reading on is quicker than searching.
const CLOSE: u64 = 64 << 10;

/// Where to begin to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// The byte.
    pub(super) offset: u64,
    /// The place that is expected there.
    pub(super) next: u64,
}

/// A place at or before the record `seq`, close to it. The places of a file grow, so halves can be left out; what is
/// damaged is stepped over.
pub(super) fn offset_of(file: &mut File, seq: u64) -> io::Result<Start> {
    let mut low = Start { offset: 0, next: 1 };
    let mut high = file.metadata()?.len();
    while high.saturating_sub(low.offset) > CLOSE {
        let middle = low.offset + (high - low.offset) / 2;
        match first_intact(file, middle, high)? {
            Some((start, found)) if found < seq => low = Start { offset: start, next: found },
            Some(_) | None => high = middle,
        }
    }
    Ok(low)
}

/// The first intact line that begins behind `from` and before `end`, and its place.
fn first_intact(file: &mut File, from: u64, end: u64) -> io::Result<Option<(u64, u64)>> {
    let mut lines = Lines::new(file.try_clone()?, from)?;
    // It may begin in the middle of a line.
    let _ = lines.next()?;
    while let Some(line) = lines.next()? {
        if line.range.start >= end {
            break;
        }
        if is_intact(&line.bytes)
            && let Some(seq) = seq_of(&line.bytes)
        {
            return Ok(Some((line.range.start, seq)));
        }
    }
    Ok(None)
}
