//! [`JsonValue`]: the shared, lossless JSON value that arguments and results are made of.
//!
//! Everything that crosses the pipeline is one of these. It never changes and never hands out an owned
//! `serde_json::Value`, so nobody can drop or clone a deep one by recursion.

use std::fmt;
use std::mem;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::excerpt::Excerpt;

use super::parse::{self, NegativeZero};
use super::{
    DecodeError, EncodeError, ParseError, ParseErrorKind, ParseLimits, RawJson, compare, copy, decode,
    encode, lossless, print,
};

/// A JSON value that is lossless by construction: shared, immutable, cheap to clone, of any depth.
///
/// Lossless means that every JSON reader gets the same value: no negative zero, no number outside the doubles and
/// the integers from `i64::MIN` to `u64::MAX`, no duplicate keys. Read access is by `Deref` to
/// `serde_json::Value`.
#[derive(Clone)]
pub struct JsonValue(Arc<RawJson>);

static NULL: LazyLock<JsonValue> = LazyLock::new(|| JsonValue::of_lossless(Value::Null));
static EMPTY_OBJECT: LazyLock<JsonValue> =
    LazyLock::new(|| JsonValue::of_lossless(Value::Object(Map::new())));

impl JsonValue {
    /// `null`, shared: no allocation.
    #[must_use]
    pub fn null() -> Self {
        NULL.clone()
    }

    /// `{}`, shared: no allocation.
    #[must_use]
    pub fn empty_object() -> Self {
        EMPTY_OBJECT.clone()
    }

    /// A list of values. A value that nobody else holds is moved into it, a shared one is copied.
    pub fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Self::of_lossless(Value::Array(items.into_iter().map(Self::into_member).collect()))
    }

    /// An object of named values; of two with one name the later stays. Moves and copies as [`array`](Self::array).
    pub fn object(members: impl IntoIterator<Item = (String, Self)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (name, value.into_member()));
        Self::of_lossless(Value::Object(members.collect()))
    }

    /// Accepts a value after one walk over it. The value is taken over, never copied.
    ///
    /// # Errors
    /// When the value holds negative zero, with the path of the first one. The value is dropped.
    pub fn new(value: impl Into<RawJson>) -> Result<Self, NotLossless> {
        let value = value.into();
        if lossless::is_lossless(&value) {
            return Ok(Self(Arc::new(value)));
        }
        Err(NotLossless { path: lossless::first_lossy_path(&value).unwrap_or_default() })
    }

    /// A part of another value as a value of its own, of any depth.
    ///
    /// # Errors
    /// As [`JsonValue::new`].
    pub fn copy_of(part: &Value) -> Result<Self, NotLossless> {
        Self::new(copy(part))
    }

    /// Parses a JSON text of at most 1,000 levels.
    ///
    /// Stricter than most parsers, so that nothing changes silently: an integer token outside
    /// `i64::MIN..=u64::MAX`, a number that overflows a double, negative zero, a duplicate key and a lone
    /// surrogate escape are refused.
    ///
    /// # Errors
    /// When the text is not JSON, is too deep, or breaks one of those rules.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::parse_with(text, ParseLimits::default())
    }

    /// Parses a JSON text under the given limits; otherwise like [`JsonValue::parse`].
    ///
    /// # Errors
    /// See [`JsonValue::parse`].
    pub fn parse_with(text: &str, limits: ParseLimits) -> Result<Self, ParseError> {
        parse::parse(text, limits, NegativeZero::Refused).map(|value| Self(Arc::new(value)))
    }

    /// Parses JSON from bytes, which must be UTF-8; otherwise like [`JsonValue::parse`].
    ///
    /// # Errors
    /// See [`JsonValue::parse`]; bytes that are not UTF-8 are a [`ParseErrorKind::InvalidUtf8`] at their offset.
    pub fn parse_slice(bytes: &[u8], limits: ParseLimits) -> Result<Self, ParseError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_with(text, limits),
            Err(error) => {
                Err(ParseError::new(ParseErrorKind::InvalidUtf8, bytes, error.valid_up_to(), String::new()))
            }
        }
    }

    /// Turns a typed value into JSON.
    ///
    /// A field that is `None` is left out; `None` anywhere else is refused, because only
    /// [`Nullable`](crate::Nullable) means null. NaN, infinities, negative zero, integers outside
    /// `i64::MIN..=u64::MAX`, duplicate keys and more than 128 levels are refused.
    ///
    /// # Errors
    /// When the value cannot be JSON under these rules, with the path of the place.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, EncodeError> {
        encode::encode(value).map(Self::of_lossless)
    }

    /// Reads the value as a Rust type; text may be borrowed from it.
    ///
    /// A key that is present is always read, null included, so null for an `Option<T>` is null for `T`; only
    /// [`Nullable`](crate::Nullable) accepts null as "none". A number without a fraction is an integer however it
    /// was written.
    ///
    /// # Errors
    /// When the value does not have the shape of the type, with the path of the place; beyond 128 levels.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self) -> Result<T, DecodeError> {
        decode::decode(self.as_value())
    }

    /// The value.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        self.0.as_value()
    }

    /// The value as compact JSON text.
    #[must_use]
    pub fn to_text(&self) -> String {
        print::compact(self.as_value())
    }

    /// The value as a part of another one, which owns it from then on.
    fn into_member(self) -> Value {
        let mut owned = Arc::try_unwrap(self.0).unwrap_or_else(|shared| copy(&shared));
        mem::take(owned.as_value_mut())
    }

    /// Wraps a value that its maker knows to be lossless.
    pub(crate) fn of_lossless(value: Value) -> Self {
        Self(Arc::new(RawJson::from(value)))
    }
}

impl Default for JsonValue {
    fn default() -> Self {
        Self::null()
    }
}

impl Deref for JsonValue {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.as_value()
    }
}

/// Numbers by value (`1` equals `1.0`), key order irrelevant.
impl PartialEq for JsonValue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || compare::equal(self, other)
    }
}

impl PartialEq<Value> for JsonValue {
    fn eq(&self, other: &Value) -> bool {
        compare::equal(self, other)
    }
}

/// Compact JSON text, or indented text with `{:#}`.
impl fmt::Display for JsonValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::write(f, self)
    }
}

/// The same text as `Display`.
impl fmt::Debug for JsonValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::write(f, self)
    }
}

macro_rules! from_scalar {
    ($($ty:ty),+) => {
        $(impl From<$ty> for JsonValue {
            fn from(value: $ty) -> Self {
                Self::of_lossless(Value::from(value))
            }
        })+
    };
}

from_scalar!(bool, &str, String, i32, i64, u32, u64, usize);

/// A value was refused because it holds negative zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value{} holds negative zero, which is not lossless JSON", Place(path))]
pub struct NotLossless {
    path: String,
}

impl NotLossless {
    /// Where it is, as `items[3].name`; empty for the value itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// One sentence for the reader.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }
}

/// `` at `path` ``, or nothing for the root.
pub(super) struct Place<'a>(pub(super) &'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " at `{}`", Excerpt::path(self.0)) }
    }
}
