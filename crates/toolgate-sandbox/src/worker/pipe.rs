//! [`PipeLink`]: how a worker reaches its host, over its standard input and output.
//!
//! One thread does everything: it waits with `poll`, so that nothing in a worker needs a second thread. The standard
//! input does not block.

use std::cell::RefCell;
use std::hint::spin_loop;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::stdio::{stdin, stdout};
use toolgate_schema::{JsonValue, ParseLimits};

use crate::link::{Link, Wake};
use crate::outcome::Outcome;
use crate::program::HostReply;

use super::frame::{self, Frames, FromWorker, ToWorker};
use super::patience::Patience;

/// A host's frames have no bound here: the worker trusts its host and has a memory limit.
const MOST: usize = u32::MAX as usize;

/// How much waits to be written before it is, and how long while the program computes.
const BATCH: usize = 16 << 10;
const HELD: Duration = Duration::from_micros(100);

/// The most that is read at one time.
const PIECE: usize = 32 << 10;

/// The link of a worker.
pub(super) struct PipeLink {
    frames: Frames,
    out: RefCell<Vec<u8>>,
    /// Since when something waits to be written.
    held: Instant,
    /// What one read may bring.
    buffer: Vec<u8>,
    patience: Patience,
}

impl PipeLink {
    /// The link, once in a process and before that has given up its powers.
    pub(super) fn open() -> Result<Self, Errno> {
        ioctl_fionbio(stdin(), true)?;
        let (frames, patience) = (Frames::default(), Patience::default());
        let (out, held) = (RefCell::default(), Instant::now());
        Ok(Self { frames, out, held, buffer: vec![0; PIECE], patience })
    }

    /// The next thing that the host says, at most until then.
    pub(super) fn hear(&mut self, until: Option<Instant>) -> Heard {
        loop {
            match self.frames.next(MOST, ParseLimits::unbounded()) {
                Ok(Some((head, payload))) => {
                    self.patience.is_rewarded();
                    return Heard::Frame(head, payload);
                }
                Ok(None) => {}
                Err(_) => return Heard::End,
            }
            match read(stdin(), self.buffer.as_mut_slice()) {
                Ok(0) => return Heard::End,
                Ok(length) => self.frames.push(self.buffer.get(..length).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                    if left != Some(Duration::ZERO) && self.patience.looks_again() {
                        spin_loop();
                        continue;
                    }
                    let left = left.and_then(|left| Timespec::try_from(left).ok());
                    match poll(&mut [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)], left.as_ref()) {
                        Ok(0) => return Heard::Nothing,
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(_) => return Heard::End,
                    }
                }
                Err(_) => return Heard::End,
            }
        }
    }

    fn write_out(&self) {
        let mut out = self.out.borrow_mut();
        write_all(&out);
        out.clear();
    }
}

/// Says something at once that does not belong to a program.
pub(super) fn say(head: &FromWorker, payload: Option<&JsonValue>) {
    let mut out = Vec::new();
    frame::write(&mut out, head, payload);
    write_all(&out);
}

fn write_all(mut rest: &[u8]) {
    while !rest.is_empty() {
        match write(stdout(), rest) {
            Ok(length) => rest = rest.get(length..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // The host is gone, and so will this process be.
            Err(_) => return,
        }
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
        if out.is_empty() {
            self.held = Instant::now();
        }
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
        frame::write(self.out.get_mut(), &FromWorker::Log { line: line.to_owned() }, None);
        self.write_out();
    }

    /// Ends the process: taking the engine apart would take as long as hundreds of calls.
    fn ended(&mut self, outcome: &Outcome) {
        self.write_out();
        say(&FromWorker::done(outcome), outcome.result.as_ref());
        std::process::exit(0)
    }

    /// The host does not ask, it kills. What has waited to be written goes out here, so that the host has calls while the
    /// program computes, and gets many with one write.
    fn is_cancelled(&self) -> bool {
        if !self.out.borrow().is_empty() && self.held.elapsed() >= HELD {
            self.write_out();
        }
        false
    }
}
