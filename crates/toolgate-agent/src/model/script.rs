//! [`ScriptedModel`]: a model that says what a file tells it to, for tests, demonstrations and work without a network.
//!
//! The file is TOML: one `[[answer]]` for each request, in order.
//!
//! ```toml
//! [[answer]]
//! text = "I look at the test first."
//! [[answer.calls]]
//! name = "read"
//! arguments = '{"file_path": "tests/add.sh"}'
//!
//! [[answer]]
//! text = "Done."
//! ```
//!
//! A sub-agent has a conversation of its own, which is told by its task: `[[conversation]]` with `task = "Count the files"`,
//! and its answers as `[[conversation.answer]]`.
//!
//! Which answer is due follows from the conversation alone, so a resumed session goes on where it was.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use toolgate_session::Usage;
use toolgate_session::replay::Message;

use super::wire::joined_text;
use super::{Answer, Model, ModelError, ModelRequest, is_cut_off};

/// A file of answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What is said, one after another.
    #[serde(default, rename = "answer")]
    pub answers: Vec<ScriptedAnswer>,
    /// Other conversations.
    #[serde(default, rename = "conversation")]
    pub conversations: Vec<ScriptedConversation>,
}

/// A conversation that begins with a certain task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedConversation {
    /// What its first message contains.
    pub task: String,
    /// What is said in it, one after another.
    #[serde(default, rename = "answer")]
    pub answers: Vec<ScriptedAnswer>,
}

/// One answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// What the model says.
    #[serde(default)]
    pub text: String,
    /// The calls that it asks for.
    #[serde(default)]
    pub calls: Vec<ScriptedCall>,
    /// Why it stops. `tool_calls` or `stop` where nothing is said; `length` is the limit of the output.
    pub stop: Option<String>,
    /// How long the model thinks first, in milliseconds.
    #[serde(default)]
    pub delay_ms: u64,
    /// What goes wrong the first time that this answer is asked for.
    pub fault: Option<Fault>,
    /// What the request costs.
    pub usage: Option<ScriptedUsage>,
}

/// One call of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The model's id of it. Need not be unique.
    #[serde(default)]
    pub id: String,
    /// The tool.
    pub name: String,
    /// The text of the arguments, as it is.
    #[serde(default)]
    pub arguments: String,
}

/// Tokens of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedUsage {
    /// Tokens that were read.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
}

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The answer breaks off in the middle.
    Cut,
    /// The request is refused.
    Refuse,
    /// Nothing ever comes.
    Hang,
}

/// A script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the script cannot be read: {0}")]
pub struct ScriptError(String);

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`ScriptError`] with the line.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        toml::from_str(text).map_err(|error| ScriptError(error.to_string().trim_end().to_owned()))
    }

    /// The answers of the conversation that begins with this message.
    #[must_use]
    pub fn conversation(&self, first_message: &str) -> &[ScriptedAnswer] {
        let mut others = self.conversations.iter();
        let found = others.find(|conversation| first_message.contains(&conversation.task));
        found.map_or(&self.answers, |conversation| &conversation.answers)
    }
}

impl ScriptedAnswer {
    /// Why the model stops.
    #[must_use]
    pub fn stop_word(&self) -> &str {
        match &self.stop {
            Some(word) => word,
            None if self.calls.is_empty() => "stop",
            None => "tool_calls",
        }
    }
}

/// A model that follows a script.
#[derive(Debug)]
pub struct ScriptedModel {
    script: Script,
    /// The answers whose fault has happened, by the first message of their conversation and their place in it.
    failed: Mutex<HashSet<(String, usize)>>,
}

impl ScriptedModel {
    /// A model that follows this script.
    #[must_use]
    pub fn new(script: Script) -> Self {
        Self { script, failed: Mutex::default() }
    }

    /// The fault of an answer, the first time.
    fn fault(&self, place: (String, usize), fault: Option<Fault>) -> Option<Fault> {
        let fault = fault?;
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.insert(place).then_some(fault)
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        "script"
    }

    async fn answer(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        let place =
            request.messages.iter().filter(|message| matches!(message, Message::Assistant { .. })).count();
        let first = request.messages.iter().find_map(|message| match message {
            Message::User { content, .. } => Some(joined_text(content)),
            Message::Assistant { .. } | Message::Tool { .. } => None,
        });
        let first = first.unwrap_or_default();
        let answers = self.script.conversation(&first);
        let Some(scripted) = answers.get(place) else {
            let count = answers.len();
            return Err(ModelError::Script(format!(
                "it has {count} answers, and number {} was asked for",
                place + 1
            )));
        };
        if scripted.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(scripted.delay_ms)).await;
        }
        match self.fault((first, place), scripted.fault) {
            None => say(scripted, answer),
            Some(Fault::Refuse) => Err(ModelError::Script(format!("answer {} is refused", place + 1))),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Cut) => {
                let middle = scripted.text.char_indices().nth(scripted.text.chars().count() / 2);
                let half = middle.and_then(|(at, _)| scripted.text.get(..at)).unwrap_or_default();
                answer.text(half)?;
                Err(ModelError::Cut { why: format!("the script cuts answer {}", place + 1) })
            }
        }
    }
}

fn say(scripted: &ScriptedAnswer, answer: &mut Answer) -> Result<(), ModelError> {
    for piece in scripted.text.split_inclusive(char::is_whitespace) {
        answer.text(piece)?;
    }
    for (key, call) in (0..).zip(&scripted.calls) {
        answer.call(key, &call.id, &call.name, &call.arguments)?;
    }
    let word = scripted.stop_word();
    answer.stop(word, is_cut_off(word));
    if let Some(usage) = scripted.usage {
        answer.usage(Usage { input: usage.input, output: usage.output });
    }
    Ok(())
}
