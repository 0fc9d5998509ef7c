//! A record on one line, for people who look through a log.

use std::io::{self, Write as _};

use toolgate::text::{Line, shortened};
use toolgate::{CallId, ContentBlock};
use toolgate_session::{Event, Record, SessionId};

use crate::output::Page;

/// How much of what a record says is shown.
const DETAIL_CHARACTERS: usize = 100;

/// Writes place, time, type and what else fits on a line.
///
/// # Errors
/// The page cannot be written.
pub(crate) fn line(page: &mut Page, id: SessionId, record: &Record) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint) = (styles.title, styles.faint);
    let Record { seq, time, event } = record;
    let kind = event.kind();
    let detail = shortened(&detail(id, event), DETAIL_CHARACTERS);
    writeln!(
        page,
        "{faint}{seq:>6}  {}{faint:#}  {title}{kind:<24}{title:#}  {}",
        Line(time),
        Line(detail.trim_end())
    )
}

/// What a record says besides its type. Calls are named by their number in the session.
fn detail(id: SessionId, event: &Event) -> String {
    let short = |call: &CallId| {
        let text = call.as_str();
        let number = text.strip_prefix(&id.to_string()).and_then(|rest| rest.strip_prefix('-'));
        format!("#{}", number.unwrap_or(text))
    };
    match event {
        Event::TurnStart(start) => {
            let model = start.model.as_deref().unwrap_or("no model");
            let parent = start.parent.as_ref().map(|parent| format!(", for {parent}"));
            format!("turn {}, {model}{}", start.turn, parent.unwrap_or_default())
        }
        Event::UserMessage(message) => {
            let source = message.source.as_ref().map(|source| format!("{source}: "));
            format!("{}{}", source.unwrap_or_default(), text_of(&message.content))
        }
        Event::AssistantMessage(message) => {
            let calls: Vec<_> = message.calls.iter().map(|call| short(&call.call_id)).collect();
            let text = text_of(&message.content);
            match (calls.is_empty(), text.is_empty()) {
                (true, _) => text,
                (false, true) => format!("asks for {}", calls.join(" ")),
                (false, false) => format!("asks for {}: {text}", calls.join(" ")),
            }
        }
        Event::ToolCall(call) => {
            let normalized = match call.normalized.as_slice() {
                [] => String::new(),
                all => format!(" ({})", all.join(", ")),
            };
            format!("{} {}{normalized} {}", short(&call.call_id), call.name, call.arguments.to_text())
        }
        Event::BodyStarted(body) => format!("{}{}", short(&body.call_id), attempt(body.attempt)),
        Event::BodyEnded(body) => {
            let failed = if body.is_error { " failed" } else { "" };
            format!("{}{}{failed}", short(&body.call_id), attempt(body.attempt))
        }
        Event::SubagentStarted(started) => format!("{} session {}", short(&started.call_id), started.session),
        Event::ToolResult(result) => match &result.error {
            None => format!("{} ok: {}", short(&result.call_id), text_of(&result.content)),
            Some(error) => {
                let code = error.code.as_deref().unwrap_or(&error.cause);
                format!("{} {code}: {}", short(&result.call_id), error.message)
            }
        },
        Event::CodeDispatchStart(call) => {
            format!("{} {} {}", short(&call.call_id), call.name, call.arguments.to_text())
        }
        Event::CodeDispatch(call) => {
            let outcome = if call.is_error { "failed" } else { "ok" };
            format!("{} {outcome}: {}", short(&call.call_id), text_of(&call.content))
        }
        Event::ApprovalAsked(asked) => {
            let reason = asked.reason.as_deref().unwrap_or_default();
            format!("{} {} {reason}", short(&asked.call_id), asked.name)
        }
        Event::ApprovalDecided(decided) => {
            let by = decided.by.as_ref().map(|by| format!(", by {by}"));
            format!("{} {}{}", short(&decided.call_id), decided.outcome, by.unwrap_or_default())
        }
        Event::TurnEnd(end) => {
            let reason = end.reason.as_ref().map(|reason| format!(": {reason}"));
            format!("turn {}, {}{}", end.turn, end.outcome.as_str(), reason.unwrap_or_default())
        }
    }
}

fn attempt(number: u64) -> String {
    if number > 1 { format!(", attempt {number}") } else { String::new() }
}

fn text_of(content: &[ContentBlock]) -> String {
    let texts = content.iter().map(|block| block.as_text().unwrap_or("[no text]"));
    texts.collect::<Vec<_>>().join(" ")
}
