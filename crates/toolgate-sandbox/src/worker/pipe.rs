//! [`PipeLink`]: how a worker reaches its host, over its standard input and output.
//!
//! One thread does everything: it waits with `poll`, so that nothing in a worker needs a second thread.

use std::cell::RefCell;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::stdio::{stdin, stdout};
use serde::Serialize;
use toolgate_schema::{JsonValue, ParseLimits};

use crate::link::{Link, Wake};
use crate::program::HostReply;

use super::frame::{self, Frames, FromWorker, ToWorker};

/// A host's frames have no bound here: the worker trusts its host and has a memory limit.
const MOST: usize = u32::MAX as usize;

/// How much waits to be written before it is.
const BATCH: usize = 16 << 10;

/// The most that is read at one time.
const PIECE: usize = 32 << 10;

/// The link of a worker.
#[derive(Default)]
pub(super) struct PipeLink {
    frames: Frames,
    out: RefCell<Vec<u8>>,
    /// What one read may bring; kept, because clearing it costs as much as a small call.
    buffer: Vec<u8>,
}

impl PipeLink {
    /// Says something, at once.
    pub(super) fn say<T: Serialize>(&mut self, head: &T, payload: Option<&JsonValue>) {
        frame::write(self.out.get_mut(), head, payload);
        self.write_out();
    }

    /// The next thing that the host says, at most until then.
    pub(super) fn hear(&mut self, until: Option<Instant>) -> Heard {
        loop {
            match self.frames.next(MOST, ParseLimits::unbounded()) {
                Ok(Some((head, payload))) => return Heard::Frame(head, payload),
                Ok(None) => {}
                Err(_) => return Heard::End,
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            let mut waiting = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
            match poll(&mut waiting, left.as_ref()) {
                Ok(0) => return Heard::Nothing,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return Heard::End,
            }
            self.buffer.resize(PIECE, 0);
            match read(stdin(), self.buffer.as_mut_slice()) {
                Ok(0) => return Heard::End,
                Ok(length) => self.frames.push(self.buffer.get(..length).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(_) => return Heard::End,
            }
        }
    }

    fn write_out(&self) {
        let mut out = self.out.borrow_mut();
        let mut rest = out.as_slice();
        while !rest.is_empty() {
            match write(stdout(), rest) {
                Ok(length) => rest = rest.get(length..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                // The host is gone, and so will this process be.
                Err(_) => break,
            }
        }
        out.clear();
    }
}

/// What was heard.
pub(super) enum Heard {
    Frame(ToWorker, Option<JsonValue>),
    /// The time has come.
    Nothing,
    /// The host is gone.
    End,
}

impl Link for PipeLink {
    fn submit(&mut self, number: u64, name: String, arguments: JsonValue) {
        let out = self.out.get_mut();
        frame::write(out, &FromWorker::Call { number, name }, Some(&arguments));
        if out.len() > BATCH {
            self.write_out();
        }
    }

    fn wait(&mut self, until: Instant) -> Wake {
        self.write_out();
        match self.hear(Some(until)) {
            Heard::Frame(ToWorker::Value { number }, Some(value)) => {
                Wake::Answer(number, HostReply::Ok(value))
            }
            Heard::Frame(ToWorker::Error { number, message }, _) => {
                Wake::Answer(number, HostReply::Err(message))
            }
            Heard::Frame(ToWorker::Value { .. } | ToWorker::Run { .. }, _) | Heard::End => Wake::Gone,
            Heard::Nothing => Wake::Time,
        }
    }

    fn flush(&mut self, _until: Instant) {
        self.write_out();
    }

    fn log(&mut self, line: &str) {
        self.say(&FromWorker::Log { line: line.to_owned() }, None);
    }

    /// The host does not ask, it kills. What waits to be written goes out between two jobs of the program.
    fn is_cancelled(&self) -> bool {
        if !self.out.borrow().is_empty() {
            self.write_out();
        }
        false
    }
}
