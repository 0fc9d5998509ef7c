//! [`SqliteBackend`]: one SQLite database a session. The default.
//!
//! A record is a row that holds the very line that the other back end keeps. The database is in WAL mode, so readers
//! never wait for the writer. What SQLite cannot read is stepped over, and reported with its places.

mod journal;
mod reader;
mod salvage;

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;

use crate::folder::Folder;
use crate::head::Head;
use crate::{Backend, Durability, Entry, Journal, SessionId, StoreError};
use journal::SqliteJournal;

/// Keeps each session in a database, `<id>.db`, in one private folder.
#[derive(Clone, Debug)]
pub struct SqliteBackend {
    folder: Folder,
    durability: Durability,
}

impl SqliteBackend {
    /// Sessions in the folder, which is made where it is missing.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn new(folder: impl AsRef<Path>, durability: Durability) -> Result<Self, StoreError> {
        Ok(Self { folder: Folder::open(folder.as_ref(), "db")?, durability })
    }

    fn reader(&self, id: SessionId) -> Result<Connection, StoreError> {
        let path = self.folder.existing(id)?;
        reader::open(&path).map_err(StoreError::database(&path))
    }
}

impl Backend for SqliteBackend {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let head = Head::take(self.folder.head(id), id)?;
        drop(self.folder.make(id)?);
        let journal = SqliteJournal::create(&self.folder.records(id), head, self.durability)?;
        if self.durability == Durability::Power {
            self.folder.sync()?;
        }
        Ok(Box::new(journal))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let path = self.folder.existing(id)?;
        let head = Head::take(self.folder.head(id), id)?;
        let noted = Head::noted(&self.folder.head(id))?;
        if reader::is_foreign(&self.reader(id)?) {
            return Err(StoreError::Damaged { id, reason: reader::FOREIGN.to_owned() });
        }
        Ok(Box::new(SqliteJournal::open(&path, head, noted, self.durability)?))
    }

    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let connection = self.reader(id)?;
        salvage::read(&connection, from, most).map_err(StoreError::database(self.folder.records(id)))
    }

    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError> {
        // A transaction that was cut off is not there.
        self.folder.existing(id).map(|_| None)
    }

    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError> {
        self.folder.existing(id)?;
        Head::noted(&self.folder.head(id))
    }

    fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        self.folder.list()
    }
}
