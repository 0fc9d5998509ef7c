//! The writer of one database.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use crate::head::Head;
use crate::{Durability, Journal, StoreError};

/// How long a statement waits for a reader that holds the database for a moment.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct SqliteJournal {
    connection: Connection,
    path: PathBuf,
    head: Head,
    last: u64,
}

impl SqliteJournal {
    pub(super) fn create(path: &Path, head: Head, durability: Durability) -> Result<Self, StoreError> {
        let failed = || StoreError::database(path);
        let connection = connect(path, durability).map_err(failed())?;
        let table = "CREATE TABLE record (seq INTEGER PRIMARY KEY, line BLOB NOT NULL) STRICT";
        connection.execute_batch(table).map_err(failed())?;
        Ok(Self { connection, path: path.to_owned(), head, last: 0 })
    }

    pub(super) fn open(
        path: &Path,
        mut head: Head,
        noted: u64,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let failed = || StoreError::database(path);
        let connection = connect(path, durability).map_err(failed())?;
        let query = "SELECT coalesce(max(seq), 0) FROM record";
        let found: u64 = connection.query_row(query, [], |row| row.get(0)).map_err(failed())?;
        // What is missing at the end keeps its places, so that no place is given twice.
        let last = found.max(noted);
        head.note(last)?;
        Ok(Self { connection, path: path.to_owned(), head, last })
    }

    fn insert(&mut self, lines: &[Vec<u8>]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO record (seq, line) VALUES (?1, ?2)")?;
            for (seq, line) in (self.last + 1..).zip(lines) {
                insert.execute(params![seq, line])?;
            }
        }
        transaction.commit()
    }
}

impl Journal for SqliteJournal {
    fn last(&self) -> u64 {
        self.last
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        self.insert(lines).map_err(StoreError::database(&self.path))?;
        self.last += lines.len() as u64;
        self.head.note(self.last)
    }
}

fn connect(path: &Path, durability: Durability) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let synchronous = match durability {
        Durability::Process => "normal",
        Durability::Power => "full",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection)
}
