//! The arguments of a call as a model sent them: text that is read strictly, or refused for that call alone.
//!
//! Called by the step for what will run, and by the model adapters for what the history says. It repairs two things
//! that models do and that can mean only one thing, records both, and guesses nothing.

use std::borrow::Cow;

use toolgate::{JsonValue, ParseError, ParseErrorKind, text};

/// What was done to a text before it was an object of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// The text was blank, and stands for no arguments.
    BlankAsEmptyObject,
    /// The text was a JSON string whose content is the object. Unwrapped once.
    UnwrappedString,
}

impl Normalization {
    /// The words for the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BlankAsEmptyObject => "read blank text as an empty object",
            Self::UnwrappedString => "unwrapped a doubly encoded object",
        }
    }
}

/// Arguments that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadArguments {
    /// An object.
    pub value: JsonValue,
    /// What was done to the text.
    pub normalized: Option<Normalization>,
}

/// A text that is no object of arguments. The call is refused; the others of its step go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedArguments {
    /// The text ends too soon: the model's output was cut off.
    #[error(
        "the arguments were truncated: {what}, so nothing was run\nhint: the limit of the output was probably reached; \
         say less at once, for example in several smaller calls"
    )]
    Truncated {
        /// Where it ends.
        what: String,
    },
    /// The text is not lossless JSON.
    #[error("the arguments are no JSON that can be used: {}", .0.message())]
    Malformed(ParseError),
    /// The text is JSON, and no object.
    #[error("the arguments are {found}, and a tool takes an object, such as {{\"path\": \"a.txt\"}}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
}

/// Reads the text of one call's arguments (cases K20–K24).
///
/// `is_cut_off` says that the model's output ended at its limit with this call, so that a blank text is no text yet.
///
/// # Errors
/// [`RefusedArguments`], whose text is for the model.
pub fn read_arguments(text: &str, is_cut_off: bool) -> Result<ReadArguments, RefusedArguments> {
    if text.trim().is_empty() {
        if is_cut_off {
            return Err(RefusedArguments::Truncated { what: "there is no text of them".to_owned() });
        }
        let normalized = Some(Normalization::BlankAsEmptyObject);
        return Ok(ReadArguments { value: JsonValue::empty_object(), normalized });
    }
    let value = JsonValue::parse(text).map_err(refused)?;
    if value.is_object() {
        return Ok(ReadArguments { value, normalized: None });
    }
    // A string that holds anything but one whole object stays what it is: a string.
    if let Some(inner) = value.as_str().and_then(|inner| JsonValue::parse(inner).ok())
        && inner.is_object()
    {
        return Ok(ReadArguments { value: inner, normalized: Some(Normalization::UnwrappedString) });
    }
    Err(RefusedArguments::NotAnObject { found: kind_of(&value) })
}

/// The text of one call's arguments for a request: always a JSON object, because providers refuse a history that holds
/// anything else. What was refused is an empty object there; the call's result says what was wrong.
#[must_use]
pub fn history_arguments(text: &str) -> Cow<'_, str> {
    match read_arguments(text, false) {
        Ok(ReadArguments { normalized: None, .. }) => Cow::Borrowed(text),
        Ok(ReadArguments { value, normalized: Some(_) }) => Cow::Owned(value.to_text()),
        Err(_) => Cow::Borrowed("{}"),
    }
}

fn refused(error: ParseError) -> RefusedArguments {
    if error.kind() == ParseErrorKind::UnexpectedEnd {
        let place = text::shortened(error.path(), 80);
        let inside = if place.is_empty() { String::new() } else { format!(" inside `{place}`") };
        return RefusedArguments::Truncated {
            what: format!("they end{inside} after {} bytes", error.offset()),
        };
    }
    RefusedArguments::Malformed(error)
}

fn kind_of(value: &JsonValue) -> &'static str {
    if value.is_null() {
        "null"
    } else if value.is_boolean() {
        "a boolean"
    } else if value.is_number() {
        "a number"
    } else if value.is_string() {
        "a string"
    } else {
        "a list"
    }
}
