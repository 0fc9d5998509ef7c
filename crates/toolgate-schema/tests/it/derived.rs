//! Rule S5: schemas of Rust types, from the nodes that the derive writes.

use serde_json::json as value;
use toolgate_schema::{Node, NodeKind, Nullable, Property, Schema, parameter_schema_of, value_schema_of};

struct Args;

impl Schema for Args {
    const NODE: &'static Node = &Node {
        kind: NodeKind::Object {
            properties: &[
                Property {
                    name: "path",
                    node: <String as Schema>::NODE,
                    description: Some("where"),
                    required: true,
                },
                Property {
                    name: "mode",
                    node: &Node::new(NodeKind::String { values: Some(&["r", "w"]) }).described(Some("how")),
                    description: None,
                    required: false,
                },
                Property {
                    name: "tag",
                    node: &Node::new(NodeKind::Literal("x")),
                    description: None,
                    required: false,
                },
                Property {
                    name: "list",
                    node: <Vec<Nullable<u8>> as Schema>::NODE,
                    description: None,
                    required: true,
                },
            ],
            additional_properties: true,
        },
        description: None,
        title: Some("Args"),
    };
}

struct Closed;

impl Schema for Closed {
    const NODE: &'static Node =
        &Node::new(NodeKind::Object { properties: &[], additional_properties: false });
}

fn properties() -> serde_json::Value {
    value!({
        "path": { "type": "string", "description": "where" },
        "mode": { "type": "string", "enum": ["r", "w"], "description": "how" },
        "tag": { "type": "string", "const": "x" },
        "list": { "type": "array", "items": { "oneOf": [{ "type": "integer" }, { "type": "null" }] } }
    })
}

#[test]
fn a_type_becomes_a_schema_of_the_subset_s5() {
    let schema = value_schema_of::<Args>().unwrap();
    assert_eq!(
        *schema.raw(),
        value!({
            "type": "object",
            "additionalProperties": true,
            "properties": properties(),
            "required": ["path", "list"],
            "title": "Args"
        })
    );
    for (schema, expected) in [
        (value_schema_of::<str>(), value!({ "type": "string" })),
        (value_schema_of::<Box<str>>(), value!({ "type": "string" })),
        (value_schema_of::<f32>(), value!({ "type": "number" })),
        (value_schema_of::<()>(), value!({ "type": "null" })),
        (value_schema_of::<serde_json::Value>(), value!({})),
        (value_schema_of::<[bool]>(), value!({ "type": "array", "items": { "type": "boolean" } })),
    ] {
        assert_eq!(*schema.unwrap().raw(), expected);
    }
}

#[test]
fn a_parameter_root_is_open_without_saying_so_s1() {
    let schema = parameter_schema_of::<Args>().unwrap();
    assert_eq!(
        *schema.raw(),
        value!({
            "type": "object",
            "properties": properties(),
            "required": ["path", "list"],
            "title": "Args"
        })
    );
    let closed = parameter_schema_of::<Closed>().unwrap();
    assert_eq!(*closed.raw(), value!({ "type": "object", "additionalProperties": false, "properties": {} }));
    let fault = parameter_schema_of::<Vec<u8>>().unwrap_err();
    assert_eq!(fault.kind().as_str(), "root-not-object");
    assert!(parameter_schema_of::<Nullable<Args>>().is_err());
}
