//! Which parts of a content are too large, and the content with excerpts in their place.
//!
//! Called by the listeners. Texts count together, and so do images, and blocks of other kinds: many small blocks fill a
//! request as well as one large one. What is not too large stays as it is, in its place.

use toolgate::{ContentBlock, JsonValue};

use super::config::Limits;
use super::entry::Body;

/// A part of a content to put an excerpt in the place of.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The blocks that it consists of, by position; the excerpt comes to the place of the first.
    blocks: Vec<usize>,
    pub(super) body: Body,
    /// How large it is in the content.
    pub(super) bytes: usize,
}

/// The parts of `content` that are larger than a result of that tool may be. `value` is the canonical value, where
/// the content is what the tool itself made of it.
pub(super) fn oversized(
    content: &[ContentBlock],
    value: Option<&JsonValue>,
    tool: &str,
    limits: &Limits,
) -> Vec<Part> {
    let text = limits.text_of(tool).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    parts.extend(texts(content, value).filter(|part| part.bytes > text));
    parts.extend(others(content, text));
    if limits.text_of(tool).is_some() {
        parts.extend(images(content, limits.images));
    }
    parts
}

/// `content` with `replacements`, one for each of `parts`, in their place.
pub(super) fn replaced(
    content: &[ContentBlock],
    parts: &[Part],
    replacements: Vec<Vec<ContentBlock>>,
) -> Vec<ContentBlock> {
    let mut replacements = replacements.into_iter().map(Some).collect::<Vec<_>>();
    let mut changed = Vec::new();
    for (at, block) in content.iter().enumerate() {
        match parts.iter().position(|part| part.blocks.contains(&at)) {
            Some(part) => {
                changed.extend(replacements.get_mut(part).and_then(Option::take).into_iter().flatten())
            }
            None => changed.push(block.clone()),
        }
    }
    changed
}

/// All texts, joined as [`ToolExecutionResult::text`](toolgate::ToolExecutionResult::text) joins them.
fn texts(content: &[ContentBlock], value: Option<&JsonValue>) -> impl Iterator<Item = Part> {
    let texts = content.iter().enumerate().filter_map(|(at, block)| block.as_text().map(|text| (at, text)));
    let (blocks, texts): (Vec<_>, Vec<_>) = texts.unzip();
    let text = texts.join("\n");
    let bytes = text.len();
    // A value that is a text is its own content, and a single scalar is nothing to point into.
    let value = value.filter(|value| value.is_array() || value.is_object());
    let body = match value {
        Some(value) if text == value.to_text() => {
            Body::Value { value: value.clone(), compact_bytes: bytes as u64 }
        }
        Some(_) | None => Body::Text(text, value.cloned()),
    };
    (!blocks.is_empty()).then_some(Part { blocks, body, bytes }).into_iter()
}

/// Blocks that have no name here, as one list.
fn others(content: &[ContentBlock], most: usize) -> Option<Part> {
    let others = content.iter().enumerate().filter_map(|(at, block)| match block {
        ContentBlock::Other(other) if block.as_text().is_none() => Some((at, other.json().clone())),
        ContentBlock::Other(_) | ContentBlock::Text { .. } | ContentBlock::Image { .. } => None,
    });
    let (blocks, values): (Vec<_>, Vec<_>) = others.unzip();
    let value = JsonValue::array(values);
    let bytes = value.to_text().len();
    let body = Body::Value { value, compact_bytes: bytes as u64 };
    (bytes > most && !blocks.is_empty()).then_some(Part { blocks, body, bytes })
}

/// The images that find no room after those before them.
fn images(content: &[ContentBlock], most: usize) -> Vec<Part> {
    let mut room = most;
    let mut parts = Vec::new();
    for (at, block) in content.iter().enumerate() {
        let ContentBlock::Image { data, mime_type } = block else { continue };
        match room.checked_sub(data.len()) {
            Some(left) => room = left,
            None => {
                let body = Body::Image { data: data.clone(), media_type: mime_type.clone() };
                parts.push(Part { blocks: vec![at], body, bytes: data.len() });
            }
        }
    }
    parts
}
