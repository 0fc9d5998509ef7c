//! Typed tools: what crosses between Rust types and JSON (rules S5, S6).

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolgate::ToolDefinition;
use toolgate::prelude::*;

use crate::support::call;

/// Adds two small numbers.
#[tool(concurrency_safe, timeout = "10s", effect = pure)]
async fn add(
    /// The first number.
    a: u8,
    /// The second number; one where absent.
    b: Option<u8>,
) -> Result<u16, ToolError> {
    Ok(u16::from(a) + u16::from(b.unwrap_or(1)))
}

/// Greets through its context.
#[tool]
async fn greet(name: Nullable<String>, cx: &RunContext) -> Result<String, ToolError> {
    let name = match name {
        Nullable::Null => "nobody".to_owned(),
        Nullable::Value(name) => name,
    };
    Ok(format!("{}: hello {name}", cx.call().call_id()))
}

/// Fails with whatever `?` meets.
#[tool]
async fn parse(text: String) -> Result<i64, ToolError> {
    if text == "coded" {
        return Err(ToolError::coded("ParseError", "PARSE", "no number"));
    }
    Ok(text.parse::<i64>()?)
}

fn runtime() -> ToolRuntime {
    ToolRuntime::builder().tool(add).tool(greet).tool(parse).build().expect("valid")
}

#[test]
fn the_schema_is_the_rust_signature() {
    let schema = runtime().schemas().remove(0);
    assert_eq!(schema.name, "add");
    assert_eq!(schema.description, "Adds two small numbers.");
    assert_eq!(
        *schema.parameters,
        json!({
            "type": "object",
            "properties": {
                "a": { "type": "integer", "description": "The first number." },
                "b": { "type": "integer", "description": "The second number; one where absent." }
            },
            "required": ["a"]
        })
    );
    assert_eq!(
        runtime().get("add").and_then(|tool| tool.timeout()),
        Some(std::time::Duration::from_secs(10))
    );
}

#[tokio::test]
async fn arguments_are_checked_against_schema_and_type() {
    let runtime = runtime();
    for (args, expected) in [
        (json!({ "a": 1 }), Ok("2")),
        (json!({ "a": 1.0, "b": 2 }), Ok("3")),
        (json!({ "a": 1, "extra": true }), Ok("2")),
        (json!({ "a": 300 }), Err("a")),
        (json!({ "a": -1 }), Err("a")),
        (json!({ "a": 1.5 }), Err("a")),
        (json!({ "b": 1 }), Err("a")),
        (json!({ "a": 1, "b": null }), Err("b")),
        (json!([1]), Err("arguments")),
    ] {
        let result = runtime.execute(call("add", args.clone())).await;
        match expected {
            Ok(text) => assert_eq!(result.text(), text, "{args}"),
            Err(path) => {
                assert_eq!(result.code(), Some("INVALID_ARGS"), "{args}");
                assert!(result.text().contains(path), "{args}: {}", result.text());
                assert!(!result.text().contains("u8"), "no Rust in what a model reads: {}", result.text());
            }
        }
    }
}

#[tokio::test]
async fn null_is_a_value_only_where_the_type_says_so() {
    let runtime = runtime();
    assert_eq!(runtime.execute(call("greet", json!({ "name": null }))).await.text(), "c1: hello nobody");
    assert_eq!(runtime.execute(call("greet", json!({ "name": "Ann" }))).await.text(), "c1: hello Ann");
    assert_eq!(runtime.execute(call("greet", json!({}))).await.code(), Some("INVALID_ARGS"));
}

#[tokio::test]
async fn failures_keep_their_words_and_their_codes() {
    let runtime = runtime();
    let plain = runtime.execute(call("parse", json!({ "text": "x" }))).await;
    assert_eq!((plain.text().as_str(), plain.code()), ("Error: invalid digit found in string", None), "P19");
    let coded = runtime.execute(call("parse", json!({ "text": "coded" }))).await;
    assert_eq!((coded.text().as_str(), coded.code()), ("Error: no number", Some("PARSE")));
    assert_eq!(coded.error().and_then(|e| e.info()).map(|info| info.name()), Some("ParseError"));
}

#[tokio::test]
async fn values_that_are_no_json_never_become_null_in_silence() {
    let nan = tool_fn("nan", "not a number", |_: Nothing, _: RunContext| async { Ok(f64::NAN) });
    let runtime = ToolRuntime::builder().tool(nan).build().expect("valid");
    assert_eq!(runtime.execute(call("nan", json!({}))).await.code(), Some("INVALID_TOOL_OUTPUT"), "S6");

    let lossy =
        ToolCall::new("nan", toolgate::UncheckedJson::encode(&f64::INFINITY), CancellationToken::new());
    let result = runtime.execute(lossy).await;
    assert_eq!(result.error().expect("P2").cause().as_str(), "arguments_not_lossless");
}

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

#[tokio::test]
async fn integers_are_exact_over_the_whole_range_of_64_bits() {
    #[derive(serde::Deserialize, Schema)]
    struct Args {
        n: u64,
    }
    let same = tool_fn("same", "the same", |args: Args, _: RunContext| async move { Ok(args.n) });
    let runtime = ToolRuntime::builder().tool(same).build().expect("valid");
    for n in [9_007_199_254_740_993, u64::MAX] {
        let text = format!("{{\"n\":{n}}}");
        let result = runtime.execute(call("same", JsonValue::parse(&text).expect("JSON"))).await;
        assert_eq!(result.text(), n.to_string(), "K24");
    }
}

#[tokio::test]
async fn a_tool_that_is_silent_counts_as_the_worst_and_hooks_see_what_it_declares() {
    let noop = |_: Nothing, _: RunContext| async { Ok(()) };
    let raw = |name: &str| ToolDefinition::raw(name, "Raw.").output_schema(json!({}));
    let runtime = ToolRuntime::builder()
        .tool(add)
        .tool(greet)
        .tool(tool_fn("fn", "Silent.", noop))
        .tool(tool_fn("fn_keyed", "Keyed.", noop).effect(ToolEffect::Keyed))
        .tool(raw("raw").body(|args, _| async { Ok(args) }))
        .tool(raw("raw_idempotent").effect(ToolEffect::Idempotent).body(|args, _| async { Ok(args) }))
        .build()
        .expect("valid");
    let seen = Arc::new(Mutex::new(None));
    let hook = Arc::clone(&seen);
    runtime.guard(move |call| {
        *hook.lock().expect("no panic") = call.definition().map(|tool| tool.effect());
        None
    });
    for (name, expected) in [
        ("add", Some(ToolEffect::Pure)),
        ("greet", Some(ToolEffect::NonIdempotent)),
        ("fn", Some(ToolEffect::NonIdempotent)),
        ("fn_keyed", Some(ToolEffect::Keyed)),
        ("raw", Some(ToolEffect::NonIdempotent)),
        ("raw_idempotent", Some(ToolEffect::Idempotent)),
        ("unknown", None),
    ] {
        assert_eq!(runtime.get(name).map(|tool| tool.effect()), expected, "{name}");
        runtime.execute(call(name, json!({}))).await;
        assert_eq!(seen.lock().expect("no panic").take(), expected, "{name}, as a hook sees it");
    }
}
