//! [`Outcome`]: what is left of a run, however it ended.
//!
//! Made by the engines and by the worker pool; read by whoever started the run. It never holds internal frames or
//! paths of the host.

use std::fmt;

use toolgate_schema::JsonValue;

/// What is left of a run, however it ended.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What was printed, one entry per call of `console`, in order; the head that fits the output limit.
    pub logs: Vec<String>,
    /// How much was printed in truth.
    pub printed: Printed,
    /// What the program returned: absent for nothing, null for an explicit null, absent after a failure.
    pub result: Option<JsonValue>,
    /// Why the run failed.
    pub failure: Option<Failure>,
    /// The numbers of the host calls that nobody awaited, or that had no answer when the program ended, ascending.
    pub unawaited: Vec<u64>,
}

/// How much a program printed, whatever was kept of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Printed {
    /// Calls of `console`.
    pub lines: u64,
    /// Bytes of text, without line ends.
    pub bytes: u64,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which way.
    pub kind: FailureKind,
    /// One message for the author.
    pub message: String,
    /// The line of the author's source, counted from 1.
    pub line: Option<u32>,
    /// The column of that line in characters, counted from 1.
    pub column: Option<u32>,
}

impl Failure {
    /// A failure that has no place in the source.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None, column: None }
    }

    /// The same failure, at a place.
    pub(crate) fn at(self, line: u32, column: u32) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " (line {line}, column {column})"),
            (Some(line), None) => write!(f, " (line {line})"),
            (None, _) => Ok(()),
        }
    }
}

/// The ways in which a run can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The source is not a program, or the program threw, or rejected a promise that nobody handled.
    Exception,
    /// The wall time or the processor time is used up.
    Timeout,
    /// The program awaits what nothing can settle.
    Stalled,
    /// The caller cancelled the run.
    Abort,
    /// The program returned what is not JSON.
    InvalidOutput,
    /// The program printed and returned more than it may.
    OutputLimit,
    /// The program used more memory than it may.
    Memory,
    /// The program crossed another limit: source, nesting, stack, calls.
    Limit,
    /// The place where the program ran is gone.
    Crash,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Exception,
        Self::Timeout,
        Self::Stalled,
        Self::Abort,
        Self::InvalidOutput,
        Self::OutputLimit,
        Self::Memory,
        Self::Limit,
        Self::Crash,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exception => "exception",
            Self::Timeout => "timeout",
            Self::Stalled => "stalled",
            Self::Abort => "abort",
            Self::InvalidOutput => "invalid-output",
            Self::OutputLimit => "output-limit",
            Self::Memory => "memory",
            Self::Limit => "limit",
            Self::Crash => "crash",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
