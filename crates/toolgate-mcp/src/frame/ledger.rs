//! [`Ledger`]: what was asked of a server and not answered yet, and the answers of tools as they were sent.
//!
//! Filled by both transports when a request goes out. An answer is looked up here to know what it has to be; the answer to
//! a call of a tool is kept here too, because `rmcp`'s own types cannot hold all of it: the bridge takes it by its id.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId};
use serde_json::Value;
use toolgate::JsonValue;

/// How many answers may wait to be taken; the oldest goes first. One waits for moments only.
const MOST_KEPT: usize = 256;

/// How many requests may wait for their answers; the oldest goes first. Where a request over HTTP is given up, nothing says
/// so in the newer protocol.
const MOST_OPEN: usize = 4_096;

/// What an answer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A page of tools.
    Tools,
    /// What a tool returned.
    Call,
    /// Something else.
    Other,
}

/// The requests of one connection. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    open: VecDeque<(RequestId, Asked)>,
    kept: VecDeque<(RequestId, RawAnswer)>,
}

impl Ledger {
    /// Takes note of what goes out.
    pub(crate) fn sends(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                #[expect(
                    clippy::wildcard_enum_match_arm,
                    reason = "only two kinds of requests are looked at"
                )]
                let asked = match &request.request {
                    ClientRequest::ListToolsRequest(_) => Asked::Tools,
                    ClientRequest::CallToolRequest(_) => Asked::Call,
                    _ => Asked::Other,
                };
                push(&mut self.entries().open, MOST_OPEN, (request.id.clone(), asked));
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.forget(id);
                }
            }
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {}
        }
    }

    /// Nobody waits for this answer any more.
    pub(crate) fn forget(&self, id: &RequestId) {
        let mut entries = self.entries();
        entries.open.retain(|(open, _)| open != id);
        entries.kept.retain(|(kept, _)| kept != id);
    }

    /// The request that an id answers, which is answered by that. Some servers send a number back as a string.
    pub(crate) fn answered(&self, id: &RequestId) -> Option<(RequestId, Asked)> {
        let open = &mut self.entries().open;
        let number = match id {
            RequestId::String(text) => text.parse().ok().map(RequestId::Number),
            RequestId::Number(_) => None,
        };
        let place = open.iter().position(|(open, _)| open == id || Some(open) == number.as_ref())?;
        open.remove(place)
    }

    /// Every request that waits for an answer, which none of them will get.
    pub(crate) fn abandon(&self) -> Vec<RequestId> {
        self.entries().open.drain(..).map(|(id, _)| id).collect()
    }

    /// Keeps an answer until it is taken.
    pub(super) fn keep(&self, id: RequestId, answer: RawAnswer) {
        push(&mut self.entries().kept, MOST_KEPT, (id, answer));
    }

    /// The way to take answers.
    pub(crate) fn answers(&self) -> RawAnswers {
        RawAnswers(self.clone())
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push<T>(entries: &mut VecDeque<T>, most: usize, entry: T) {
    if entries.len() >= most {
        entries.pop_front();
    }
    entries.push_back(entry);
}

/// Where the answers of tools are taken exactly as they were sent. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RawAnswers(Ledger);

impl RawAnswers {
    /// Takes the answer to a `tools/call` request, by the id that `rmcp` gave the request.
    ///
    /// It is there once `rmcp` has delivered the answer, until it is taken. There is none where the answer was an error,
    /// where the call was cancelled, or where 256 later ones have not been taken either.
    #[must_use]
    pub fn take(&self, id: &RequestId) -> Option<RawAnswer> {
        let mut entries = self.0.entries();
        let place = entries.kept.iter().position(|(kept, _)| kept == id)?;
        entries.kept.remove(place).map(|(_, answer)| answer)
    }
}

/// The answer to a call of a tool: lossless, of any depth that the limits allow, with every member that was sent.
#[derive(Clone)]
pub struct RawAnswer(JsonValue);

impl RawAnswer {
    /// Wraps a whole message, which has a result.
    pub(super) fn of(message: JsonValue) -> Self {
        Self(message)
    }

    /// The `result` of the message. A part of it becomes a value of its own by
    /// [`JsonValue::copy_of`](toolgate::JsonValue::copy_of).
    #[must_use]
    pub fn result(&self) -> &Value {
        self.0.get("result").unwrap_or(&Value::Null)
    }
}

impl fmt::Debug for RawAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
