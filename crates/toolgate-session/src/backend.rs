//! [`Backend`]: where sessions are kept. One trait; the same tests run on every implementation.

use std::ops::Range;
use std::path::PathBuf;

use crate::{Record, SessionId};

/// What an acknowledged record survives. Every back end promises the first at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, however it comes. After a loss of power the last records may be gone.
    Process,
    /// The loss of power as well: the system has written the record to its disk.
    #[default]
    Power,
}

/// Keeps sessions.
///
/// Reading never waits for a writer and changes nothing.
pub trait Backend: Send + Sync + 'static {
    /// Begins a session, for one writer.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where it exists already; [`StoreError::Io`].
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError>;

    /// Opens a session to append to it. What a crash left half written at its end is dropped first.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while another writer has it; [`StoreError::NotFound`]; [`StoreError::Damaged`] where the
    /// end cannot be found.
    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError>;

    /// Reads at most `most` entries from the place `from` on, in order. An empty answer means that there is no more.
    ///
    /// What was damaged is an [`Entry::Damaged`] in its place. A half-written record at the end is not there yet.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Io`].
    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError>;

    /// The bytes of a half-written record at the end of a session, which was never acknowledged: what the next writer
    /// will drop.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError>;

    /// The place of the last record that was ever acknowledged, as it is noted outside the records, so that a session
    /// whose end is gone can be told from one that is shorter.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError>;

    /// Every session, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    fn list(&self) -> Result<Vec<SessionId>, StoreError>;
}

/// The right to append to one session. Nobody else has it until this is dropped.
pub trait Journal: Send {
    /// The place of the last record; 0 for a session without one.
    fn last(&self) -> u64;

    /// Appends lines whose places follow on from [`last`](Self::last). When this returns they are as durable as the
    /// back end promises, all of them.
    ///
    /// # Errors
    /// [`StoreError`]. What was written of them is unknown then, and the journal must not be used again.
    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError>;
}

/// What stands at a place of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A record.
    Record(Box<Record>),
    /// Something that was a record.
    Damaged(Damage),
}

/// Records that are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first place that is lost.
    pub first: u64,
    /// The last place that is lost; none where nothing behind it tells. The place before [`first`](Self::first) where
    /// something stands between two records that is none, so that nothing is lost.
    pub last: Option<u64>,
    /// The bytes of the file that are damaged, where there is a file of lines.
    pub bytes: Option<Range<u64>>,
    /// What is wrong with them.
    pub reason: String,
}

impl Damage {
    /// Whether a record is lost. Else something was put between records, or written twice, and all of them can be read.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        self.last.is_none_or(|last| last >= self.first)
    }
}

/// A back end failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such session.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// There is one already.
    #[error("session {0} exists already")]
    Exists(SessionId),
    /// Another process, or another part of this one, writes the session.
    #[error(
        "session {0} is being written by somebody else\nhint: wait until they are done; `toolgate log follow` shows meanwhile \
         what they do"
    )]
    Busy(SessionId),
    /// The session is damaged where it matters.
    #[error("session {id} is damaged: {reason}")]
    Damaged {
        /// The session.
        id: SessionId,
        /// What is wrong.
        reason: String,
    },
    /// The system refused something.
    #[error("{action} {} failed", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The database refused something.
    #[error("the database {} failed", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// Why not.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// For `map_err`: an error of the system with what was tried.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// For `map_err`: an error of the database.
    pub(crate) fn database(path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.into();
        move |source| Self::Database { path, source }
    }
}
