//! What is known of one kept content: where it came from, in which form it is kept, how large it is.

use std::sync::Arc;

use toolgate::{JsonValue, ScopeId};

use super::handle::SpillHandle;

/// The call that a content came from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The agent; none for nobody's.
    pub(super) owner: Option<ScopeId>,
    pub(super) tool: Arc<str>,
    pub(super) arguments: JsonValue,
    pub(super) access: Access,
}

/// What lets an agent read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The scope, and that policy would let it make the call.
    Policy,
    /// The scope alone: the content is what policy itself said when it refused the call.
    Scope,
}

/// A content to keep.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A text, and the value that it shows another view of.
    Text(String, Option<JsonValue>),
    /// A value whose compact text is the content.
    Value { value: JsonValue, compact_bytes: u64 },
    /// An image.
    Image { data: String, media_type: String },
}

/// The form in which a content is kept and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The text as the tool gave it.
    Text,
    /// The same, and it is JSON.
    JsonText,
    /// JSON, two spaces for each level.
    Indented,
    /// JSON without spaces: indented it would be several times as long.
    Compact,
    /// The base64 text of an image of this media type.
    Image(String),
}

/// One kept content.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) handle: SpillHandle,
    pub(super) number: u64,
    pub(super) owner: Option<ScopeId>,
    pub(super) tool: Arc<str>,
    pub(super) access: Access,
    pub(super) form: Form,
    /// How long the text is that is read and searched.
    pub(super) text_bytes: u64,
    /// How long the text of the value is, where it is kept besides.
    pub(super) value_bytes: Option<u64>,
    /// How long the text of the arguments is.
    pub(super) call_bytes: u64,
}

/// The files of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    Text,
    Value,
    Call,
}

impl Entry {
    /// How much of the quota it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.text_bytes + self.value_bytes.unwrap_or_default() + self.call_bytes
    }

    /// The file that a JSON pointer leads into; none where nothing of it is JSON.
    pub(super) fn json(&self) -> Option<File> {
        match (&self.form, self.value_bytes) {
            (_, Some(_)) => Some(File::Value),
            (Form::JsonText | Form::Indented | Form::Compact, None) => Some(File::Text),
            (Form::Text | Form::Image(_), None) => None,
        }
    }

    /// The files that it has.
    pub(super) fn files(&self) -> impl Iterator<Item = String> + use<> {
        let number = self.number;
        let value = self.value_bytes.map(|_| File::Value);
        [Some(File::Text), value, Some(File::Call)].into_iter().flatten().map(move |file| file.name(number))
    }
}

impl File {
    pub(super) fn name(self, number: u64) -> String {
        let [text, value, call] = super::cleaning::KINDS;
        let kind = match self {
            Self::Text => text,
            Self::Value => value,
            Self::Call => call,
        };
        format!("{number}.{kind}")
    }
}
