//! JSON on its way to the lossless boundary (rule P2).

use serde::Serialize;
use serde_json::Value;
use toolgate_schema::{EncodeError, NotLossless, RawJson};

use crate::JsonValue;

/// JSON that somebody hands over: arguments of a call, a value of a raw tool. It crosses the boundary once, in the
/// pipeline; what cannot be carried unchanged fails there, as a result.
///
/// Made from a [`JsonValue`] (nothing left to check), a `serde_json::Value` of any depth, or, by
/// [`encode`](Self::encode), any serialisable value.
#[derive(Debug)]
pub struct UncheckedJson(State);

#[derive(Debug)]
enum State {
    Checked(JsonValue),
    Raw(RawJson),
    Failed(Box<Unrepresentable>),
}

/// Why a value cannot cross the boundary.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unrepresentable {
    #[error(transparent)]
    NotLossless(#[from] NotLossless),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The caller itself found that what it was given is no value.
    #[error("{0}")]
    Unreadable(String),
}

impl UncheckedJson {
    /// The JSON form of a serialisable value. A value that has none fails when it reaches the boundary.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Self {
        Self(match JsonValue::encode(value) {
            Ok(json) => State::Checked(json),
            Err(error) => State::Failed(Box::new(error.into())),
        })
    }

    /// Arguments that came as a text which is no value: a model's, cut off or malformed. The call fails at the boundary,
    /// as `INVALID_ARGS` with this message, and reaches neither policy nor body.
    #[must_use]
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self(State::Failed(Box::new(Unrepresentable::Unreadable(message.into()))))
    }

    /// Crosses the boundary.
    pub(crate) fn check(self) -> Result<JsonValue, Box<Unrepresentable>> {
        match self.0 {
            State::Checked(json) => Ok(json),
            State::Raw(raw) => JsonValue::new(raw).map_err(|error| Box::new(error.into())),
            State::Failed(error) => Err(error),
        }
    }
}

impl From<JsonValue> for UncheckedJson {
    fn from(json: JsonValue) -> Self {
        Self(State::Checked(json))
    }
}

impl From<RawJson> for UncheckedJson {
    fn from(raw: RawJson) -> Self {
        Self(State::Raw(raw))
    }
}

/// A `serde_json::Value` may have lost something before it comes here: that crate's parser rounds integers beyond 64
/// bits and keeps the last of two equal keys. Text from outside is read by [`JsonValue::parse`], which refuses both.
impl From<Value> for UncheckedJson {
    fn from(value: Value) -> Self {
        Self(State::Raw(RawJson::from(value)))
    }
}
