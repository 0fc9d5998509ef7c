//! From the log alone: the messages that a model saw, and the cards that a person saw.
//!
//! Pure functions of records, in their order. Nothing is run again.

use std::collections::HashMap;

use toolgate::{
    CallId, ContentBlock, ErrorInfo, FailureCause, JsonValue, ToolCallKind, ToolCallView, ToolDefinition,
    ToolFailure, ToolResult, ToolResultView, UserMessage,
};

use crate::event::{Event, RecordedError, RequestedCall, ToolResultRecorded};

/// One message of the conversation as it was sent to the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Somebody other than the model: a person, or a plugin.
    User {
        /// The plugin; none for a person.
        source: Option<String>,
        /// What is said.
        content: Vec<ContentBlock>,
    },
    /// The model.
    Assistant {
        /// What it said.
        content: Vec<ContentBlock>,
        /// The calls that it asked for.
        calls: Vec<RequestedCall>,
    },
    /// The result of one call.
    Tool {
        /// The call, by the id that it has here.
        call_id: CallId,
        /// What the model reads.
        content: Vec<ContentBlock>,
        /// Whether the call failed.
        is_error: bool,
    },
}

/// The messages of a session, ready to be sent again.
///
/// Results stand in the order of the calls that they answer. Messages that calls left behind follow the last result of
/// their step (rule P15).
#[must_use]
pub fn messages<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut contexts: Vec<UserMessage> = Vec::new();
    for event in events {
        if let Event::ToolResult(result) = event {
            messages.push(Message::Tool {
                call_id: result.call_id.clone(),
                content: result.content.clone(),
                is_error: result.error.is_some(),
            });
            contexts.extend(result.contexts.iter().cloned());
            continue;
        }
        let next = match event {
            Event::UserMessage(message) => {
                Some(Message::User { source: message.source.clone(), content: message.content.clone() })
            }
            // A model that says nothing has no message; providers refuse empty ones.
            Event::AssistantMessage(message) if message.content.is_empty() && message.calls.is_empty() => {
                None
            }
            Event::AssistantMessage(message) => {
                Some(Message::Assistant { content: message.content.clone(), calls: message.calls.clone() })
            }
            Event::TurnEnd(_) => None,
            Event::TurnStart(_)
            | Event::ToolCall(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::SubagentStarted(_)
            | Event::ToolResult(_)
            | Event::CodeDispatchStart(_)
            | Event::CodeDispatch(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_) => continue,
        };
        messages.extend(contexts.drain(..).map(of_plugin));
        messages.extend(next);
    }
    messages.extend(contexts.drain(..).map(of_plugin));
    messages
}

fn of_plugin(context: UserMessage) -> Message {
    Message::User { source: Some(context.source().to_owned()), content: context.content().to_vec() }
}

/// How one call was shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The call.
    pub call_id: CallId,
    /// The call of `run_code` that it belongs to, where it is a sub-call.
    pub parent: Option<CallId>,
    /// While it ran.
    pub call: ToolCallView,
    /// Once it was settled.
    pub result: Option<ToolResultView>,
}

/// The cards of a session, in the order in which the calls were made. `definition` gives the tool of a name, whose
/// presenters are functions of what the log holds; a tool that is gone is shown by its name and its content.
pub fn cards<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    definition: impl Fn(&str) -> Option<ToolDefinition>,
) -> Vec<Card> {
    let mut reader = CardReader::new(definition);
    let mut cards: Vec<Card> = Vec::new();
    let mut places = HashMap::new();
    for event in events {
        match reader.note(event) {
            Some(CardChange::Begun(card)) => {
                places.insert(card.call_id.clone(), cards.len());
                cards.push(card);
            }
            Some(CardChange::Settled(card)) => {
                let place = places.remove(&card.call_id);
                if let Some(shown) = place.and_then(|place| cards.get_mut(place)) {
                    *shown = card;
                }
            }
            None => {}
        }
    }
    cards
}

/// What an event changes of what is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum CardChange {
    /// A call was made; its card has no result yet.
    Begun(Card),
    /// A call is settled; its card replaces the one that was begun.
    Settled(Card),
}

/// Makes cards of events one by one, as they come. It holds no more than the calls that are not settled.
pub struct CardReader<D> {
    definition: D,
    open: HashMap<CallId, OpenCard>,
}

struct OpenCard {
    definition: Option<ToolDefinition>,
    arguments: JsonValue,
    card: Card,
}

impl<D: Fn(&str) -> Option<ToolDefinition>> CardReader<D> {
    /// A reader that has seen nothing. `definition` gives the tool of a name.
    pub fn new(definition: D) -> Self {
        Self { definition, open: HashMap::new() }
    }

    /// Takes in the next event.
    pub fn note(&mut self, event: &Event) -> Option<CardChange> {
        match event {
            Event::ToolCall(call) => Some(self.begin(&call.call_id, None, &call.name, &call.arguments)),
            Event::CodeDispatchStart(call) => {
                Some(self.begin(&call.call_id, Some(&call.parent), &call.name, &call.arguments))
            }
            Event::ToolResult(result) => self.end(&result.call_id, &Settled::of_result(result)),
            Event::CodeDispatch(call) => {
                self.end(&call.call_id, &Settled::of_sub_call(call.is_error, &call.content))
            }
            Event::TurnStart(_)
            | Event::UserMessage(_)
            | Event::AssistantMessage(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::SubagentStarted(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_)
            | Event::TurnEnd(_) => None,
        }
    }

    fn begin(
        &mut self,
        call_id: &CallId,
        parent: Option<&CallId>,
        name: &str,
        arguments: &JsonValue,
    ) -> CardChange {
        let definition = (self.definition)(name);
        let call = call_view(definition.as_ref(), name, arguments);
        let card = Card { call_id: call_id.clone(), parent: parent.cloned(), call, result: None };
        let open = OpenCard { definition, arguments: arguments.clone(), card: card.clone() };
        self.open.insert(call_id.clone(), open);
        CardChange::Begun(card)
    }

    fn end(&mut self, call_id: &CallId, settled: &Settled<'_>) -> Option<CardChange> {
        let OpenCard { definition, arguments, mut card } = self.open.remove(call_id)?;
        card.result = Some(result_view(definition.as_ref(), card.call.title(), &arguments, settled));
        Some(CardChange::Settled(card))
    }
}

/// How a call is shown while it runs; by its name and arguments where its tool is gone.
#[must_use]
pub fn call_view(definition: Option<&ToolDefinition>, name: &str, arguments: &JsonValue) -> ToolCallView {
    match definition {
        Some(definition) => definition.present_call(arguments),
        None => ToolCallView::fallback(name, ToolCallKind::Other, arguments),
    }
}

/// How a settled call is shown; by its pending title and its content where its tool is gone.
#[must_use]
pub fn result_view(
    definition: Option<&ToolDefinition>,
    title: &str,
    arguments: &JsonValue,
    settled: &Settled<'_>,
) -> ToolResultView {
    let Settled { content, error, meta } = settled;
    match definition {
        Some(definition) => {
            let result = ToolResult { content, error: error.as_ref(), meta: *meta };
            definition.present_result(arguments, &result)
        }
        None => ToolResultView::fallback(title.to_owned(), content.to_vec()),
    }
}

/// What the log holds of a settled call, as a presenter is given it.
#[derive(Debug)]
pub struct Settled<'a> {
    content: &'a [ContentBlock],
    error: Option<ToolFailure>,
    meta: Option<&'a JsonValue>,
}

impl<'a> Settled<'a> {
    /// A call that the model made.
    #[must_use]
    pub fn of_result(result: &'a ToolResultRecorded) -> Self {
        Self {
            content: &result.content,
            error: result.error.as_ref().map(failure_of),
            meta: result.meta.as_ref(),
        }
    }

    /// A sub-call has no metadata (rule P12), and its log keeps only whether it failed.
    #[must_use]
    pub fn of_sub_call(is_error: bool, content: &'a [ContentBlock]) -> Self {
        let error = is_error.then(|| {
            let text = content.iter().find_map(ContentBlock::as_text).unwrap_or_default();
            ToolFailure::recorded(
                text.strip_prefix("Error: ").unwrap_or(text),
                None,
                FailureCause::BodyFailed,
            )
        });
        Self { content, error, meta: None }
    }
}

fn failure_of(error: &RecordedError) -> ToolFailure {
    let info = error.name.clone().zip(error.code.clone()).map(|(name, code)| ErrorInfo::new(name, code));
    // A cause that this version does not know was one of the tool's side.
    let cause = FailureCause::named(&error.cause).unwrap_or(FailureCause::BodyFailed);
    ToolFailure::recorded(error.message.clone(), info, cause)
}
