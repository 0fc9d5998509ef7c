//! What a screen is told while a turn runs: pieces of the model's answer, and events once they are in the log.

use std::sync::Arc;

use tokio::sync::broadcast;
use toolgate_session::Event;

/// How far a watcher may fall behind before it misses something. What it misses of events is in the log.
pub(crate) const WATCHED: usize = 1_024;

pub(crate) type LiveSender = broadcast::Sender<Live>;

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Live {
    /// A piece of an answer that is not whole yet. Nothing of it is in the log, and all of it may be given up.
    Delta(Delta),
    /// An event is in the log.
    Event {
        /// Its place there.
        seq: u64,
        /// What happened.
        event: Arc<Event>,
    },
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// Text that the model says.
    Text(String),
    /// A fragment of a call.
    Call {
        /// Which call of this answer, from 0.
        place: usize,
        /// The tool, as far as it is known.
        name: String,
        /// More of the text of its arguments.
        arguments: String,
    },
}
