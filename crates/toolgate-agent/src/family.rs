//! The sessions of sub-agents that a crash left open together with their parent's.
//!
//! Called when a session is resumed, before its own turn is closed: then nobody would know which they were.

use toolgate_session::{Backend, Clock as _, Journal, Record, SessionId, StoreError, SystemClock, recover};

/// Closes what the last turn of a session left open below it, the deepest first.
///
/// A session that was never made, that somebody else writes, or that cannot be used stays as it is: it does not keep its
/// parent from going on, and is closed when it is resumed itself.
///
/// # Errors
/// [`StoreError`] where the session itself cannot be read.
pub(crate) fn close_subagents(backend: &dyn Backend, id: SessionId, last: u64) -> Result<(), StoreError> {
    let mut sessions = recover::open_subagents(backend, id, last)?;
    let mut journals = Vec::new();
    let mut place = 0;
    while let Some(session) = sessions.get(place).copied() {
        place += 1;
        let opened = backend.open(session).and_then(|journal| {
            let below = recover::open_subagents(backend, session, journal.last())?;
            Ok((journal, below))
        });
        match opened {
            Ok((journal, below)) => {
                sessions.extend(below);
                journals.push((session, journal));
            }
            Err(error) => {
                tracing::debug!(target: "toolgate", "a sub-agent's session stays as it is: {error}")
            }
        }
    }
    for (session, journal) in journals.into_iter().rev() {
        if let Err(error) = close(backend, session, journal) {
            tracing::warn!(target: "toolgate", "a sub-agent's session cannot be closed: {error}");
        }
    }
    Ok(())
}

fn close(backend: &dyn Backend, id: SessionId, mut journal: Box<dyn Journal>) -> Result<(), StoreError> {
    let closing = recover::recover(backend, id, journal.last())?;
    if closing.is_empty() {
        return Ok(());
    }
    let time = SystemClock.now();
    let records = (journal.last() + 1..).zip(closing);
    let lines: Vec<Vec<u8>> =
        records.map(|(seq, event)| Record { seq, time: time.clone(), event }.to_line()).collect();
    journal.append(&lines)
}
