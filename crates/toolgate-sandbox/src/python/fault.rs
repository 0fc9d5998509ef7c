//! Exceptions, both ways: what the host raises in a program, and the [`Failure`] of what a program did not catch.

use std::borrow::Cow;

use monty_types::{CodeLoc, ExcType, MontyException, StackFrame};

use crate::ending::{clipped, memory, stack};
use crate::outcome::{Failure, FailureKind};

/// The exception of a failed call. The interpreter has no exceptions of other names than its own, so `ToolCallError`
/// is another name of this one, which nothing else here raises; `scan` writes it.
pub(super) const TOOL_CALL_ERROR: ExcType = ExcType::OSError;

/// The exception of a failed call.
pub(super) fn call_failed(message: impl Into<String>) -> MontyException {
    MontyException::new(TOOL_CALL_ERROR, Some(message.into()))
}

/// The exception of something else that the host does not do.
pub(super) fn refused(kind: ExcType, message: impl Into<String>) -> MontyException {
    MontyException::new(kind, Some(message.into()))
}

/// The failure of a program that ended with an exception; `calls_failed` tells whether a call of its has failed.
pub(super) fn of(source: &str, exception: &MontyException, calls_failed: bool) -> Failure {
    let message = exception.message().unwrap_or_default();
    let kind = exception.exc_type();
    let failure = if kind == ExcType::MemoryError {
        memory()
    } else if kind == ExcType::RecursionError {
        stack()
    } else {
        let is_call = kind == TOOL_CALL_ERROR && calls_failed;
        let name = if is_call { "ToolCallError".to_owned() } else { kind.to_string() };
        let text = match (lacking(kind, message), message) {
            (Some(lacking), _) => format!("SyntaxError: this Python does not support {lacking}"),
            (None, "") => name,
            (None, message) => format!("{name}: {}", of_the_author(message)),
        };
        Failure::new(FailureKind::Exception, clipped(&text))
    };
    match exception.traceback().last() {
        Some(frame) => at(failure, source, frame),
        None => failure,
    }
}

/// What the parser says that it does not know.
fn lacking(kind: ExcType, message: &str) -> Option<&str> {
    let is_parser = kind == ExcType::NotImplementedError;
    message.strip_prefix("The monty syntax parser does not yet support ").filter(|_| is_parser)
}

/// A message that speaks of the author's program, not of what runs it.
fn of_the_author(message: &str) -> Cow<'_, str> {
    match message.strip_prefix("Internal error in monty: ") {
        Some(rest) => format!("the interpreter failed at this: {rest}").into(),
        None => message.into(),
    }
}

/// The failure at the place of a frame. What was put behind the author's source is its end.
fn at(failure: Failure, source: &str, frame: &StackFrame) -> Failure {
    let CodeLoc { line, column } = frame.start;
    // In `scan`, a carriage return alone has become the end of a line.
    let source = source.replace("\r\n", "\n");
    let lines = source.split(['\n', '\r']).count();
    if usize::try_from(line).is_ok_and(|line| line <= lines) {
        return failure.at(line, column);
    }
    let last = source.split(['\n', '\r']).next_back().unwrap_or_default();
    let end = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    failure.at(end(lines), end(last.chars().count()).saturating_add(1))
}
