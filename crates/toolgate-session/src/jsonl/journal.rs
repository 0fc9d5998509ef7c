//! The writer of one file of lines, and the mending of its end.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::lines::Lines;
use super::seek;
use crate::folder::private;
use crate::head::Head;
use crate::record::{is_intact, seq_of};
use crate::{Durability, Journal, StoreError};

pub(super) struct JsonlJournal {
    file: File,
    path: PathBuf,
    head: Head,
    last: u64,
    durability: Durability,
    batch: Vec<u8>,
}

impl JsonlJournal {
    pub(super) fn new(file: File, path: PathBuf, head: Head, last: u64, durability: Durability) -> Self {
        Self { file, path, head, last, durability, batch: Vec::new() }
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.write_all(&self.batch)?;
        match self.durability {
            Durability::Process => Ok(()),
            Durability::Power => self.file.sync_data(),
        }
    }
}

impl Journal for JsonlJournal {
    fn last(&self) -> u64 {
        self.last
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        self.batch.clear();
        for line in lines {
            self.batch.extend_from_slice(line);
            self.batch.push(b'\n');
        }
        self.write().map_err(StoreError::io("appending to", &self.path))?;
        self.last += lines.len() as u64;
        self.head.note(self.last)
    }
}

/// The bytes behind the last end of a line.
pub(super) fn torn_tail(file: &mut File) -> io::Result<Option<Range<u64>>> {
    const BLOCK: u64 = 64 << 10;
    let length = file.metadata()?.len();
    let mut end = length;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        Read::by_ref(file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            let tail = start + at as u64 + 1;
            return Ok((tail < length).then_some(tail..length));
        }
        end = start;
    }
    Ok((length > 0).then_some(0..length))
}

/// Opens a file to append to it: drops a half-written line at its end, and gives the place of the last line.
pub(super) fn mend(path: &Path) -> Result<(File, u64), StoreError> {
    let failed = || StoreError::io("mending", path);
    let mut file = private().read(true).append(true).open(path).map_err(failed())?;
    if let Some(tail) = torn_tail(&mut file).map_err(failed())? {
        if is_whole(&file, &tail).map_err(failed())? {
            // Only the end of the line is missing.
            file.write_all(b"\n").map_err(failed())?;
        } else {
            file.set_len(tail.start).map_err(failed())?;
        }
        file.sync_data().map_err(failed())?;
    }
    let last = last_place(&mut file).map_err(failed())?;
    Ok((file, last))
}

fn is_whole(file: &File, tail: &Range<u64>) -> io::Result<bool> {
    let mut lines = Lines::new(file.try_clone()?, tail.start)?;
    Ok(lines.next()?.is_some_and(|line| is_intact(&line.bytes)))
}

/// The place of the last line, counting damaged lines behind the last intact one.
fn last_place(file: &mut File) -> io::Result<u64> {
    let start = seek::offset_of(file, u64::MAX)?;
    let mut last = start.next - 1;
    let mut lines = Lines::new(file.try_clone()?, start.offset)?;
    while let Some(line) = lines.next()? {
        let seq = is_intact(&line.bytes).then(|| seq_of(&line.bytes)).flatten();
        last = seq.unwrap_or(last + 1).max(last);
    }
    Ok(last)
}
