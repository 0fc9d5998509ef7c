//! The arguments of a tool in words, from its JSON Schema.
//!
//! Used by the list of tools and by the hint for arguments that were refused. Reads any schema and fails on none: what
//! it does not know is `any`.

use serde_json::Value;

/// One argument of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// Its type in words.
    pub(crate) kind: String,
    /// Whether a call needs it.
    pub(crate) is_required: bool,
    /// What it is for.
    pub(crate) description: String,
}

/// The arguments that a schema declares, required ones first, otherwise in its order.
pub(crate) fn parameters(schema: &Value) -> Vec<Parameter> {
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|names| names.iter().any(|one| one == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut parameters: Vec<_> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| Parameter {
            name: name.clone(),
            kind: kind_in_words(schema, LEVELS),
            is_required: required(name),
            description: text(schema, "description").to_owned(),
        })
        .collect();
    parameters.sort_by_key(|parameter| !parameter.is_required);
    parameters
}

/// How deep a type is spelled out before it becomes `…`.
const LEVELS: usize = 3;
/// How many alternatives are spelled out.
const ALTERNATIVES: usize = 6;

fn kind_in_words(schema: &Value, levels: usize) -> String {
    let Some(levels) = levels.checked_sub(1) else { return "…".to_owned() };
    if let Some(value) = schema.get("const") {
        return short_json(value);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return alternatives(values.iter().map(short_json), values.len());
    }
    if let Some(branches) = schema.get("oneOf").and_then(Value::as_array) {
        return alternatives(branches.iter().map(|branch| kind_in_words(branch, levels)), branches.len());
    }
    match (text(schema, "type"), schema.get("items")) {
        ("", _) => "any".to_owned(),
        ("array", Some(items)) => format!("array of {}", kind_in_words(items, levels)),
        (kind, _) => kind.to_owned(),
    }
}

fn alternatives(words: impl Iterator<Item = String>, count: usize) -> String {
    let mut list = words.take(ALTERNATIVES).collect::<Vec<_>>();
    if count > ALTERNATIVES {
        list.push("…".to_owned());
    }
    list.join(" | ")
}

/// A scalar as JSON; containers are not spelled out.
fn short_json(value: &Value) -> String {
    match value {
        Value::Array(_) => "[…]".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn text<'a>(schema: &'a Value, key: &str) -> &'a str {
    schema.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The first sentence of a text, on one line.
pub(crate) fn first_sentence(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end =
        words.match_indices(". ").find(|(at, _)| !ends_in_abbreviation(words.get(..*at).unwrap_or_default()));
    match end {
        Some((at, _)) => words.get(..at).unwrap_or_default().to_owned(),
        None => words.trim_end_matches('.').to_owned(),
    }
}

fn ends_in_abbreviation(text: &str) -> bool {
    ["e.g", "i.e", "etc"].iter().any(|short| text.ends_with(short))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_words() {
        for (schema, words) in [
            (json!({ "type": "string" }), "string"),
            (json!({}), "any"),
            (json!({ "type": "array", "items": { "type": "integer" } }), "array of integer"),
            (json!({ "type": "array" }), "array"),
            (json!({ "type": "string", "enum": ["a", "b"] }), "\"a\" | \"b\""),
            (json!({ "const": 1 }), "1"),
            (json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] }), "null | string"),
            (json!({ "enum": [1, 2, 3, 4, 5, 6, 7] }), "1 | 2 | 3 | 4 | 5 | 6 | …"),
            (
                json!({ "type": "array", "items": { "type": "array", "items": { "type": "array", "items": {} } } }),
                "array of array of array of …",
            ),
        ] {
            assert_eq!(kind_in_words(&schema, LEVELS), words, "{schema}");
        }
    }

    #[test]
    fn required_arguments_come_first() {
        let schema = json!({
            "properties": { "a": { "type": "string" }, "b": { "type": "integer", "description": "Bees." } },
            "required": ["b"],
        });
        let list = parameters(&schema);
        let names: Vec<_> = list.iter().map(|one| (one.name.as_str(), one.is_required)).collect();
        assert_eq!(names, [("b", true), ("a", false)]);
        assert_eq!(parameters(&json!(null)), []);
    }

    #[test]
    fn sentences_end_at_their_stop() {
        assert_eq!(first_sentence("Read a file.\nMore. And more."), "Read a file");
        assert_eq!(first_sentence("Files, e.g. `a.rs`, are read. More."), "Files, e.g. `a.rs`, are read");
        assert_eq!(first_sentence("No stop"), "No stop");
        assert_eq!(first_sentence(""), "");
    }
}
