//! Rule S3: every violation, in order, with its path and a message that helps.

use toolgate_schema::{CompiledSchema, JsonValue, PathRoot, ValueViolationKind};

use crate::{compiled, json, raw};

#[track_caller]
fn violations(schema: &str, value: &str) -> Vec<String> {
    let (schema, value) = (compiled(schema), raw(value));
    let found = schema.validate(&value, PathRoot::Value);
    if let Ok(lossless) = JsonValue::new(value) {
        assert_eq!(schema.is_valid(&lossless), found.is_empty());
        assert_eq!(schema.check_value(&lossless, PathRoot::Value).is_ok(), found.is_empty());
    }
    found.iter().map(|violation| format!("{} {}", violation.path(), violation.kind())).collect()
}

#[test]
fn scalars_s3() {
    for (schema, value, expected) in [
        ("{}", "[{\"a\":null}]", ""),
        ("{}", "[{\"a\":-0.0}]", "value not-lossless"),
        (r#"{"type":"integer"}"#, "1.0", ""),
        (r#"{"type":"integer"}"#, "1e30", ""),
        (r#"{"type":"integer"}"#, "1.5", "value wrong-type"),
        (r#"{"type":"integer"}"#, "-0.0", "value wrong-type"),
        (r#"{"type":"number"}"#, "-0.0", "value not-lossless"),
        (r#"{"type":"number","enum":[1,2]}"#, "2.0", ""),
        (r#"{"type":"number","enum":[1,2]}"#, "3", "value enum-mismatch"),
        (r#"{"type":"number","enum":[1,2],"const":1}"#, "3", "value enum-mismatch"),
        (r#"{"type":"number","enum":[1,2],"const":1}"#, "2", "value const-mismatch"),
        (r#"{"type":"integer","const":9007199254740993}"#, "9007199254740992", "value const-mismatch"),
        (r#"{"type":"null"}"#, "null", ""),
        (r#"{"type":"boolean","const":false}"#, "true", "value const-mismatch"),
        (r#"{"type":"string"}"#, "1", "value wrong-type"),
        (r#"{"type":"array"}"#, "[1,[-0.0]]", "value not-lossless"),
        (r#"{"type":"array"}"#, "{}", "value wrong-type"),
    ] {
        assert_eq!(violations(schema, value).join("; "), expected, "{schema} {value}");
    }
}

#[test]
fn large_enums_are_looked_up() {
    let texts = (0..1_000).map(|index| format!("\"t{index}\"")).collect::<Vec<_>>().join(",");
    let schema = format!(r#"{{"type":"string","enum":[{texts}]}}"#);
    assert_eq!(violations(&schema, "\"t999\""), [""; 0]);
    assert_eq!(violations(&schema, "\"t1000\""), ["value enum-mismatch"]);
    let numbers = (0..1_000).map(|index| index.to_string()).collect::<Vec<_>>().join(",");
    let schema = format!(r#"{{"type":"number","enum":[{numbers},0.5]}}"#);
    assert_eq!(violations(&schema, "[]"), ["value wrong-type"]);
    assert_eq!(violations(&schema, "999.0"), [""; 0]);
    assert_eq!(violations(&schema, "0.5"), [""; 0]);
    assert_eq!(violations(&schema, "1000"), ["value enum-mismatch"]);
}

#[test]
fn objects_and_lists_in_walk_order_s3() {
    let schema = r#"{"type":"object","additionalProperties":false,"required":["a","b","a"],"properties":{
        "b":{"type":"string"},"a":{"type":"integer"},
        "list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"null"}}}}}}"#;
    assert_eq!(violations(schema, r#"{"a":1,"b":"x","list":[{},{"x":null,"y":[]}]}"#), [""; 0]);
    assert_eq!(
        violations(schema, r#"{"z":1,"list":[{"x":1},2,{"y":-0.0},{"x":0,"y":-0.0}],"a":"1","y":2}"#),
        [
            "value.b missing-required",
            "value.a wrong-type",
            "value.list[0].x wrong-type",
            "value.list[1] wrong-type",
            "value.list[2] not-lossless",
            "value.list[3].x wrong-type",
            "value.z undeclared-property",
            "value.y undeclared-property",
        ]
    );
    assert_eq!(
        violations(schema, "{}"),
        ["value.a missing-required", "value.b missing-required", "value.a missing-required"]
    );
    assert_eq!(violations(schema, "[]"), ["value wrong-type"]);
    assert_eq!(violations(r#"{"type":"object"}"#, r#"{"a":[-0.0]}"#), ["value not-lossless"]);
}

#[test]
fn many_properties_in_any_order() {
    let names: Vec<String> = (0..100).map(|index| format!("p{index}")).collect();
    let declared = names.iter().map(|name| format!("\"{name}\":{{\"type\":\"integer\"}}"));
    let schema = format!(
        r#"{{"type":"object","additionalProperties":false,"required":["p0","p99"],"properties":{{{}}}}}"#,
        declared.collect::<Vec<_>>().join(",")
    );
    let value = |names: &mut dyn Iterator<Item = &String>| {
        format!("{{{}}}", names.map(|name| format!("\"{name}\":1")).collect::<Vec<_>>().join(","))
    };
    assert_eq!(violations(&schema, &value(&mut names.iter())), [""; 0]);
    assert_eq!(violations(&schema, &value(&mut names.iter().rev())), [""; 0]);
    assert_eq!(violations(&schema, &value(&mut names.iter().skip(1))), ["value.p0 missing-required"]);
}

#[test]
fn unions_take_exactly_one_branch_s3() {
    let schema = r#"{"oneOf":[{"type":"integer"},{"type":"number"},{"type":"array","items":{"type":"null"}},
        {"type":"object","required":["k"],"properties":{"k":{"type":"string","const":"a"}}},
        {"type":"object","required":["k"],"properties":{"k":{"type":"string","const":"b"}}}]}"#;
    let matched = |value: &str| {
        let found = compiled(schema).validate(&raw(value), PathRoot::Value);
        found.first().map(|violation| violation.kind())
    };
    assert_eq!(matched("1.5"), None);
    assert_eq!(matched("1"), Some(ValueViolationKind::OneOfMatch { matched: 2 }));
    assert_eq!(matched("-0.0"), Some(ValueViolationKind::OneOfMatch { matched: 0 }));
    assert_eq!(matched("[null]"), None);
    assert_eq!(matched("[1]"), Some(ValueViolationKind::OneOfMatch { matched: 0 }));
    assert_eq!(matched(r#"{"k":"b"}"#), None);
    assert_eq!(matched(r#"{"k":"b","z":-0.0}"#), Some(ValueViolationKind::OneOfMatch { matched: 0 }));
    assert_eq!(matched(r#"{"k":"c"}"#), Some(ValueViolationKind::OneOfMatch { matched: 0 }));
}

#[test]
fn argument_paths_leave_the_root_out() {
    let schema = compiled(r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"null"}}}}"#);
    let paths = |value: &str| {
        let found = schema.validate(&json(value), PathRoot::Arguments);
        found.iter().map(|violation| violation.path()).collect::<Vec<_>>()
    };
    assert_eq!(paths("1"), ["arguments"]);
    assert_eq!(paths(r#"{"a":[null,1]}"#), ["a[1]"]);
    let list = compiled(r#"{"type":"array","items":{"type":"null"}}"#);
    assert_eq!(list.validate(&json("[1]"), PathRoot::Arguments)[0].path(), "arguments[0]");
}

#[test]
fn messages_say_what_to_do() {
    let schema = compiled(
        r#"{"type":"object","additionalProperties":false,"required":["path"],"properties":{
            "path":{"type":"string"},"mode":{"type":"string","enum":["read","write"]},
            "limit":{"type":"integer"},"v":{"type":"number","const":2},
            "u":{"oneOf":[{"type":"null"},{"type":"string"}]}}}"#,
    );
    let messages: Vec<String> = schema
        .validate(&json(r#"{"mode":"x","limit":1.5,"v":3,"u":1,"paht":1}"#), PathRoot::Arguments)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        messages,
        [
            "`path` is required but missing",
            "`mode` must be one of \"read\", \"write\"",
            "`limit` must be an integer, without a fraction and not negative zero",
            "`v` must be 2",
            "`u` must match exactly one of 2 alternatives, but matches none",
            "`paht` is not a known property; known are `path`, `mode`, `limit`, `v`, `u`",
        ]
    );
}

#[test]
fn messages_are_bounded() {
    let long = "x".repeat(100_000);
    let texts = (0..100).map(|index| format!("\"{long}{index}\"")).collect::<Vec<_>>().join(",");
    let schema = format!(
        r#"{{"type":"object","additionalProperties":false,"properties":{{"{long}":{{"type":"string","enum":[{texts}]}}}}}}"#
    );
    let value = format!("{{\"{long}\":\"{long}\",\"y{long}\\n\":1}}");
    let found = compiled(&schema).validate(&json(&value), PathRoot::Value);
    assert_eq!(found.len(), 2);
    for violation in found {
        let message = violation.to_string();
        assert!(message.len() < 2_000, "{}", message.len());
        assert!(!message.contains('\n'));
        assert!(violation.path().len() > 100_000);
    }
}

#[test]
fn the_empty_schema_is_shared() {
    assert_eq!(CompiledSchema::any().raw(), &JsonValue::empty_object());
    assert!(CompiledSchema::any().is_valid(&json("[1]")));
}
