//! How a run ends: from what a program came to, and what stopped it, to its [`Outcome`].
//!
//! Used by the engines, which have their own ways to find out what happened, and the same words for it.

use toolgate_schema::JsonValue;

use crate::outcome::{Failure, FailureKind, Outcome};
use crate::output::Output;

/// The result of a program, or why there is none.
pub(crate) type Done = Result<Option<JsonValue>, Failure>;

/// Characters of a message that are kept.
pub(crate) const MOST_CHARACTERS: usize = 2_000;

/// What is left of a run. What ended it from outside counts more than what the program made of that, and printing more
/// than it may counts more than running out of time over it.
pub(crate) fn outcome(
    done: Done,
    stopped: Option<Failure>,
    output: &mut Output,
    unawaited: Vec<u64>,
) -> Outcome {
    let done = match (stopped, done) {
        (Some(stopped), _) => Err(stopped),
        (None, done) => done,
    };
    let overflown = output.is_overflown();
    let done = match done {
        Err(failure) if !(overflown && failure.kind == FailureKind::Timeout) => Err(failure),
        Ok(result) if !overflown => Ok(result),
        Ok(_) | Err(_) => Err(Failure::new(FailureKind::OutputLimit, output.flood())),
    };
    let (result, failure) = match done {
        Ok(result) => (result, None),
        Err(failure) => (None, Some(failure)),
    };
    Outcome { logs: output.take_logs(), printed: output.printed(), result, failure, unawaited }
}

/// The result whose text a program returned.
pub(crate) fn returned(text: &str) -> Done {
    let not_json = |error| {
        let message = format!("the program returned what is not JSON: {error}");
        Failure::new(FailureKind::InvalidOutput, message)
    };
    JsonValue::parse(text).map(Some).map_err(not_json)
}

/// The failure of a program whose heap is full.
pub(crate) fn memory() -> Failure {
    Failure::new(FailureKind::Memory, "the program used up its memory")
}

/// The failure of a program whose functions have called each other too deep.
pub(crate) fn stack() -> Failure {
    Failure::new(FailureKind::Limit, "the program used up its stack: it recurses too deep")
}

/// The failure of a run whose limits say that it must end, and not why.
pub(crate) fn unknown() -> Failure {
    Failure::new(FailureKind::Crash, "the run ended without a reason")
}

/// The beginning of a text that a program wrote.
pub(crate) fn clipped(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
