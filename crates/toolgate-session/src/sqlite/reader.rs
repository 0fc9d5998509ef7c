//! Connections that read: they change nothing, run nothing that somebody else wrote, and read what can be read.
//!
//! Opened by the back end for each page of a session.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use super::journal::PATIENCE;
use crate::jsonl::LONGEST_LINE;

/// How large a row may be: the longest line, and what SQLite keeps beside it.
const LONGEST_ROW: i32 = LONGEST_LINE as i32 + 1024;

/// Why a database is not read that has more than tables in it.
pub(super) const FOREIGN: &str = "the database has views or triggers, which a session never has";

/// Opens a database to read from it.
///
/// # Errors
/// The database cannot be opened. That it is damaged shows when it is read.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = prepared(Connection::open_with_flags(path, flags)?)?;
    match probe(&connection) {
        // In a folder that cannot be written, readers cannot say that they read. Then nobody writes either, and a database
        // without a journal beside it is whole by itself.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) && !has_journal(path) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            prepared(Connection::open_with_flags(unchanging(path), flags)?)
        }
        Ok(()) | Err(_) => Ok(connection),
    }
}

/// Whether a database has what would run when its records are read or written.
pub(super) fn is_foreign(connection: &Connection) -> bool {
    let query = "SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1";
    // What cannot be told of a damaged schema is told by reading the records.
    connection.query_row(query, [], |_| Ok(())).optional().is_ok_and(|found| found.is_some())
}

fn prepared(connection: Connection) -> rusqlite::Result<Connection> {
    // Without this a database that is shorter than it says could not be read at all.
    connection.pragma_update(None, "writable_schema", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT 1 FROM sqlite_schema LIMIT 1", [], |_| Ok(())).optional().map(drop)
}

fn has_journal(path: &Path) -> bool {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-wal");
    Path::new(&journal).metadata().is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0)
}

/// The address of a database that nobody changes while it is read.
fn unchanging(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                address.push(char::from(*byte));
            }
            // Writing to memory cannot fail.
            byte => drop(write!(address, "%{byte:02X}")),
        }
    }
    address.push_str("?immutable=1");
    address
}
