//! Finding damage: what of a session is lost, and what is not.

use std::ops::Range;

use crate::{Backend, Damage, Entries, Entry, SessionId, StoreError};

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
    let mut entries = Entries::new(backend, id, 1);
    for entry in entries.by_ref() {
        match entry? {
            Entry::Record(_) => found.intact += 1,
            Entry::Damaged(damage) => found.damage.push(damage),
        }
    }
    let next = entries.place();
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
