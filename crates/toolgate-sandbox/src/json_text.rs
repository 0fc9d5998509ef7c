//! What the languages share when their values become JSON text: how a text is quoted, and how a refusal is told.
//!
//! Used by the encoders of the engines; each walks its own values.

use std::fmt::Write;

use serde_json::Value as Json;

/// Levels of lists and objects, as for every text from outside.
pub(crate) const MOST_LEVELS: usize = 1_000;

/// Why a value is not JSON text.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// This is not JSON.
    NotJson { what: String, path: String },
    /// The text has more bytes than it may.
    TooLong { path: String },
    /// The program's own code threw; the exception is pending.
    Thrown,
    /// The run must end.
    Over,
}

impl Refusal {
    /// One sentence, given what holds the value.
    pub(crate) fn message(&self, holder: &str) -> String {
        match self {
            Self::NotJson { what, path } if path.is_empty() => format!("{holder} {what}, which is not JSON"),
            Self::NotJson { what, path } => format!("{holder} {what} at `{path}`, which is not JSON"),
            Self::TooLong { path } if path.is_empty() => format!("{holder} more than fits"),
            Self::TooLong { path } => format!("{holder} more than fits, up to `{path}`"),
            Self::Over => format!("{holder} what nobody waits for any more"),
            Self::Thrown => format!("{holder} a value whose getter threw"),
        }
    }
}

/// About how much of the memory a value takes: its text does not tell, where it is a list of small numbers.
pub(crate) fn weight(value: &Json) -> usize {
    /// What the links of a map take for each member, besides its key and its value.
    const MEMBER: usize = 32;
    let inside = match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(weight).sum(),
        Json::Object(members) => {
            members.iter().map(|(key, member)| MEMBER + key.len() + weight(member)).sum()
        }
    };
    inside + size_of::<Json>()
}

/// One step from a container to what is in it.
pub(crate) enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

/// Where a value is, as `items[3].name`; bounded.
pub(crate) fn path_of<'a>(steps: impl Iterator<Item = Step<'a>>) -> String {
    let mut path = String::new();
    for step in steps {
        if path.len() > 200 {
            path.push('…');
            break;
        }
        match step {
            Step::Index(index) => {
                // Writing into a String cannot fail.
                let _ = write!(path, "[{index}]");
            }
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.extend(key.chars().take(100));
            }
        }
    }
    path
}

/// Appends a JSON string.
pub(crate) fn quote(value: &str, text: &mut String) {
    text.push('"');
    let mut rest = value;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (head, tail) = rest.split_at(at);
        text.push_str(head);
        let mut characters = tail.chars();
        match characters.next() {
            Some('"') => text.push_str("\\\""),
            Some('\\') => text.push_str("\\\\"),
            Some('\n') => text.push_str("\\n"),
            Some('\r') => text.push_str("\\r"),
            Some('\t') => text.push_str("\\t"),
            Some(control) => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            None => {}
        }
        rest = characters.as_str();
    }
    text.push_str(rest);
    text.push('"');
}
