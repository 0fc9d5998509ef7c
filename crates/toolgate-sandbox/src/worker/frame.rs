//! The protocol between a host and its worker: frames of a length, a head, and a JSON text.
//!
//! A frame is four bytes of length (little endian) and so many bytes: the head as JSON on one line, a line end, and
//! the payload as JSON text, which may be empty. The payload is read by the parser of `toolgate-schema`, and only
//! after the length was found within bounds.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate_schema::{JsonValue, ParseLimits};

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind, Outcome, Printed};

/// What a host says; the payload of a good answer is its value.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker {
    Run { python: bool, source: String, names: Vec<String>, limits: WireLimits },
    Value { number: u64 },
    Error { number: u64, message: String },
}

/// What a worker says; the payload of a call is its arguments, that of the end is the result.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker {
    /// The worker has given up its powers.
    Ready,
    Log {
        line: String,
    },
    Call {
        number: u64,
        name: String,
    },
    Done {
        lines: u64,
        bytes: u64,
        failure: Option<WireFailure>,
        unawaited: Vec<u64>,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WireLimits {
    wall: Duration,
    cpu: Duration,
    memory: usize,
    stack: usize,
    source: usize,
    output: usize,
    calls: usize,
    in_flight: usize,
}

impl From<&Limits> for WireLimits {
    fn from(limits: &Limits) -> Self {
        let Limits { wall, cpu, memory, stack, source, output, calls, in_flight } = limits.clone();
        Self { wall, cpu, memory, stack, source, output, calls, in_flight }
    }
}

impl From<WireLimits> for Limits {
    fn from(limits: WireLimits) -> Self {
        let WireLimits { wall, cpu, memory, stack, source, output, calls, in_flight } = limits;
        Self { wall, cpu, memory, stack, source, output, calls, in_flight }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireFailure {
    kind: String,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl From<&Failure> for WireFailure {
    fn from(failure: &Failure) -> Self {
        let Failure { kind, message, line, column } = failure;
        Self { kind: kind.as_str().to_owned(), message: message.clone(), line: *line, column: *column }
    }
}

impl WireFailure {
    /// The failure, unless its kind is not a kind.
    pub(super) fn read(self) -> Option<Failure> {
        let kind = FailureKind::ALL.into_iter().find(|kind| kind.as_str() == self.kind)?;
        Some(Failure { kind, message: self.message, line: self.line, column: self.column })
    }
}

impl FromWorker {
    /// What is left of a run, but for its result, which is the payload, and its logs, which the host has.
    pub(super) fn done(outcome: &Outcome) -> Self {
        let Printed { lines, bytes } = outcome.printed;
        let failure = outcome.failure.as_ref().map(WireFailure::from);
        Self::Done { lines, bytes, failure, unawaited: outcome.unawaited.clone() }
    }
}

/// Appends a frame.
pub(super) fn write<T: Serialize>(out: &mut Vec<u8>, head: &T, payload: Option<&JsonValue>) {
    let start = out.len();
    out.extend([0; 4]);
    // The heads are plain data: writing them as JSON cannot fail. An empty head is refused by the reader.
    let _ = serde_json::to_writer(&mut *out, head);
    out.push(b'\n');
    if let Some(payload) = payload {
        out.extend(payload.to_text().into_bytes());
    }
    let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

/// What is wrong with a stream of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Garbage;

/// Takes frames off a stream that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct Frames {
    buffer: Vec<u8>,
    read: usize,
}

impl Frames {
    /// Takes over what arrived.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.read > 0 && self.read == self.buffer.len() {
            self.buffer.clear();
            self.read = 0;
        }
        if self.read > 1 << 16 {
            self.buffer.drain(..self.read);
            self.read = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame of at most so many bytes: its head and its payload.
    pub(super) fn next<T: for<'de> Deserialize<'de>>(
        &mut self,
        most: usize,
        depth: ParseLimits,
    ) -> Result<Option<(T, Option<JsonValue>)>, Garbage> {
        let rest = self.buffer.get(self.read..).unwrap_or_default();
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > most {
            return Err(Garbage);
        }
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        let end = frame.iter().position(|byte| *byte == b'\n').ok_or(Garbage)?;
        let (head, payload) = frame.split_at(end);
        let head = serde_json::from_slice(head).map_err(|_| Garbage)?;
        let payload = match payload.get(1..).unwrap_or_default() {
            [] => None,
            text => Some(JsonValue::parse_slice(text, depth).map_err(|_| Garbage)?),
        };
        self.read += 4 + length;
        Ok(Some((head, payload)))
    }
}
