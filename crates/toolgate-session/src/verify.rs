//! Finding damage: what of a session is lost, and what is not.

use std::ops::Range;

use crate::{Backend, Damage, Entry, SessionId, StoreError};

/// How many entries are read at a time.
const PAGE: usize = 512;

/// What is known of the health of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Records that are as they were written.
    pub intact: u64,
    /// What is lost, in order.
    pub damage: Vec<Damage>,
    /// A half-written record at the end, which nobody was told of; the next writer drops it.
    pub torn_tail: Option<Range<u64>>,
}

impl Verification {
    /// Whether nothing is lost.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty()
    }
}

/// Reads every record of a session and checks it. Changes nothing.
///
/// # Errors
/// [`StoreError`] where the session cannot be read at all.
pub fn verify(backend: &dyn Backend, id: SessionId) -> Result<Verification, StoreError> {
    // Read first: a writer may go on while this reads.
    let acknowledged = backend.acknowledged(id)?;
    let mut found = Verification { torn_tail: backend.torn_tail(id)?, ..Verification::default() };
    let mut next = 1;
    'pages: loop {
        let page = backend.read(id, next, PAGE)?;
        if page.is_empty() {
            break;
        }
        for entry in page {
            match entry {
                Entry::Record(record) => {
                    found.intact += 1;
                    next = record.seq + 1;
                }
                Entry::Damaged(damage) => {
                    let last = damage.last;
                    found.damage.push(damage);
                    match last {
                        Some(last) => next = last + 1,
                        None => break 'pages,
                    }
                }
            }
        }
    }
    match found.damage.last_mut() {
        // Nothing behind it tells how far it goes, but what was acknowledged does.
        Some(damage) if damage.last.is_none() && damage.first <= acknowledged => {
            damage.last = Some(acknowledged)
        }
        Some(_) | None if next <= acknowledged => found.damage.push(Damage {
            first: next,
            last: Some(acknowledged),
            bytes: None,
            reason: "the records were acknowledged and are missing at the end".to_owned(),
        }),
        Some(_) | None => {}
    }
    Ok(found)
}
