//! K32: what a provider cannot take of a tool's parameters is told in words and listed; nothing is lost in silence.

use serde_json::{Value, json};
use toolgate::{JsonValue, ToolSchema};
use toolgate_agent::model::projection::project;

fn schema(parameters: &Value) -> ToolSchema {
    ToolSchema {
        name: "tool".to_owned(),
        description: "Does something.".to_owned(),
        parameters: JsonValue::parse(&parameters.to_string()).unwrap(),
    }
}

#[test]
fn schemas_become_what_every_provider_takes() {
    let a = || json!({ "type": "string" });
    // The parameters, what is sent, what of it is listed as lost.
    let table = [
        (
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] }),
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] }),
            vec![],
        ),
        (json!({}), json!({ "type": "object", "properties": {} }), vec![]),
        (
            json!({ "properties": { "a": { "anyOf": [a(), { "type": "null" }] } } }),
            json!({ "properties": { "a": { "anyOf": [a(), { "type": "null" }] } }, "type": "object" }),
            vec![],
        ),
        (
            json!({ "anyOf": [{ "properties": { "a": a() }, "required": ["a"] }, { "properties": { "b": a() } }] }),
            json!({ "properties": { "a": a(), "b": a() }, "type": "object" }),
            vec!["`anyOf` at the root is told in words"],
        ),
        (
            json!({ "type": "string", "enum": ["x"] }),
            json!({ "type": "object", "properties": {} }),
            vec![
                "`enum` at the root is told in words",
                "the type \"string\" of the root is told as `object`",
            ],
        ),
        (
            json!({ "$ref": "#/$defs/N", "$defs": { "N": { "type": "object", "properties": { "a": a() } } } }),
            json!({
                "$defs": { "N": { "type": "object", "properties": { "a": a() } } },
                "type": "object",
                "properties": { "a": a() },
            }),
            vec![],
        ),
        (
            json!({ "$ref": "https://example.com/n.json" }),
            json!({ "type": "object", "properties": {} }),
            vec!["the reference \"https://example.com/n.json\" at the root cannot be resolved"],
        ),
        (
            json!({ "$ref": "#" }),
            json!({ "type": "object", "properties": {} }),
            vec!["the reference \"#\" at the root cannot be resolved"],
        ),
    ];
    for (parameters, sent, losses) in table {
        let projection = project(&schema(&parameters));
        assert_eq!(projection.parameters, sent, "{parameters}");
        assert_eq!(projection.losses, losses, "{parameters}");
        let is_told = projection.description.contains("must also match this JSON Schema");
        assert_eq!(
            is_told,
            losses.iter().any(|loss| loss.contains("in words")),
            "{}",
            projection.description
        );
    }
}
