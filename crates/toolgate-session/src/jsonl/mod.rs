//! [`JsonlBackend`]: one file of lines a session, readable by any tool that reads JSON lines.
//!
//! A line is written with one call and, where that is asked for, synced before it is acknowledged. A line without its
//! end is a write that a crash cut off. Damage in the middle costs the lines that it touches and no others.

mod journal;
mod lines;
mod seek;

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use journal::JsonlJournal;
pub(crate) use lines::LONGEST_LINE;
use lines::{Line, Lines};

use crate::folder::Folder;
use crate::head::Head;
use crate::{Backend, Damage, Durability, Entry, Journal, Record, SessionId, StoreError};

/// Keeps each session in a file of lines, `<id>.jsonl`, in one private folder.
#[derive(Clone, Debug)]
pub struct JsonlBackend {
    folder: Folder,
    durability: Durability,
}

impl JsonlBackend {
    /// Sessions in the folder, which is made where it is missing.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn new(folder: impl AsRef<Path>, durability: Durability) -> Result<Self, StoreError> {
        Ok(Self { folder: Folder::open(folder.as_ref(), "jsonl")?, durability })
    }

    fn file(&self, id: SessionId) -> Result<File, StoreError> {
        let path = self.folder.existing(id)?;
        File::open(&path).map_err(StoreError::io("opening", path))
    }
}

impl Backend for JsonlBackend {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let head = Head::take(self.folder.head(id), id)?;
        let file = self.folder.make(id)?;
        if self.durability == Durability::Power {
            self.folder.sync()?;
        }
        Ok(Box::new(JsonlJournal::new(file, self.folder.records(id), head, 0, self.durability)))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let path = self.folder.existing(id)?;
        let mut head = Head::take(self.folder.head(id), id)?;
        let (file, end) = journal::mend(&path)?;
        // What is missing at the end keeps its places, so that no place is given twice.
        let last = end.max(Head::noted(&self.folder.head(id))?);
        head.note(last)?;
        Ok(Box::new(JsonlJournal::new(file, path, head, last, self.durability)))
    }

    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let mut file = self.file(id)?;
        let failed = || StoreError::io("reading", self.folder.records(id));
        let start = seek::offset_of(&mut file, from).map_err(failed())?;
        let mut entries = Vec::new();
        let mut damage: Option<Damage> = None;
        let mut next = start.next;
        let mut lines = Lines::new(file, start.offset).map_err(failed())?;
        while entries.len() < most {
            let Some(line) = lines.next().map_err(failed())? else { break };
            let Line { bytes, range, is_ended } = line;
            match Record::from_line(&bytes) {
                Ok(record) if record.seq >= next => {
                    if record.seq < from {
                        damage = None;
                        next = record.seq + 1;
                        continue;
                    }
                    entries.extend(lost(damage.take(), next, from, record.seq));
                    next = record.seq + 1;
                    entries.push(Entry::Record(Box::new(record)));
                }
                // A half-written line at the end is not there yet.
                Err(_) if !is_ended => break,
                problem => {
                    let reason = match problem {
                        Ok(_) => "the record is out of its order".to_owned(),
                        Err(error) => error.to_string(),
                    };
                    match &mut damage {
                        Some(Damage { bytes: Some(bytes), .. }) => bytes.end = range.end,
                        Some(_) | None => {
                            damage = Some(Damage { first: next, last: None, bytes: Some(range), reason });
                        }
                    }
                }
            }
        }
        entries.extend(damage.map(Entry::Damaged));
        if most <= 1 {
            // Whoever reads record by record comes no further by what is none.
            entries.retain(|entry| !matches!(entry, Entry::Damaged(damage) if !damage.is_loss()));
        }
        entries.truncate(most.max(1));
        Ok(entries)
    }

    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError> {
        let mut file = self.file(id)?;
        let failed = StoreError::io("reading", self.folder.records(id));
        journal::torn_tail(&mut file).map_err(failed)
    }

    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError> {
        self.folder.existing(id)?;
        Head::noted(&self.folder.head(id))
    }

    fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        self.folder.list()
    }
}

/// What was lost from the place `from` on, before the record at `seq`, where `next` was expected.
fn lost(damage: Option<Damage>, next: u64, from: u64, seq: u64) -> Option<Entry> {
    let first = next.max(from);
    // What stands right before the first record of a page belongs to the page before.
    let is_of_another_page = seq < from || (seq == from && from > 1);
    if is_of_another_page || (seq <= first && damage.is_none()) {
        return None;
    }
    let (bytes, reason) = match damage {
        Some(damage) => (damage.bytes, damage.reason),
        None => (None, "the records are missing".to_owned()),
    };
    Some(Entry::Damaged(Damage { first, last: seq.checked_sub(1), bytes, reason }))
}
