//! The JSON Schema of `toolgate.toml`, for editors: made from the list of keys, and shipped as a file.

use serde_json::{Map, Value, json};

use super::keys::{KEYS, Key, Kind};

/// The schema.
pub(crate) fn schema() -> Value {
    let mut root = section(&[]);
    if let Value::Object(fields) = &mut root {
        fields.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".to_owned(), "toolgate.toml".into());
    }
    root
}

/// What may stand below a path.
fn section(path: &[String]) -> Value {
    let mut properties = Map::new();
    let mut others = Value::Bool(false);
    for name in Key::below(path) {
        let path = [path, &[name.to_owned()]].concat();
        let schema = match KEYS.iter().find(|key| key.parts().eq(path.iter().map(String::as_str))) {
            Some(key) => of_key(key),
            None => section(&path),
        };
        if name == "*" {
            others = schema;
        } else {
            properties.insert(name.to_owned(), schema);
        }
    }
    let mut section = json!({ "type": "object", "additionalProperties": others });
    if let (Value::Object(section), false) = (&mut section, properties.is_empty()) {
        section.insert("properties".to_owned(), Value::Object(properties));
    }
    section
}

fn of_key(key: &Key) -> Value {
    let mut schema = of_kind(key.kind);
    if let Value::Object(fields) = &mut schema {
        fields.insert("description".to_owned(), key.about.into());
        // Every default is a TOML value; a test reads them all.
        if let Some(default) = key.default.and_then(|text| text.parse::<toml::Value>().ok()) {
            fields.insert("default".to_owned(), json!(default));
        }
    }
    schema
}

fn of_kind(kind: Kind) -> Value {
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Duration => json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h)$" }),
        Kind::Size => json!({ "type": "string", "pattern": "^[0-9]+(K|k|KiB|M|m|MiB|G|g|GiB)$" }),
        Kind::Text | Kind::Secret => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::ToolSpill => {
            json!({ "oneOf": [{ "const": "never" }, one("above", json!({ "type": "integer", "minimum": 0 }))] })
        }
        Kind::KeySource => json!({ "oneOf": [
            one("environment", json!({ "type": "string" })),
            one("command", json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })),
        ] }),
        Kind::Rules => json!({ "type": "array", "items": rule() }),
    }
}

/// An object with one field.
fn one(name: &str, schema: Value) -> Value {
    json!({ "type": "object", "properties": { name: schema }, "required": [name], "additionalProperties": false })
}

/// A rule in the long form.
fn rule() -> Value {
    let patterns = |what: &str| {
        json!({
            "type": "object",
            "additionalProperties": { "type": "string" },
            "description": format!("Patterns of {what} by the JSON pointer of the argument."),
        })
    };
    let example = json!({ "anyOf": [{ "type": "string" }, {
        "type": "object",
        "properties": { "tool": { "type": "string" }, "arguments": { "type": "object" } },
        "additionalProperties": false,
    }] });
    let examples = |what: &str| json!({ "type": "array", "items": example, "description": what });
    json!({
        "type": "object",
        "properties": {
            "decision": { "enum": ["allow", "ask", "deny"] },
            "rule": { "type": "string", "description": "Which calls, such as `bash(git status)`." },
            "reason": { "type": "string", "description": "Why, for those who are asked or denied." },
            "arguments": patterns("values"),
            "paths": patterns("paths"),
            "urls": patterns("hosts"),
            "commands": patterns("commands"),
            "match": examples("Calls that the rule has to decide."),
            "no_match": examples("Calls that the rule has to leave alone."),
        },
        "required": ["decision", "rule"],
        "additionalProperties": false,
    })
}
