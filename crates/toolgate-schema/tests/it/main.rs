//! Behaviour of the crate through its public API, one table per concept.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing test stops at the place of the failure; the lint exempts only test functions themselves"
)]

mod author;
mod check;
mod decode;
mod deep;
mod derived;
mod encode;
mod parse;
mod print;
mod random;
mod validate;

use toolgate_schema::{CompiledSchema, JsonValue, ParseLimits, RawJson};

/// A lossless value from text.
#[track_caller]
fn json(text: &str) -> JsonValue {
    JsonValue::parse(text).unwrap()
}

/// A value that may hold negative zero.
#[track_caller]
fn raw(text: &str) -> RawJson {
    RawJson::parse_with(text, ParseLimits::unbounded()).unwrap()
}

#[track_caller]
fn compiled(text: &str) -> CompiledSchema {
    CompiledSchema::compile(json(text)).unwrap()
}
