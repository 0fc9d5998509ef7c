//! [`ModelRequest`]: what a model is asked, before any provider's form of it.

use toolgate::ToolSchema;
use toolgate_session::replay::Message;

/// One request. The same session, tools and prompt give an equal request, and an adapter makes equal bytes of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The system prompt; empty where there is none.
    pub system: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// What the model may call, in order.
    pub tools: Vec<ToolSchema>,
}

impl ModelRequest {
    /// How many tokens the request has, roughly: a token for each four bytes of text.
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        let tools: usize = self
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_text().len())
            .sum();
        let messages: usize = self.messages.iter().map(bytes_of).sum();
        tokens_of(self.system.len() + tools + messages)
    }
}

/// How many tokens so many bytes of text are, roughly.
pub(crate) fn tokens_of(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// The text of a message, in bytes.
fn bytes_of(message: &Message) -> usize {
    let text = |content: &[toolgate::ContentBlock]| -> usize {
        content.iter().map(|block| block.as_text().map_or(PICTURE, str::len)).sum()
    };
    match message {
        Message::User { content, .. } | Message::Tool { content, .. } => text(content),
        Message::Assistant { content, calls } => {
            text(content) + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
    }
}

/// What a picture counts: providers scale it to about a thousand tokens.
const PICTURE: usize = 4_000;
