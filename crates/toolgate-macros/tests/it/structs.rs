//! Structs and their fields.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate::{JsonValue, Nullable, Schema};

use crate::described::{check, refuses, schema};

/// A page
/// of results.
///
/// It may be empty.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug, Default)]
#[serde(rename_all = "camelCase")]
struct Page {
    /// Always there.
    all_items: Vec<u32>,
    /// Absent on the last page.
    next: Option<String>,
    qualified: std::option::Option<bool>,
    /// May be null.
    previous: Nullable<String>,
    #[serde(default)]
    size: u8,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    notes: Vec<String>,
    #[serde(skip)]
    cache: Option<u128>,
    #[serde(rename = "type")]
    kind: f64,
    r#in: JsonValue,
    nothing: (),
}

#[test]
fn named_fields_become_properties() {
    check(
        json!({
            "type": "object",
            "description": "A page of results.\n\nIt may be empty.",
            "properties": {
                "allItems": {
                    "type": "array", "items": { "type": "integer" }, "description": "Always there."
                },
                "next": { "type": "string", "description": "Absent on the last page." },
                "qualified": { "type": "boolean" },
                "previous": {
                    "oneOf": [{ "type": "string" }, { "type": "null" }], "description": "May be null."
                },
                "size": { "type": "integer" },
                "notes": { "type": "array", "items": { "type": "string" } },
                "type": { "type": "number" },
                "in": {},
                "nothing": { "type": "null" },
            },
            "required": ["allItems", "previous", "type", "in", "nothing"],
            "additionalProperties": true,
        }),
        &[
            Page::default(),
            Page {
                all_items: vec![1],
                next: Some("b".to_owned()),
                qualified: Some(true),
                previous: Nullable::Value("a".to_owned()),
                notes: vec!["c".to_owned()],
                ..Page::default()
            },
        ],
    );
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: bool,
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug, Default)]
#[serde(default)]
struct Defaulted {
    a: bool,
    b: Nullable<i64>,
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
struct Empty {}

#[test]
fn the_container_opens_closes_and_defaults() {
    check(
        json!({
            "type": "object",
            "properties": { "a": { "type": "boolean" } },
            "required": ["a"],
            "additionalProperties": false,
        }),
        &[Closed { a: true }],
    );
    refuses::<Closed>(&[json!({}), json!({ "a": true, "b": 1 }), json!({ "a": null }), json!([])]);
    let defaulted = schema::<Defaulted>();
    assert_eq!(defaulted.raw().as_value().get("required"), None);
    assert!(defaulted.is_valid(&JsonValue::empty_object()));
    assert_eq!(JsonValue::empty_object().decode::<Defaulted>().unwrap(), Defaulted::default());
    check(json!({ "type": "object", "properties": {}, "additionalProperties": true }), &[Empty {}]);
}

/// The id of a file.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Id(String);

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[serde(transparent)]
struct Wrapped<T> {
    inner: T,
    #[serde(skip)]
    note: u128,
    marker: PhantomData<T>,
}

/// Nothing to say.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
struct Unit;

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
struct Holder {
    plain: Id,
    /// Of the parent.
    described: Id,
}

#[test]
fn one_field_gives_its_own_schema() {
    check(json!({ "type": "string", "description": "The id of a file." }), &[Id("a".to_owned())]);
    check(
        json!({ "type": "string", "description": "The id of a file." }),
        &[Wrapped { inner: Id("a".to_owned()), note: 0, marker: PhantomData }],
    );
    check(json!({ "type": "null", "description": "Nothing to say." }), &[Unit]);
    let holder = schema::<Holder>();
    let properties = &holder.raw().as_value()["properties"];
    assert_eq!(properties["plain"]["description"], "The id of a file.");
    assert_eq!(properties["described"]["description"], "Of the parent.");
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
struct Generic<'a, T, const N: usize>
where
    T: Clone,
{
    #[serde(borrow)]
    text: Cow<'a, str>,
    list: Vec<T>,
    absent: Option<T>,
}

#[test]
fn generics_are_filled_in() {
    let filled = schema::<Generic<'static, Id, 3>>();
    let properties = &filled.raw().as_value()["properties"];
    assert_eq!(properties["text"], json!({ "type": "string" }));
    assert_eq!(properties["list"]["items"], json!({ "type": "string", "description": "The id of a file." }));
    assert_eq!(filled.raw().as_value()["required"], json!(["text", "list"]));
    let value = Generic::<Id, 3> { text: "a".into(), list: vec![Id("b".to_owned())], absent: None };
    assert!(filled.is_valid(&JsonValue::encode(&value).unwrap()));
}

/// Replaced.
#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
#[schema(title = "Mark", description = "A mark.", crate = "::toolgate_schema")]
struct Annotated {
    /// Replaced.
    #[schema(title = "First", description = "The first.")]
    first: Id,
    /// Removed.
    #[schema(description = "")]
    second: bool,
    #[schema(title = "Third")]
    third: Option<Id>,
}

#[test]
fn schema_attributes_override_doc_comments() {
    check(
        json!({
            "type": "object",
            "title": "Mark",
            "description": "A mark.",
            "properties": {
                "first": { "type": "string", "title": "First", "description": "The first." },
                "second": { "type": "boolean" },
                "third": { "type": "string", "title": "Third", "description": "The id of a file." },
            },
            "required": ["first", "second"],
            "additionalProperties": true,
        }),
        &[Annotated { first: Id("a".to_owned()), second: true, third: None }],
    );
}

mod digits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
struct Custom {
    #[serde(with = "digits")]
    #[schema(with = "String")]
    wide: u128,
    #[schema(with = "Vec<JsonValue>")]
    children: Vec<Custom>,
}

#[derive(Schema, Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(into = "String", from = "String")]
#[schema(with = "String")]
struct Shouted {
    quiet: u128,
}

impl From<Shouted> for String {
    fn from(value: Shouted) -> Self {
        value.quiet.to_string()
    }
}

impl From<String> for Shouted {
    fn from(text: String) -> Self {
        Self { quiet: text.parse().unwrap_or_default() }
    }
}

#[test]
fn with_names_a_json_form_that_serde_makes_elsewhere() {
    check(
        json!({
            "type": "object",
            "properties": { "wide": { "type": "string" }, "children": { "type": "array", "items": {} } },
            "required": ["wide", "children"],
            "additionalProperties": true,
        }),
        &[Custom { wide: u128::MAX, children: vec![Custom { wide: 1, children: Vec::new() }] }],
    );
    check(json!({ "type": "string" }), &[Shouted { quiet: 7 }]);
}

macro_rules! made_by_a_macro {
    ($name:ident, $field:ident: $type:ty, $text:literal, $key:literal) => {
        #[doc = $text]
        #[derive(Schema, Serialize, Deserialize, PartialEq, Debug)]
        struct $name {
            #[serde(rename = $key)]
            $field: $type,
        }
    };
}

made_by_a_macro!(Made, field: Option<u8>, "Made.", "key");

#[test]
fn structs_made_by_a_macro_are_read_alike() {
    check(
        json!({
            "type": "object",
            "description": "Made.",
            "properties": { "key": { "type": "integer" } },
            "additionalProperties": true,
        }),
        &[Made { field: None }, Made { field: Some(1) }],
    );
}
