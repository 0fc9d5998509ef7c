//! Schemas of servers (K30, K31, K32): all of JSON Schema, checked before the server hears of a call, within bounds.

use serde_json::{Value, json};

use super::{Mounted, heard, lists, result, rule, says, settings, stub, tool};

fn with_input(name: &str, schema: Value) -> Value {
    json!({ "name": name, "inputSchema": schema })
}

#[tokio::test]
async fn arguments_are_checked_by_the_whole_schema_k30_k31_k32() {
    let defs = json!({ "type": "object", "properties": { "n": { "$ref": "#/$defs/N" } },
                       "$defs": { "N": { "type": "integer", "minimum": 1 } } });
    let tree = json!({ "type": "object", "properties": { "name": { "type": "string" },
                       "children": { "type": "array", "items": { "$ref": "#" } } }, "required": ["name"] });
    let any = json!({ "type": "object", "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    let nullable = json!({ "type": "object", "properties": { "x": { "type": ["string", "null"] } } });
    let stub = stub([
        lists(&[
            with_input("defs", defs.clone()),
            with_input("tree", tree),
            with_input("any", any),
            with_input("nullable", nullable),
        ]),
        rule("tools/call", [says("done")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let parameters = mounted.runtime.get("mcp__s__defs").unwrap().parameters().clone();
    assert_eq!(parameters, defs, "S7: what models get is what the server sent, definitions included");
    let deep = json!({ "name": "1", "children": [{ "name": "2", "children": [{ "name": "3" }] }] });
    let bad = json!({ "name": "1", "children": [{ "name": "2", "children": [{ "name": 3 }] }] });
    let mut reached = 0;
    for (tool, arguments, problem) in [
        ("defs", json!({ "n": 1 }), None),
        ("defs", json!({ "n": 0 }), Some("`n`: 0 is less than the minimum of 1")),
        ("tree", deep, None),
        ("tree", bad, Some("`children[0].children[0].name`")),
        ("any", json!({ "b": 1 }), None),
        ("any", json!({ "c": 1 }), Some("not valid under any")),
        ("nullable", json!({ "x": null }), None),
        ("nullable", json!({ "x": 1 }), Some("`x`: 1 is not of types")),
    ] {
        let called = mounted.call(&format!("mcp__s__{tool}"), arguments.clone()).await;
        match problem {
            None => {
                assert_eq!(called.text(), "done", "{tool} {arguments}");
                reached += 1;
            }
            Some(problem) => {
                assert_eq!(called.code(), Some("INVALID_ARGS"), "{tool} {arguments}");
                assert!(called.text().contains(problem), "{tool} {arguments}: {}", called.text());
            }
        }
        assert_eq!(heard(&stub, "tools/call").len(), reached, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_tool_whose_schema_cannot_be_used_costs_no_other_one_k31() {
    let mut nested = "{}".to_owned();
    for _ in 0..5_000 {
        nested = format!(r#"{{"type":"object","properties":{{"a":{nested}}}}}"#);
    }
    let deep = format!(r#"{{"name":"deep","inputSchema":{nested}}}"#);
    let mut row = serde_json::Map::new();
    for level in 0..200 {
        row.insert(format!("d{level}"), json!({ "$ref": format!("#/$defs/d{}", level + 1) }));
    }
    row.insert("d200".to_owned(), json!({ "type": "object" }));
    let bad = [
        with_input("circle", json!({ "$ref": "#" })),
        with_input("circle2", json!({ "properties": { "x": { "allOf": [{ "$ref": "#/properties/x" }] } } })),
        with_input(
            "hidden",
            json!({ "$defs": { "a b": { "$ref": "#/$defs/a%20b" } }, "$ref": "#/$defs/a%20b" }),
        ),
        with_input("row", json!({ "$defs": row, "$ref": "#/$defs/d0" })),
        with_input("nowhere", json!({ "$ref": "#/$defs/none" })),
        with_input("outside", json!({ "$ref": "http://example.com/schema.json" })),
        with_input("pattern", json!({ "properties": { "x": { "pattern": "(" } } })),
        with_input("kind", json!({ "type": "objekt" })),
        json!({ "name": "none" }),
        json!({ "name": "list", "inputSchema": [] }),
        json!({ "inputSchema": {} }),
        json!({ "name": "text", "inputSchema": {}, "description": 7 }),
        json!({ "name": "output", "inputSchema": {}, "outputSchema": { "$ref": "#" } }),
        json!(7),
    ];
    let mut tools: Vec<String> = bad.iter().map(Value::to_string).collect();
    tools.insert(0, deep);
    tools.insert(3, tool("good").to_string());
    tools.push(tool("good").to_string());
    let page = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":[{}]}}}}"#, tools.join(","));
    let stub = stub([rule("tools/list", [page]), rule("tools/call", [says("done")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    assert_eq!(mounted.names(), ["mcp__s__good"]);
    assert_eq!(mounted.call("mcp__s__good", json!({})).await.text(), "done");
    let quarantined = mounted.status().quarantined;
    let named: Vec<&str> = quarantined.iter().map(|tool| tool.tool.as_str()).collect();
    for name in [
        "deep", "circle", "circle2", "hidden", "row", "nowhere", "outside", "pattern", "kind", "none",
        "list", "text", "output",
    ] {
        assert!(named.contains(&name), "{name} is not among {named:?}");
    }
    assert_eq!(quarantined.len(), 15);
    assert!(quarantined.iter().all(|tool| !tool.reason.is_empty() && tool.reason.len() < 2_000));
}

#[tokio::test]
async fn a_schema_that_makes_more_work_with_every_level_is_stopped_k31() {
    // Two branches that both look into `c`: 2^n looks for n levels.
    let branch = json!({ "properties": { "c": { "$ref": "#" } } });
    let doubling = json!({ "type": "object", "anyOf": [branch, branch] });
    // A list of a million ways that ends in one value.
    let mut defs = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "anyOf": [next, { "allOf": [next] }] }));
    }
    defs.insert("d30".to_owned(), json!({ "type": "integer" }));
    let wide = json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": defs });
    let mut defs = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "type": "object", "properties": { "l": next, "r": next } }));
    }
    defs.insert("d30".to_owned(), json!({ "type": "integer" }));
    let deep = json!({ "$ref": "#/$defs/d0", "$defs": defs });
    let tree = json!({ "type": "object", "properties": { "l": { "$ref": "#" }, "r": { "$ref": "#" } } });
    let stub = stub([
        lists(&[
            with_input("doubling", doubling),
            with_input("wide", wide),
            with_input("deep", deep),
            with_input("tree", tree),
        ]),
        rule("tools/call", [says("done")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let nested = |levels: usize| (0..levels).fold(json!({}), |inside, _| json!({ "c": inside }));
    let full = |levels: usize| (0..levels).fold(json!({}), |below, _| json!({ "l": below, "r": below }));
    for (tool, arguments, is_refused) in [
        ("doubling", nested(5), false),
        ("doubling", nested(100), true),
        ("wide", json!({ "x": "text" }), true),
        ("wide", json!({}), false),
        ("deep", full(5), false),
        ("tree", full(10), false),
    ] {
        let begun = std::time::Instant::now();
        let called = mounted.call(&format!("mcp__s__{tool}"), arguments).await;
        assert_eq!(called.text().contains("would take too long"), is_refused, "{tool}: {}", called.text());
        assert!(begun.elapsed().as_secs() < 5, "{tool}");
    }
}

#[tokio::test]
async fn promises_about_results_are_kept_whole() {
    let enforced = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                           "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let whole = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 10 } } });
    let output =
        |name: &str, schema: &Value| json!({ "name": name, "inputSchema": {}, "outputSchema": schema });
    let answer = |n: Value| result(json!({ "content": [], "structuredContent": { "n": n } }));
    let stub = stub([
        lists(&[
            output("fine", &enforced),
            output("wrong", &enforced),
            output("bare", &enforced),
            output("small", &whole),
            output("large", &whole),
        ]),
        rule("tools/call:fine", [answer(json!(1))]),
        rule("tools/call:wrong", [answer(json!("1"))]),
        rule("tools/call:bare", [says("no structure")]),
        rule("tools/call:small", [answer(json!(9))]),
        rule("tools/call:large", [answer(json!(10))]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let registered = mounted.runtime.get("mcp__s__fine").unwrap().output_schema().clone();
    assert_eq!(registered["properties"]["structuredContent"]["properties"]["n"]["type"], "integer");
    for (tool, code) in [
        ("fine", None),
        ("wrong", Some("INVALID_TOOL_OUTPUT")),
        ("bare", Some("INVALID_TOOL_OUTPUT")),
        ("small", Some("INVALID_TOOL_OUTPUT")),
        ("large", None),
    ] {
        let called = mounted.call(&format!("mcp__s__{tool}"), json!({})).await;
        assert_eq!(called.code(), code, "{tool}: {}", called.text());
    }
}

#[tokio::test]
async fn a_value_that_is_too_deep_is_refused_before_it_is_looked_at() {
    let stub = stub([lists(&[tool("t")]), rule("tools/call", [says("done")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    for (levels, code) in [(100, None), (130, Some("INVALID_ARGS")), (900, Some("INVALID_ARGS"))] {
        let text = format!(r#"{{"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        let arguments = toolgate::JsonValue::parse(&text).unwrap();
        let call = toolgate::ToolCall::new("mcp__s__t", arguments, toolgate::CancellationToken::new());
        let called = mounted.runtime.execute(call).await;
        assert_eq!(called.code(), code, "{levels} levels: {}", called.text());
    }
    assert_eq!(heard(&stub, "tools/call").len(), 1);
}
