//! The pieces of a messages answer.

use serde::Deserialize;
use toolgate_session::Usage;

use crate::model::http::ProblemDetail;
use crate::model::names::WireNames;
use crate::model::{Answer, ModelError, is_cut_off};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Stopped,
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {
        error: ProblemDetail,
    },
    /// Pings, ends of blocks, and whatever the protocol adds.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Started {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Stopped {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: u64,
}

/// What was read of an answer.
pub(super) struct Pieces {
    names: WireNames,
    usage: Usage,
    is_stopped: bool,
}

impl Pieces {
    pub(super) fn new(names: WireNames) -> Self {
        Self { names, usage: Usage::default(), is_stopped: false }
    }

    /// Takes in the data of an event; true where the answer is whole.
    pub(super) fn read(&mut self, data: &str, answer: &mut Answer) -> Result<bool, ModelError> {
        if data.trim().is_empty() {
            return Ok(false);
        }
        let malformed = |error| ModelError::Malformed {
            why: format!("a piece of it is not what the protocol says: {error}"),
        };
        match serde_json::from_str(data).map_err(malformed)? {
            Piece::MessageStart { message } => {
                if let Some(tokens) = message.usage {
                    let cached = [tokens.cache_creation_input_tokens, tokens.cache_read_input_tokens];
                    let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
                    self.usage.input = tokens.input_tokens.saturating_add(cached);
                    self.count(tokens.output_tokens, answer);
                }
            }
            Piece::ContentBlockStart { content_block: Block::Text { text }, .. } => answer.text(&text)?,
            Piece::ContentBlockStart { index, content_block: Block::ToolUse { id, name } } => {
                answer.call(index, &id, &name, "")?;
            }
            Piece::ContentBlockDelta { delta: Delta::Text { text }, .. } => answer.text(&text)?,
            Piece::ContentBlockDelta { index, delta: Delta::InputJson { partial_json } } => {
                answer.call(index, "", "", &partial_json)?;
            }
            Piece::MessageDelta { delta, usage } => {
                if let Some(tokens) = usage {
                    self.count(tokens.output_tokens, answer);
                }
                if let Some(reason) = delta.stop_reason {
                    self.is_stopped = true;
                    let is_cut_off = is_cut_off(&reason);
                    answer.stop(reason, is_cut_off);
                }
            }
            Piece::MessageStop if self.is_stopped => {
                answer.rename_calls(|told| self.names.meant(told).to_owned());
                return Ok(true);
            }
            Piece::MessageStop => {
                return Err(ModelError::Cut { why: "it ended without saying why".to_owned() });
            }
            Piece::Error { error } => return Err(ModelError::Cut { why: error.message }),
            Piece::ContentBlockStart { content_block: Block::Other, .. }
            | Piece::ContentBlockDelta { delta: Delta::Other, .. }
            | Piece::Other => {}
        }
        Ok(false)
    }

    fn count(&mut self, output: u64, answer: &mut Answer) {
        self.usage.output = output;
        answer.usage(self.usage);
    }
}
