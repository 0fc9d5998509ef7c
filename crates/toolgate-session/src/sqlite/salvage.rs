//! Reading rows of a database that may be damaged.
//!
//! A damaged page makes SQLite give up on a query that comes upon it, and says nothing about the pages behind. So the
//! next row that can be read is looked for by its place, in growing steps, and reading goes on there.

use rusqlite::{Connection, Error, ErrorCode, OptionalExtension as _, params};

use super::reader::{FOREIGN, is_foreign};
use crate::record::LAST_PLACE;
use crate::{Damage, Entry, Record};

/// Places further apart than this are not looked for one by one.
const FARTHEST: u64 = 1 << 40;

/// At most `most` entries from the place `from` on.
pub(super) fn read(connection: &Connection, from: u64, most: usize) -> rusqlite::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    if from > LAST_PLACE {
        return Ok(entries);
    }
    let mut next = from.max(1);
    if is_foreign(connection) {
        let reason = FOREIGN.to_owned();
        return Ok(vec![Entry::Damaged(Damage { first: next, last: None, bytes: None, reason })]);
    }
    while entries.len() < most {
        let left = most - entries.len();
        match rows(connection, next, left, &mut entries) {
            Ok(read) => {
                next = read.next;
                if read.is_end {
                    break;
                }
            }
            Err((place, error)) if is_damage(&error) => {
                let found = next_readable(connection, place)?;
                entries.push(Entry::Damaged(Damage {
                    first: place,
                    last: found.map(|seq| seq - 1),
                    bytes: None,
                    reason: error.to_string(),
                }));
                match found {
                    Some(seq) => next = seq,
                    None => break,
                }
            }
            Err((_, error)) => return Err(error),
        }
    }
    Ok(entries)
}

struct Read {
    next: u64,
    is_end: bool,
}

/// Reads rows until there are no more, enough, or one cannot be read; the error comes with the place to go on from.
fn rows(
    connection: &Connection,
    from: u64,
    most: usize,
    entries: &mut Vec<Entry>,
) -> Result<Read, (u64, Error)> {
    let mut next = from;
    let query = "SELECT seq, line FROM record WHERE seq >= ?1 ORDER BY seq";
    let mut statement = connection.prepare_cached(query).map_err(|error| (next, error))?;
    let mut rows = statement.query(params![from]).map_err(|error| (next, error))?;
    for _ in 0..most {
        let Some(row) = rows.next().map_err(|error| (next, error))? else {
            return Ok(Read { next, is_end: true });
        };
        let seq: u64 = row.get(0).map_err(|error| (next, error))?;
        if seq < next {
            // Damage can make SQLite come by the same rows twice.
            return Err((next, out_of_order()));
        }
        if seq > next {
            entries.push(damaged(next, seq - 1, "the records are missing".to_owned()));
        }
        let line = row.get_ref(1).and_then(|line| Ok(line.as_blob()?)).map_err(|error| (seq, error))?;
        entries.push(match Record::from_line(line) {
            Ok(record) if record.seq == seq => Entry::Record(Box::new(record)),
            Ok(_) => damaged(seq, seq, "the record is out of its order".to_owned()),
            Err(error) => damaged(seq, seq, error.to_string()),
        });
        next = seq + 1;
    }
    Ok(Read { next, is_end: false })
}

fn out_of_order() -> Error {
    Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
        Some("rows are out of order".to_owned()),
    )
}

fn damaged(first: u64, last: u64, reason: String) -> Entry {
    Entry::Damaged(Damage { first, last: Some(last), bytes: None, reason })
}

/// The first place behind `place` that can be read, as far as growing steps and halving find it.
fn next_readable(connection: &Connection, place: u64) -> rusqlite::Result<Option<u64>> {
    let mut step = 1;
    let mut unreadable = place;
    while step < FARTHEST {
        let probe = place + step;
        if is_readable(connection, probe)? {
            let (mut low, mut high) = (unreadable, probe);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if is_readable(connection, middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            return Ok(Some(high));
        }
        unreadable = probe;
        step *= 2;
    }
    Ok(None)
}

/// Whether there is a row at the place, and it can be read.
fn is_readable(connection: &Connection, seq: u64) -> rusqlite::Result<bool> {
    let query = "SELECT length(line) FROM record WHERE seq = ?1";
    let found = connection
        .prepare_cached(query)
        .and_then(|mut statement| statement.query_row(params![seq], |row| row.get::<_, i64>(0)).optional());
    match found {
        Ok(found) => Ok(found.is_some()),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the database is not what it was when it was written. Damage to its schema makes the table unknown, and damage
/// to a row's header turns its columns into others, or into larger ones than there are.
fn is_damage(error: &Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => matches!(
            code,
            ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::TooBig
                | ErrorCode::SystemIoFailure
                | ErrorCode::Unknown
        ),
        None => matches!(
            error,
            Error::FromSqlConversionFailure(..)
                // The table has other columns.
                | Error::SqlInputError { .. }
                | Error::InvalidColumnType(..)
                | Error::IntegralValueOutOfRange(..)
        ),
    }
}
