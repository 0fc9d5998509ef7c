//! Rule S1: the author language, as builders and as JSON.

use serde_json::json as value;
use toolgate_schema::{Openness, ParameterSchema, ValueSchema};

use crate::{json, raw};

#[test]
fn builders_write_the_author_form_s1() {
    let schema = ParameterSchema::new()
        .required("path", ValueSchema::string().description("where").title("Path"))
        .optional("limit", ValueSchema::integer().default(10).examples(json("[1, 2]")))
        .optional("mode", ValueSchema::string().one_of_values(["r", "w"]))
        .optional(
            "edits",
            ValueSchema::array(
                ValueSchema::object(Openness::Closed)
                    .required_property(
                        "at",
                        ValueSchema::one_of([ValueSchema::number(), ValueSchema::null()]),
                    )
                    .property("flag", ValueSchema::boolean().constant(true))
                    .property("rest", ValueSchema::json()),
            ),
        )
        .optional("extra", ValueSchema::object(Openness::Open))
        .optional("any", ValueSchema::any_array());
    let expected = value!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "where", "title": "Path" },
            "limit": { "type": "integer", "default": 10, "examples": [1, 2] },
            "mode": { "type": "string", "enum": ["r", "w"] },
            "edits": { "type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "at": { "oneOf": [{ "type": "number" }, { "type": "null" }] },
                    "flag": { "type": "boolean", "const": true },
                    "rest": {}
                },
                "required": ["at"]
            } },
            "extra": { "type": "object", "additionalProperties": true },
            "any": { "type": "array" }
        },
        "required": ["path"]
    });
    assert_eq!(schema.to_json_schema().unwrap(), expected);
    assert_eq!(*schema.compile().unwrap().raw(), expected);
    assert_eq!(ParameterSchema::from_json(schema.author_form()).unwrap(), schema);
    let read: ParameterSchema = serde_json::from_value(schema.author_form().clone()).unwrap();
    assert_eq!(read, schema);
}

#[test]
fn the_first_fault_of_a_value_s1() {
    for (author, kind, path) in [
        ("1", "not-a-schema", "schema"),
        ("{}", "bad-type", "schema.type"),
        (r#"{"type":"any"}"#, "bad-type", "schema.type"),
        (r#"{"type":["string"]}"#, "bad-type", "schema.type"),
        (r#"{"type":"object"}"#, "bad-additional-properties", "schema.additionalProperties"),
        (
            r#"{"type":"object","additionalProperties":{}}"#,
            "bad-additional-properties",
            "schema.additionalProperties",
        ),
        (
            r#"{"type":"object","additionalProperties":true,"properties":[]}"#,
            "bad-properties",
            "schema.properties",
        ),
        (r#"{"type":"string","items":{}}"#, "unsupported-keyword", "schema.items"),
        (r#"{"type":"string","required":true}"#, "unsupported-keyword", "schema.required"),
        (r#"{"oneOf":[{"type":"json"}]}"#, "oneof-too-few", "schema.oneOf"),
        (r#"{"oneOf":[],"type":"string"}"#, "type-and-oneof", "schema"),
        (
            r#"{"oneOf":[{"type":"json"},{"type":"string","x":1}]}"#,
            "unsupported-keyword",
            "schema.oneOf[1].x",
        ),
        (
            r#"{"type":"array","items":{"type":"json","required":true}}"#,
            "unsupported-keyword",
            "schema.items.required",
        ),
        (r#"{"type":"string","enum":[1]}"#, "bad-enum", "schema.enum"),
        (r#"{"type":"string","enum":["a"],"const":"b"}"#, "const-not-in-enum", "schema.const"),
        (r#"{"type":"string","title":1}"#, "annotation-not-string", "schema.title"),
        (r#"{"type":"json","default":[-0.0]}"#, "annotation-not-lossless", "schema.default"),
        // The author language is judged before the compiled schema.
        (r#"{"oneOf":[{"type":"string","enum":[1]},{"type":"?"}]}"#, "bad-type", "schema.oneOf[1].type"),
    ] {
        let fault = ValueSchema::from_json(&raw(author)).unwrap_err();
        assert_eq!((fault.kind().as_str(), fault.path()), (kind, path), "{author}");
    }
}

#[test]
fn the_first_fault_of_a_parameter_map_s1() {
    for (author, kind, path) in [
        ("[]", "bad-properties", "parameters"),
        (r#"{"a":"string"}"#, "not-a-schema", "parameters.a"),
        (r#"{"a":{"type":"string","required":false}}"#, "bad-required", "parameters.a.required"),
        (
            r#"{"a":{"type":"object","additionalProperties":true,"properties":{},"required":["b"]}}"#,
            "bad-required",
            "parameters.a.required",
        ),
    ] {
        let fault = ParameterSchema::from_json(&raw(author)).unwrap_err();
        assert_eq!((fault.kind().as_str(), fault.path()), (kind, path), "{author}");
    }
    let error = serde_json::from_str::<ParameterSchema>(r#"{"a":{"type":"x"}}"#).unwrap_err();
    assert!(error.to_string().starts_with("`parameters.a.type` must be one of"), "{error}");
}

#[test]
fn builders_report_mistakes_when_compiled_s1() {
    let fault = ValueSchema::one_of([ValueSchema::string()]).compile().unwrap_err();
    assert_eq!(fault.kind().as_str(), "oneof-too-few");
    let fault = ValueSchema::string().constant(1).compile().unwrap_err();
    assert_eq!(fault.kind().as_str(), "bad-const");
    let fault = ValueSchema::string().property("a", ValueSchema::json()).compile().unwrap_err();
    assert_eq!(fault.kind().as_str(), "unsupported-keyword");
}
