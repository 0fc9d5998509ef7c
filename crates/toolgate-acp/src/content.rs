//! What a person says and what a model reads, in the forms of both sides.

use agent_client_protocol::v1::schema as acp;
use serde_json::Value;
use toolgate::text::shortened;
use toolgate::{ContentBlock, JsonValue};

/// How large a value may be that is sent as data, in bytes. A larger one is sent as the beginning of its text.
const LARGEST_VALUE: usize = 1 << 20;

/// How much of a larger one is sent, in characters.
const SHOWN_OF_LARGER: usize = 4_000;

/// A prompt as content for the model. A block that a model cannot read is refused, with its kind.
pub(crate) fn from_prompt(prompt: Vec<acp::ContentBlock>) -> Result<Vec<ContentBlock>, &'static str> {
    prompt.into_iter().map(from_block).collect()
}

fn from_block(block: acp::ContentBlock) -> Result<ContentBlock, &'static str> {
    if let acp::ContentBlock::Text(text) = block {
        return Ok(ContentBlock::text(text.text));
    }
    if let acp::ContentBlock::Image(image) = block {
        return Ok(ContentBlock::image(image.data, image.mime_type));
    }
    if let acp::ContentBlock::ResourceLink(link) = block {
        return Ok(ContentBlock::text(format!("[{}]({})", link.name, link.uri)));
    }
    if let acp::ContentBlock::Resource(embedded) = block {
        return match embedded.resource {
            acp::EmbeddedResourceResource::TextResourceContents(text) => {
                let fence = fence_for(&text.text);
                Ok(ContentBlock::text(format!("{}\n{fence}\n{}\n{fence}", text.uri, text.text)))
            }
            acp::EmbeddedResourceResource::BlobResourceContents(_) | _ => {
                Err("an embedded resource that is no text")
            }
        };
    }
    Err("a kind of content that was not offered")
}

/// A block as the editor shows it.
pub(crate) fn to_block(block: &ContentBlock) -> acp::ContentBlock {
    match block {
        ContentBlock::Text { text } => acp::ContentBlock::from(text.clone()),
        ContentBlock::Image { data, mime_type } => {
            acp::ContentBlock::Image(acp::ImageContent::new(data.clone(), mime_type.clone()))
        }
        ContentBlock::Other(other) => acp::ContentBlock::from(match block.as_text() {
            Some(text) => text.to_owned(),
            None => other.json().to_text(),
        }),
    }
}

/// A value as data of a message. What is too large or too deep for one is a text that says how much is missing.
pub(crate) fn to_value(value: &JsonValue) -> Value {
    let text = value.to_text();
    let read = (text.len() <= LARGEST_VALUE).then(|| serde_json::from_str(&text).ok());
    read.flatten().unwrap_or_else(|| Value::String(shortened(&text, SHOWN_OF_LARGER)))
}

/// A text in a block of Markdown that it cannot leave.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let fence = fence_for(text);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// A fence that is longer than any row of backticks in the text.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
