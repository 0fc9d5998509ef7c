//! [`RawJson`]: an owner for values that may be deep or not lossless.
//!
//! Used at the edges, before a value has been accepted, and by tests. It never reaches a tool; that is what
//! `JsonValue` is for.

use std::fmt;
use std::ops::Deref;

use serde_json::Value;

use super::parse::{self, NegativeZero};
use super::{ParseError, ParseLimits, compare, copy, drop, print};

/// Owns a `serde_json::Value` of any depth, and drops it without using the thread's stack.
///
/// The value may hold negative zero. Read access is by `Deref`; the value is never given out.
#[derive(Default)]
pub struct RawJson(Value);

impl RawJson {
    /// Parses a text under the rules of [`JsonValue::parse`](crate::JsonValue::parse), except that negative zero
    /// is accepted (`-0` and `-0.0` both become the double).
    ///
    /// # Errors
    /// When the text is not JSON, is deeper than `limits` allow, or breaks one of the stricter rules.
    pub fn parse_with(text: &str, limits: ParseLimits) -> Result<Self, ParseError> {
        parse::parse(text, limits, NegativeZero::Accepted)
    }

    /// The value.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    pub(crate) fn as_value_mut(&mut self) -> &mut Value {
        &mut self.0
    }

    /// Takes the value out, leaving null; the caller becomes responsible for its depth.
    pub(crate) fn take(&mut self) -> Value {
        std::mem::take(&mut self.0)
    }
}

impl Drop for RawJson {
    fn drop(&mut self) {
        drop::dismantle(&mut self.0);
    }
}

impl Deref for RawJson {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Clone for RawJson {
    fn clone(&self) -> Self {
        copy::copy(&self.0)
    }
}

/// Numbers by value, key order irrelevant.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        compare::equal(&self.0, &other.0)
    }
}

/// Compact JSON text, or indented text with `{:#}`.
impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::write(f, &self.0)
    }
}

/// The same text as `Display`.
impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::write(f, &self.0)
    }
}
