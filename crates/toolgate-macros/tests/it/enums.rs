//! Enums in serde's four forms.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate::{Nullable, Schema};

use crate::described::{check, refuses};

/// How to sort.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// Small first.
    SmallFirst,
    #[serde(rename = "large")]
    LargeFirst,
    #[serde(skip)]
    #[expect(dead_code, reason = "it has no JSON form")]
    Hidden(u128),
}

#[test]
fn unit_variants_become_a_string() {
    check(
        json!({ "type": "string", "enum": ["small_first", "large"], "description": "How to sort." }),
        &[Order::SmallFirst, Order::LargeFirst],
    );
    refuses::<Order>(&[json!("SmallFirst"), json!("Hidden"), json!(null), json!(0)]);
}

/// What happened.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Event {
    /// Nothing more.
    AllDone,
    /// A line came.
    NewLine {
        /// Without its end.
        full_text: String,
        line_number: Option<u64>,
    },
    #[serde(rename_all = "SCREAMING_SNAKE_CASE", rename = "bye")]
    GoodBye { exit_code: Nullable<i32> },
}

#[test]
fn an_internal_tag_is_a_constant_beside_the_fields() {
    check(
        json!({
            "description": "What happened.",
            "oneOf": [
                {
                    "type": "object",
                    "description": "Nothing more.",
                    "properties": { "type": { "type": "string", "const": "all-done" } },
                    "required": ["type"],
                    "additionalProperties": true,
                },
                {
                    "type": "object",
                    "description": "A line came.",
                    "properties": {
                        "type": { "type": "string", "const": "new-line" },
                        "fullText": { "type": "string", "description": "Without its end." },
                        "lineNumber": { "type": "integer" },
                    },
                    "required": ["type", "fullText"],
                    "additionalProperties": true,
                },
                {
                    "type": "object",
                    "properties": {
                        "type": { "type": "string", "const": "bye" },
                        "EXIT_CODE": { "oneOf": [{ "type": "integer" }, { "type": "null" }] },
                    },
                    "required": ["type", "EXIT_CODE"],
                    "additionalProperties": true,
                },
            ],
        }),
        &[
            Event::AllDone,
            Event::NewLine { full_text: "a".to_owned(), line_number: None },
            Event::NewLine { full_text: "a".to_owned(), line_number: Some(1) },
            Event::GoodBye { exit_code: Nullable::Null },
        ],
    );
    refuses::<Event>(&[json!({ "type": "NewLine" }), json!({ "fullText": "a" }), json!("all-done")]);
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "t", content = "c", deny_unknown_fields)]
enum Adjacent {
    Unit,
    Text(String),
    Named { a: bool },
}

#[test]
fn an_adjacent_tag_stands_beside_the_content() {
    check(
        json!({
            "oneOf": [
                {
                    "type": "object",
                    "properties": { "t": { "type": "string", "const": "Unit" } },
                    "required": ["t"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": { "t": { "type": "string", "const": "Text" }, "c": { "type": "string" } },
                    "required": ["t", "c"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {
                        "t": { "type": "string", "const": "Named" },
                        "c": {
                            "type": "object",
                            "properties": { "a": { "type": "boolean" } },
                            "required": ["a"],
                            "additionalProperties": false,
                        },
                    },
                    "required": ["t", "c"],
                    "additionalProperties": false,
                },
            ],
        }),
        &[Adjacent::Unit, Adjacent::Text("a".to_owned()), Adjacent::Named { a: true }],
    );
    refuses::<Adjacent>(&[
        json!({ "t": "Text" }),
        json!({ "t": "Text", "c": 1 }),
        json!({ "t": "Unit", "d": 1 }),
        json!({ "t": "Named", "c": { "a": true, "b": 1 } }),
    ]);
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
enum External<T> {
    First,
    Second,
    /// A value.
    #[schema(title = "Value")]
    Value(T),
    Named {
        a: Option<bool>,
    },
}

#[test]
fn an_external_tag_is_the_only_key() {
    check(
        json!({
            "oneOf": [
                { "type": "string", "enum": ["First", "Second"] },
                {
                    "type": "object",
                    "title": "Value",
                    "description": "A value.",
                    "properties": { "Value": { "type": "array", "items": { "type": "number" } } },
                    "required": ["Value"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {
                        "Named": {
                            "type": "object",
                            "properties": { "a": { "type": "boolean" } },
                            "additionalProperties": true,
                        },
                    },
                    "required": ["Named"],
                    "additionalProperties": false,
                },
            ],
        }),
        &[
            External::First,
            External::Second,
            External::Value(vec![0.5]),
            External::Named { a: None },
            External::Named { a: Some(true) },
        ],
    );
    refuses::<External<u8>>(&[
        json!("Value"),
        json!({ "Value": 1, "Named": {} }),
        json!({ "Value": "a" }),
        json!({}),
    ]);
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Untagged {
    Nothing,
    /// A number.
    Number(i64),
    Named {
        a: String,
    },
}

#[test]
fn an_untagged_enum_is_its_data() {
    check(
        json!({
            "oneOf": [
                { "type": "null" },
                { "type": "integer", "description": "A number." },
                {
                    "type": "object",
                    "properties": { "a": { "type": "string" } },
                    "required": ["a"],
                    "additionalProperties": true,
                },
            ],
        }),
        &[Untagged::Nothing, Untagged::Number(-1), Untagged::Named { a: "b".to_owned() }],
    );
    refuses::<Untagged>(&[json!("a"), json!({}), json!([])]);
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "t")]
enum Only {
    /// The only one.
    One { a: bool },
}

/// A string in the end.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Alias {
    /// Replaced.
    Text(String),
}

#[test]
fn a_single_branch_stands_for_itself() {
    check(
        json!({
            "type": "object",
            "description": "The only one.",
            "properties": { "t": { "type": "string", "const": "One" }, "a": { "type": "boolean" } },
            "required": ["t", "a"],
            "additionalProperties": true,
        }),
        &[Only::One { a: true }],
    );
    check(json!({ "type": "string", "description": "A string in the end." }), &[Alias::Text("a".to_owned())]);
}
