//! [`Story`]: the events of a session as session updates, the same while they happen and from the log.
//!
//! Used by `watch` for a turn under way, and by `session` for one that is loaded. The statuses of a call go forward only:
//! pending, in progress, completed or failed; what is settled is not told again. Pure: nothing is read or run.

use std::collections::HashMap;
use std::path::PathBuf;

use agent_client_protocol::v1::schema as acp;
use serde_json::{Value, json};
use toolgate::text::{Line, shortened};
use toolgate::{CallId, ContentBlock, JsonValue, Scope, ToolDefinition};
use toolgate_session::replay::{Settled, call_view, result_view};
use toolgate_session::{Event, RecordedError, TurnOutcome};

use crate::card::{self, Shown};
use crate::content::{to_block, to_value};

/// How many characters the title of a session has.
const TITLE: usize = 80;

/// Who hears the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Somebody who is there, and knows what they said themselves.
    Present,
    /// Somebody who reads it later.
    Later,
}

/// The story of one session.
#[derive(Debug)]
pub(crate) struct Story {
    scope: Scope,
    root: PathBuf,
    context_tokens: u64,
    audience: Audience,
    turn: u64,
    answers: u64,
    /// How many bytes of the present answer were told; none once a piece of it was missed.
    told: usize,
    is_broken: bool,
    calls: HashMap<CallId, Told>,
}

/// A call that is not settled.
#[derive(Debug)]
struct Told {
    title: String,
    arguments: JsonValue,
    definition: Option<ToolDefinition>,
    has_begun: bool,
}

impl Story {
    pub(crate) fn new(scope: Scope, root: PathBuf, context_tokens: u64, audience: Audience) -> Self {
        let calls = HashMap::new();
        Self { scope, root, context_tokens, audience, turn: 0, answers: 0, told: 0, is_broken: false, calls }
    }

    /// A piece of the answer that is under way.
    pub(crate) fn piece(&mut self, text: &str) -> Option<acp::SessionUpdate> {
        if self.is_broken || text.is_empty() {
            return None;
        }
        self.told += text.len();
        Some(self.said(text))
    }

    /// Pieces were missed: the rest of the answer is told once it is whole.
    pub(crate) fn missed_pieces(&mut self) {
        self.is_broken = true;
    }

    /// An event that is in the log.
    pub(crate) fn event(&mut self, event: &Event) -> Vec<acp::SessionUpdate> {
        match event {
            Event::TurnStart(start) => {
                self.turn = start.turn;
                self.answers = 0;
                self.begin_answer();
                self.calls.clear();
                Vec::new()
            }
            Event::UserMessage(message) if message.source.is_none() => self.heard(&message.content),
            Event::AssistantMessage(message) => {
                let text: String = message.content.iter().filter_map(ContentBlock::as_text).collect();
                let rest = text.get(self.told..).filter(|rest| !rest.is_empty());
                let mut updates: Vec<acp::SessionUpdate> =
                    rest.map(|rest| self.said(rest)).into_iter().collect();
                if let Some(usage) = message.usage {
                    let used = usage.input.saturating_add(usage.output);
                    let update = acp::UsageUpdate::new(used, self.context_tokens);
                    updates.push(acp::SessionUpdate::UsageUpdate(update));
                }
                self.answers += 1;
                self.begin_answer();
                updates
            }
            Event::ToolCall(call) => vec![self.called(&call.call_id, None, &call.name, &call.arguments)],
            Event::CodeDispatchStart(call) => {
                vec![self.called(&call.call_id, Some(&call.parent), &call.name, &call.arguments)]
            }
            Event::BodyStarted(started) => self.begun(&started.call_id).into_iter().collect(),
            Event::ToolResult(result) => {
                let error = result.error.as_ref();
                self.settled(&result.call_id, &Settled::of_result(result), &result.content, error)
            }
            Event::CodeDispatch(call) => {
                let error = call.is_error.then(|| RecordedError {
                    message: call
                        .content
                        .iter()
                        .find_map(ContentBlock::as_text)
                        .unwrap_or_default()
                        .to_owned(),
                    name: None,
                    code: None,
                    cause: String::new(),
                });
                let settled = Settled::of_sub_call(call.is_error, &call.content);
                self.settled(&call.call_id, &settled, &call.content, error.as_ref())
            }
            Event::TurnEnd(end) => match (end.outcome, &end.reason) {
                // A turn that stopped short says why; the other outcomes have a form of their own.
                (TurnOutcome::LimitReached, Some(reason)) => {
                    self.begin_answer();
                    vec![self.said(reason)]
                }
                (
                    TurnOutcome::Completed
                    | TurnOutcome::Interrupted
                    | TurnOutcome::LimitReached
                    | TurnOutcome::Failed
                    | TurnOutcome::Crashed,
                    _,
                ) => Vec::new(),
            },
            Event::UserMessage(_)
            | Event::SubagentStarted(_)
            | Event::BodyEnded(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_) => Vec::new(),
        }
    }

    fn begin_answer(&mut self) {
        self.told = 0;
        self.is_broken = false;
    }

    /// A piece of an answer. All pieces of one have one id.
    fn said(&self, text: &str) -> acp::SessionUpdate {
        let id = format!("answer-{}-{}", self.turn, self.answers + 1);
        acp::SessionUpdate::AgentMessageChunk(chunk(acp::ContentBlock::from(text.to_owned()), id))
    }

    fn heard(&self, content: &[ContentBlock]) -> Vec<acp::SessionUpdate> {
        let mut updates = Vec::new();
        if self.audience == Audience::Later {
            let id = format!("message-{}", self.turn);
            let chunks = content.iter().map(|block| chunk(to_block(block), id.clone()));
            updates.extend(chunks.map(acp::SessionUpdate::UserMessageChunk));
        }
        if self.turn == 1
            && let Some(title) = title_of(content)
        {
            let update = acp::SessionInfoUpdate::new().title(title);
            updates.push(acp::SessionUpdate::SessionInfoUpdate(update));
        }
        updates
    }

    fn called(
        &mut self,
        id: &CallId,
        parent: Option<&CallId>,
        name: &str,
        arguments: &JsonValue,
    ) -> acp::SessionUpdate {
        let definition = self.scope.get(name);
        let view = call_view(definition.as_ref(), name, arguments);
        let Shown { title, kind, content, locations } = card::of_call(&view, &self.root);
        let title = title.unwrap_or_default();
        // The log does not say when the body of a sub-call begins.
        let has_begun = parent.is_some();
        let status = if has_begun { acp::ToolCallStatus::InProgress } else { acp::ToolCallStatus::Pending };
        let told =
            Told { title: view.title().to_owned(), arguments: arguments.clone(), definition, has_begun };
        self.calls.insert(id.clone(), told);
        let call = acp::ToolCall::new(id.as_str().to_owned(), title)
            .name(Line(name).to_string())
            .kind(kind)
            .status(status)
            .content(content)
            .locations(locations)
            .raw_input(to_value(arguments))
            .meta(parent.map(parent_meta));
        acp::SessionUpdate::ToolCall(call)
    }

    fn begun(&mut self, id: &CallId) -> Option<acp::SessionUpdate> {
        let told = self.calls.get_mut(id).filter(|told| !told.has_begun)?;
        told.has_begun = true;
        Some(update(id, acp::ToolCallUpdateFields::new().status(acp::ToolCallStatus::InProgress)))
    }

    fn settled(
        &mut self,
        id: &CallId,
        settled: &Settled<'_>,
        content: &[ContentBlock],
        error: Option<&RecordedError>,
    ) -> Vec<acp::SessionUpdate> {
        let Some(told) = self.calls.remove(id) else { return Vec::new() };
        let view = result_view(told.definition.as_ref(), &told.title, &told.arguments, settled);
        let shown = card::of_result(&view, content, &self.root);
        let status =
            if error.is_some() { acp::ToolCallStatus::Failed } else { acp::ToolCallStatus::Completed };
        let mut fields = acp::ToolCallUpdateFields::new()
            .status(status)
            .title(shown.title)
            .content(shown.content)
            .raw_output(raw_output(content, error));
        if !shown.locations.is_empty() {
            fields = fields.locations(shown.locations);
        }
        vec![update(id, fields)]
    }
}

fn update(id: &CallId, fields: acp::ToolCallUpdateFields) -> acp::SessionUpdate {
    acp::SessionUpdate::ToolCallUpdate(acp::ToolCallUpdate::new(id.as_str().to_owned(), fields))
}

fn chunk(content: acp::ContentBlock, id: String) -> acp::ContentChunk {
    acp::ContentChunk::new(content).message_id(acp::MessageId::new(id))
}

/// Which call of `run_code` a sub-call belongs to; the protocol has no field for it.
fn parent_meta(parent: &CallId) -> acp::Meta {
    let mut meta = acp::Meta::new();
    meta.insert("toolgate".to_owned(), json!({ "parentToolCallId": parent.as_str() }));
    meta
}

/// What the model reads, and why the call failed.
fn raw_output(content: &[ContentBlock], error: Option<&RecordedError>) -> Value {
    let blocks: Vec<Value> = content
        .iter()
        .map(|block| match block {
            ContentBlock::Text { text } => json!({ "type": "text", "text": text }),
            // The picture is in the content already.
            ContentBlock::Image { mime_type, .. } => json!({ "type": "image", "mimeType": mime_type }),
            ContentBlock::Other(other) => to_value(other.json()),
        })
        .collect();
    let mut output = json!({ "content": blocks });
    if let (Some(error), Some(members)) = (error, output.as_object_mut()) {
        let mut failure = json!({ "message": error.message });
        if let (Some(code), Some(members)) = (&error.code, failure.as_object_mut()) {
            members.insert("code".to_owned(), Value::from(code.as_str()));
        }
        members.insert("error".to_owned(), failure);
    }
    output
}

/// What a session is called: the beginning of what was said first.
pub(crate) fn title_of(content: &[ContentBlock]) -> Option<String> {
    let text = content.iter().find_map(ContentBlock::as_text)?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(shortened(&Line(first).to_string(), TITLE))
}
