//! What the model reads of a run: the value's content, and the failure's text (rule C8).
//!
//! Pure text, made once per run. The value is `{ logs, result? }`, and where a program ended before its calls did also
//! `unawaited`, a list of lines.

use std::fmt::Write as _;

use toolgate::result::code;
use toolgate::text::shortened;
use toolgate::{ContentBlock, JsonValue, ToolError, indented_text};
use toolgate_sandbox::{Failure, Outcome};

use crate::bridge::{Fate, SubCall};

/// How many characters of captured output a failure carries.
const OUTPUT_SHOWN: usize = 4_000;

/// How many sub-calls that nobody awaited are listed.
const LISTED: usize = 50;

/// The canonical value of a run that succeeded.
pub(crate) fn value(outcome: &Outcome, unawaited: &[String]) -> JsonValue {
    let texts = |lines: &[String]| JsonValue::array(lines.iter().map(|line| JsonValue::from(line.as_str())));
    let mut members = vec![("logs".to_owned(), texts(&outcome.logs))];
    if let Some(result) = &outcome.result {
        members.push(("result".to_owned(), result.clone()));
    }
    if !unawaited.is_empty() {
        members.push(("unawaited".to_owned(), texts(unawaited)));
    }
    JsonValue::object(members)
}

/// What the model reads of that value: what was printed, then what was returned, then the calls that nobody awaited.
pub(crate) fn content(value: &JsonValue) -> Vec<ContentBlock> {
    let lines = |name: &str| {
        let list = value.get(name).and_then(|list| list.as_array()).into_iter().flatten();
        list.filter_map(|line| line.as_str()).collect::<Vec<_>>()
    };
    let mut text = lines("logs").join("\n");
    if let Some(result) = value.get("result") {
        if !lines("logs").is_empty() {
            text.push('\n');
        }
        match result.as_str() {
            Some(result) => text.push_str(result),
            None => text.push_str(&indented_text(result)),
        }
    } else if lines("logs").is_empty() {
        text.push_str("(the program printed and returned nothing)");
    }
    let mut content = vec![ContentBlock::text(text)];
    let unawaited = lines("unawaited");
    if !unawaited.is_empty() {
        content.push(ContentBlock::text(format!(
            "The program ended without awaiting these calls:\n{}",
            unawaited.join("\n")
        )));
    }
    content
}

/// One line for each sub-call and its end, and for those beyond the limit their number.
pub(crate) fn sub_call_lines<'a>(calls: impl Iterator<Item = &'a SubCall>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut more = 0_usize;
    for call in calls {
        if lines.len() >= LISTED {
            more = more.saturating_add(1);
            continue;
        }
        let SubCall { id, tool, fate } = call;
        lines.push(match fate {
            Fate::NeverStarted => format!("{id} {tool}: never started"),
            Fate::Succeeded => format!("{id} {tool}: succeeded"),
            Fate::Failed(message) => format!("{id} {tool}: failed: {}", shortened(message, 200)),
        });
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The failure of a run: its kind, what happened where, and what had been printed until then.
pub(crate) fn failure(failure: &Failure, outcome: &Outcome, completed: &[String]) -> ToolError {
    let mut text = format!("the program failed ({}): {failure}", failure.kind);
    if !completed.is_empty() {
        let _ = write!(text, "\n\ncalls until then:\n{}", completed.join("\n"));
    }
    if !outcome.logs.is_empty() {
        let _ =
            write!(text, "\n\nprinted until then:\n{}", shortened(&outcome.logs.join("\n"), OUTPUT_SHOWN));
        let kept = u64::try_from(outcome.logs.len()).unwrap_or(u64::MAX);
        if let Some(more) = outcome.printed.lines.checked_sub(kept).filter(|more| *more > 0) {
            let _ = write!(text, "\n(+{more} lines, {} bytes in all)", outcome.printed.bytes);
        }
    }
    ToolError::coded(code::CODE_RUN_FAILED_ERROR, code::CODE_RUN_FAILED, text)
}
