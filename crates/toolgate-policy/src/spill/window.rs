//! A piece of a kept text by its byte offset, read without what stands before or behind it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::error::SpillError;
use super::excerpt::{head_of, is_inner, tail_of};

/// The longest character, less one: how far a cut can be from the next whole one.
const MOST_INNER: u64 = 3;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) text: String,
    /// Where it begins and ends, in bytes.
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The piece of at most `limit` bytes that begins at `offset`, or at the start of the character there. It ends with a
/// whole character, and with a line where one ends in its second half.
pub(super) fn read_from(file: &File, size: u64, offset: u64, limit: usize) -> Result<Window, SpillError> {
    let mut start = offset.min(size);
    let before = start.saturating_sub(MOST_INNER);
    let around = read_exact(file, before, to_usize((start - before) + 1).min(to_usize(size - before)))?;
    let inner = around.iter().rev().take_while(|byte| is_inner(**byte)).count() as u64;
    if start < size {
        start -= inner.min(start - before);
    }
    let bytes = read_exact(file, start, limit.min(to_usize(size - start)))?;
    let is_all = start + bytes.len() as u64 == size;
    let piece = if is_all { bytes.as_slice() } else { head_of(&bytes) };
    Ok(Window { text: text_of(piece)?, start, end: start + piece.len() as u64 })
}

/// The last piece of at most `limit` bytes.
pub(super) fn read_tail(file: &File, size: u64, limit: usize) -> Result<Window, SpillError> {
    let from = size.saturating_sub(limit as u64);
    // One more, to know whether the piece begins a line.
    let before = from.saturating_sub(1);
    let bytes = read_exact(file, before, to_usize(size - before))?;
    let window = bytes.get(to_usize(from - before)..).unwrap_or_default();
    let piece = tail_of(window, from == 0 || bytes.first() == Some(&b'\n'));
    Ok(Window { text: text_of(piece)?, start: size - piece.len() as u64, end: size })
}

fn read_exact(file: &File, offset: u64, length: usize) -> Result<Vec<u8>, SpillError> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).map_err(SpillError::Unreadable)?;
    Ok(bytes)
}

fn text_of(bytes: &[u8]) -> Result<String, SpillError> {
    let text = String::from_utf8(bytes.to_vec());
    text.map_err(|error| SpillError::Unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))
}

fn to_usize(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
