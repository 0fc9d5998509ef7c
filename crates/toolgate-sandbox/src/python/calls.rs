//! [`Calls`]: the calls of one run and its sleeps, who waits for them, and what nobody awaited.
//!
//! An answer is kept until somebody awaits it: so a call that nobody awaits is known, whatever else the program does.

use std::collections::BTreeMap;
use std::time::Instant;

use monty::ResolveFutures;
use monty_types::{ExtFunctionResult, MontyObject};

use crate::program::HostReply;

use super::awaited;
use super::decode::decode;
use super::fault;

/// Sleeps that may wait at one time.
pub(super) const MOST_SLEEPS: usize = 10_000;

/// What the program may wait for.
enum Work {
    Call {
        number: u64,
        tool: String,
        /// What its arguments take.
        bytes: usize,
        answer: Option<HostReply>,
    },
    Sleep {
        due: Instant,
        value: MontyObject,
    },
}

struct Pending {
    work: Work,
    is_awaited: bool,
}

/// The calls of one run, by the interpreter's own numbers.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) made: u64,
    pending: BTreeMap<u32, Pending>,
    /// The interpreter's number of each call that has no answer.
    open: BTreeMap<u64, u32>,
    /// Bytes of the arguments of calls without an answer.
    bytes: usize,
    sleeps: usize,
    /// Whether a call has failed.
    pub(super) has_failed: bool,
}

/// What comes next for a program that waits.
pub(super) enum Next {
    /// These have come to an end.
    Ready(Vec<(u32, ExtFunctionResult)>),
    /// Nothing before this moment, unless an answer comes.
    Wait(Option<Instant>),
    /// Nothing, ever.
    Stalled,
}

impl Calls {
    /// Calls without an answer.
    pub(super) fn in_flight(&self) -> usize {
        self.open.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn sleeps(&self) -> usize {
        self.sleeps
    }

    /// Remembers a call; gives its number.
    pub(super) fn submit(&mut self, id: u32, tool: String, bytes: usize) -> u64 {
        self.made += 1;
        self.bytes += bytes;
        let number = self.made;
        self.open.insert(number, id);
        let work = Work::Call { number, tool, bytes, answer: None };
        self.pending.insert(id, Pending { work, is_awaited: false });
        number
    }

    pub(super) fn sleep(&mut self, id: u32, due: Instant, value: MontyObject) {
        self.sleeps += 1;
        self.pending.insert(id, Pending { work: Work::Sleep { due, value }, is_awaited: false });
    }

    /// Takes the answer of a call.
    pub(super) fn answer(&mut self, number: u64, reply: HostReply) {
        let Some(id) = self.open.remove(&number) else { return };
        if let Some(Pending { work: Work::Call { bytes, answer, .. }, .. }) = self.pending.get_mut(&id) {
            self.bytes = self.bytes.saturating_sub(*bytes);
            *answer = Some(reply);
        }
    }

    /// Finds out what a program that waits is waiting for.
    pub(super) fn look(&mut self, waiting: &ResolveFutures) {
        let mut unknown = self.pending.values_mut().filter(|pending| !pending.is_awaited);
        match (unknown.next(), unknown.next()) {
            (None, _) => {}
            // The program waits, and for nothing else.
            (Some(only), None) if waiting.pending_call_ids().len() == 1 => only.is_awaited = true,
            (Some(_), _) => {
                for id in awaited::calls(waiting) {
                    if let Some(pending) = self.pending.get_mut(&id) {
                        pending.is_awaited = true;
                    }
                }
            }
        }
    }

    /// What is awaited and has come to its end, in the order of submission.
    pub(super) fn next(&mut self, now: Instant) -> Next {
        let awaited = || self.pending.iter().filter(|(_, pending)| pending.is_awaited);
        let ready: Vec<u32> =
            awaited().filter(|(_, pending)| pending.work.is_done(now)).map(|(id, _)| *id).collect();
        if ready.is_empty() {
            let due = awaited().filter_map(|(_, pending)| pending.work.due()).min();
            return if awaited().next().is_some() { Next::Wait(due) } else { Next::Stalled };
        }
        let results = ready.into_iter().filter_map(|id| Some((id, self.settle(id)?))).collect();
        Next::Ready(results)
    }

    fn settle(&mut self, id: u32) -> Option<ExtFunctionResult> {
        let result = match self.pending.remove(&id)?.work {
            Work::Call { tool, answer, .. } => match answer? {
                HostReply::Ok(value) => match decode(value.as_value()) {
                    Ok(value) => ExtFunctionResult::Return(value),
                    Err(too_deep) => {
                        let message = format!("the result of `{tool}` {too_deep}");
                        ExtFunctionResult::Error(fault::call_failed(message))
                    }
                },
                HostReply::Err(message) => {
                    self.has_failed = true;
                    ExtFunctionResult::Error(fault::call_failed(message))
                }
            },
            Work::Sleep { value, .. } => {
                self.sleeps -= 1;
                ExtFunctionResult::Return(value)
            }
        };
        Some(result)
    }

    /// The calls that nobody awaited or that have no answer.
    pub(super) fn unawaited(&self) -> Vec<u64> {
        let calls = self.pending.values().filter_map(|pending| match pending.work {
            Work::Call { number, .. } => Some(number),
            Work::Sleep { .. } => None,
        });
        let mut numbers: Vec<u64> = calls.collect();
        numbers.sort_unstable();
        numbers
    }
}

impl Work {
    fn is_done(&self, now: Instant) -> bool {
        match self {
            Self::Call { answer, .. } => answer.is_some(),
            Self::Sleep { due, .. } => *due <= now,
        }
    }

    fn due(&self) -> Option<Instant> {
        match self {
            Self::Call { .. } => None,
            Self::Sleep { due, .. } => Some(*due),
        }
    }
}
