//! Tool names (rule R2a). Alphabets of providers and protocols are met at those edges, never here.

use std::sync::Arc;

/// The name of a tool: any non-empty text of at most 128 bytes without control characters (rule R2a).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ToolName(Arc<str>);

/// Why a text is not a tool name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToolName {
    /// The text is empty.
    #[error("a tool name must not be empty")]
    Empty,
    /// The text is longer than 128 bytes.
    #[error("a tool name has at most 128 bytes, this one has {0}")]
    TooLong(usize),
    /// The text holds a control character, at this byte.
    #[error("a tool name must not hold control characters, there is one at byte {0}")]
    ControlCharacter(usize),
}

impl ToolName {
    /// The longest name, in bytes.
    pub(crate) const MAX_BYTES: usize = 128;

    /// Checks a text.
    ///
    /// # Errors
    /// [`InvalidToolName`] says which part of rule R2a the text breaks.
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Result<Self, InvalidToolName> {
        let text = text.into();
        if text.is_empty() {
            return Err(InvalidToolName::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(InvalidToolName::TooLong(text.len()));
        }
        match text.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(InvalidToolName::ControlCharacter(at)),
            None => Ok(Self(text)),
        }
    }
}

/// A name from outside, fit for a message: quoted, escaped and never long.
pub(crate) fn tool_label(name: &str) -> String {
    let shown: String = name.chars().take(ToolName::MAX_BYTES).flat_map(char::escape_debug).collect();
    match name.chars().count().saturating_sub(ToolName::MAX_BYTES) {
        0 => format!("`{shown}`"),
        more => format!("`{shown}` (+{more} characters)"),
    }
}
