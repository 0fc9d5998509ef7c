//! Rule S2: the assertion of the enforced subset.

use serde_json::Value;
use toolgate_schema::{CompiledSchema, check, check_object_root};

use crate::{json, raw};

#[track_caller]
fn violations(schema: &Value) -> Vec<String> {
    check(schema).iter().map(|violation| format!("{} {}", violation.path(), violation.kind())).collect()
}

#[test]
fn schemas_inside_the_subset_s2() {
    for schema in [
        "{}",
        r#"{"description":"d","title":"t","default":{"x":[1]},"examples":3}"#,
        r#"{"type":"string","enum":["a","b"],"const":"a"}"#,
        r#"{"type":"number","enum":[1,2.5],"const":1.0}"#,
        r#"{"type":"integer","const":1e30}"#,
        r#"{"type":"array","items":{"oneOf":[{},{"type":"null"}]}}"#,
        r#"{"type":"object","properties":{"a":{},"":{}},"required":["","a","a"],"additionalProperties":false}"#,
    ] {
        assert_eq!(violations(&json(schema)), [""; 0], "{schema}");
        assert!(CompiledSchema::compile(json(schema)).is_ok(), "{schema}");
    }
}

#[test]
fn every_violation_in_walk_order_s2() {
    for (schema, expected) in [
        ("true", &["schema not-a-schema"][..]),
        (
            r#"{"$ref":"x","default":-0.0,"title":1,"type":"str","description":[-0.0]}"#,
            &[
                "schema.$ref unsupported-keyword",
                "schema.default annotation-not-lossless",
                "schema.description annotation-not-lossless",
                "schema.description annotation-not-string",
                "schema.title annotation-not-string",
                "schema.type bad-type",
            ],
        ),
        (r#"{"type":"string","oneOf":[]}"#, &["schema type-and-oneof"]),
        (
            r#"{"const":1,"items":{},"properties":{}}"#,
            &[
                "schema.properties keyword-without-type",
                "schema.items keyword-without-type",
                "schema.const keyword-without-type",
            ],
        ),
        (
            r#"{"enum":[1],"oneOf":[{"type":"x"},3]}"#,
            &[
                "schema.oneOf[0].type bad-type",
                "schema.oneOf[1] not-a-schema",
                "schema.enum keyword-beside-oneof",
            ],
        ),
        (
            r#"{"type":"object","required":["a","b"],"properties":{"a":{"type":"array","enum":[]},"c.d":1},
                "additionalProperties":{},"items":{}}"#,
            &[
                "schema.items misplaced-keyword",
                "schema.properties.a.enum misplaced-keyword",
                "schema.properties.c.d not-a-schema",
                "schema.required required-undeclared",
                "schema.additionalProperties bad-additional-properties",
            ],
        ),
        (
            r#"{"type":"object","properties":[],"required":[1]}"#,
            &["schema.properties bad-properties", "schema.required bad-required"],
        ),
        (
            r#"{"type":"integer","enum":[1,1.5],"const":-0.0}"#,
            &["schema.enum bad-enum", "schema.const bad-const"],
        ),
        (r#"{"type":"string","enum":["a"],"const":"b"}"#, &["schema.const const-not-in-enum"]),
    ] {
        assert_eq!(violations(&raw(schema)), expected, "{schema}");
    }
}

#[test]
fn an_object_root_is_demanded_only_of_a_good_schema_s2() {
    let kinds = |schema: &str| {
        let violations = check_object_root(&json(schema));
        violations.iter().map(|violation| violation.kind().as_str()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(r#"{"type":"object"}"#), [""; 0]);
    assert_eq!(kinds(r#"{"type":"array"}"#), ["root-not-object"]);
    assert_eq!(kinds("{}"), ["root-not-object"]);
    assert_eq!(kinds(r#"{"type":"array","x":1}"#), ["unsupported-keyword"]);
}

#[test]
fn messages_are_bounded() {
    let name = "n".repeat(100_000);
    let bad = format!("{{\"type\":\"x\",\"{name}\":1}}");
    let fields: Vec<String> = (0..1_000).map(|index| format!("\"p{index}\":{bad}")).collect();
    let schema = format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", fields[..20].join(","));
    let error = CompiledSchema::compile(json(&schema)).unwrap_err();
    assert_eq!(error.violations().len(), 40);
    assert!(error.to_string().len() < 4_000, "{}", error.to_string().len());
    assert!(error.to_string().ends_with("and 32 more"));
    let undeclared = format!("{{\"type\":\"object\",\"required\":[\"{name}\"]}}");
    let violations = check(&json(&undeclared));
    assert_eq!(violations[0].name(), Some(name.as_str()));
    assert!(violations[0].to_string().len() < 400);
}

#[test]
fn shared_paths_keep_many_deep_violations_small() {
    // A long name above many faults: paths share it, so this takes megabytes and not gigabytes.
    let name = "n".repeat(200_000);
    let branches = vec!["1"; 50_000].join(",");
    let schema = format!("{{\"type\":\"object\",\"properties\":{{\"{name}\":{{\"oneOf\":[{branches}]}}}}}}");
    let violations = check(&json(&schema));
    assert_eq!(violations.len(), 50_000);
    assert!(violations[49_999].path().ends_with(".oneOf[49999]"));
}
