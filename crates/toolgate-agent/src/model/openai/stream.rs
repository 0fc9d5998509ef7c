//! The pieces of a chat-completions answer.

use serde::Deserialize;
use toolgate_session::Usage;

use crate::model::http::Problem;
use crate::model::names::WireNames;
use crate::model::{Answer, ModelError, is_cut_off};

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    tool_calls: Option<Vec<Fragment>>,
}

#[derive(Deserialize)]
struct Fragment {
    index: Option<u64>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// What was read of an answer.
pub(super) struct Chunks {
    names: WireNames,
    /// The key of the call that the last fragment without an index belongs to.
    last: u64,
    is_stopped: bool,
}

impl Chunks {
    pub(super) fn new(names: WireNames) -> Self {
        Self { names, last: 0, is_stopped: false }
    }

    /// Takes in the data of an event; true where the answer is whole.
    pub(super) fn read(&mut self, data: &str, answer: &mut Answer) -> Result<bool, ModelError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(false);
        }
        if data == "[DONE]" {
            return self.end(answer).map(|()| true);
        }
        if let Ok(problem) = serde_json::from_str::<Problem>(data) {
            return Err(ModelError::Cut { why: problem.error.message });
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| ModelError::Malformed {
            why: format!("a piece of it is not what the protocol says: {error}"),
        })?;
        if let Some(tokens) = chunk.usage {
            answer.usage(Usage { input: tokens.prompt_tokens, output: tokens.completion_tokens });
        }
        // Only one answer is asked for.
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(false) };
        if let Some(text) = choice.delta.content.filter(|text| !text.is_empty()) {
            answer.text(&text)?;
        }
        for fragment in choice.delta.tool_calls.into_iter().flatten() {
            self.fragment(fragment, answer)?;
        }
        if let Some(reason) = choice.finish_reason {
            self.is_stopped = true;
            let is_cut_off = is_cut_off(&reason);
            answer.stop(reason, is_cut_off);
        }
        Ok(false)
    }

    /// The stream is over. An answer that never said why it stopped is none.
    pub(super) fn end(&self, answer: &mut Answer) -> Result<(), ModelError> {
        if self.is_stopped {
            answer.rename_calls(|told| self.names.meant(told).to_owned());
            return Ok(());
        }
        Err(ModelError::Cut { why: "the stream ended before the answer did".to_owned() })
    }

    fn fragment(&mut self, fragment: Fragment, answer: &mut Answer) -> Result<(), ModelError> {
        let function = fragment.function.unwrap_or_default();
        let id = fragment.id.unwrap_or_default();
        let key = match fragment.index {
            Some(index) => index,
            // Some servers count nothing: a fragment with an id or a name begins a call.
            None if !id.is_empty() || function.name.as_ref().is_some_and(|name| !name.is_empty()) => {
                self.last + 1
            }
            None => self.last,
        };
        self.last = key;
        let name = function.name.unwrap_or_default();
        answer.call(key, &id, &name, &function.arguments.unwrap_or_default())
    }
}
