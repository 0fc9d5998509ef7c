//! [`Ender`]: how a command that runs is told to end, from any thread and without waiting.

use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::net::{SendFlags, send};

use super::wire::END;

/// Why a command was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its call was cancelled or dropped.
    Cancelled,
    /// Its time was over.
    TooLate,
    /// It was a job, and somebody killed it.
    Killed,
    /// Its session is closed.
    Closed,
}

/// The way to tell a command to end. The first reason counts. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Ender(Arc<Line>);

#[derive(Debug)]
struct Line {
    socket: UnixStream,
    said: Mutex<Said>,
}

#[derive(Debug, Default)]
struct Said {
    /// The supervisor has its order, so that the next byte is a word of its own.
    is_ordered: bool,
    why: Option<Why>,
}

impl Ender {
    pub(super) fn new(socket: UnixStream) -> Self {
        Self(Arc::new(Line { socket, said: Mutex::default() }))
    }

    /// Tells the supervisor to end the command, now or as soon as it has its order.
    pub(crate) fn end(&self, why: Why) {
        let mut said = self.said();
        if said.why.is_none() {
            said.why = Some(why);
            if said.is_ordered {
                self.say();
            }
        }
    }

    /// Why the command was told to end, if it was.
    pub(crate) fn why(&self) -> Option<Why> {
        self.said().why
    }

    /// The order has been sent.
    pub(super) fn is_ordered(&self) {
        let mut said = self.said();
        said.is_ordered = true;
        if said.why.is_some() {
            self.say();
        }
    }

    pub(super) fn socket(&self) -> &UnixStream {
        &self.0.socket
    }

    /// One byte, which always has room. Where the supervisor is gone, there is nobody to tell.
    fn say(&self) {
        let _ = send(&self.0.socket, &[END], SendFlags::NOSIGNAL);
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.0.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
