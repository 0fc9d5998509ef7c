//! Checking values against a realistic schema, next to the `jsonschema` crate on the same schema and value: first
//! the times, then the two in turns and their ratio by the least of many runs.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

use std::hint::black_box;
use std::time::Instant;

use divan::Bencher;
use serde_json::{Value, json};
use toolgate_schema::{CompiledSchema, JsonValue, PathRoot, check};

fn main() {
    divan::main();
    print_ratio();
}

fn schema() -> Value {
    let text = || json!({ "type": "string" });
    let point = json!({
        "type": "object", "additionalProperties": false, "required": ["line", "column"],
        "properties": { "line": { "type": "integer" }, "column": { "type": "integer" } }
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "path", "mode", "range", "edits", "target"],
        "properties": {
            "id": { "type": "integer" }, "path": text(), "language": text(), "encoding": text(),
            "mode": { "type": "string", "enum": ["read", "write", "append"] },
            "dryRun": { "type": "boolean" }, "limit": { "type": "integer" }, "ratio": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "range": {
                "type": "object", "additionalProperties": false, "required": ["start", "end"],
                "properties": { "start": point, "end": point }
            },
            "edits": { "type": "array", "items": {
                "type": "object", "additionalProperties": false, "required": ["old", "new"],
                "properties": { "old": text(), "new": text(), "all": { "type": "boolean" } }
            } },
            "target": { "oneOf": [
                { "type": "object", "additionalProperties": false, "required": ["kind", "file"],
                  "properties": { "kind": { "type": "string", "const": "file" }, "file": text() } },
                { "type": "object", "additionalProperties": false, "required": ["kind", "url"],
                  "properties": { "kind": { "type": "string", "const": "url" }, "url": text() } },
                { "type": "null" }
            ] },
            "comment": text(), "author": text(), "revision": { "type": "integer" }
        }
    })
}

fn value() -> Value {
    let edit = |n: u32| json!({ "old": format!("line {n}"), "new": format!("line {n}, changed"), "all": n.is_multiple_of(2) });
    json!({
        "id": 17, "path": "src/pipeline/dispatch.rs", "language": "rust", "encoding": "utf-8", "mode": "write",
        "dryRun": false, "limit": 100, "ratio": 0.5, "tags": ["a", "b", "c"],
        "range": { "start": { "line": 1, "column": 1 }, "end": { "line": 20, "column": 80 } },
        "edits": (0..5).map(edit).collect::<Vec<_>>(),
        "target": { "kind": "url", "url": "https://example.org/a" },
        "comment": "a realistic value", "author": "somebody", "revision": 3
    })
}

fn compiled() -> CompiledSchema {
    CompiledSchema::compile(JsonValue::new(schema()).expect("lossless")).expect("in the subset")
}

#[divan::bench]
fn check_schema(bencher: Bencher<'_, '_>) {
    let schema = schema();
    bencher.bench(|| check(black_box(&schema)));
}

#[divan::bench]
fn compile(bencher: Bencher<'_, '_>) {
    let schema = JsonValue::new(schema()).expect("lossless");
    bencher.bench(|| CompiledSchema::compile(black_box(schema.clone())));
}

#[divan::bench]
fn compile_jsonschema(bencher: Bencher<'_, '_>) {
    let schema = schema();
    bencher.bench(|| jsonschema::validator_for(black_box(&schema)));
}

#[divan::bench]
fn is_valid(bencher: Bencher<'_, '_>) {
    let (compiled, value) = (compiled(), JsonValue::new(value()).expect("lossless"));
    bencher.bench(|| compiled.is_valid(black_box(&value)));
}

#[divan::bench]
fn is_valid_jsonschema(bencher: Bencher<'_, '_>) {
    let (validator, value) = (jsonschema::validator_for(&schema()).expect("a schema"), value());
    bencher.bench(|| validator.is_valid(black_box(&value)));
}

#[divan::bench]
fn list_violations(bencher: Bencher<'_, '_>) {
    let (compiled, value) = (compiled(), json!({ "id": "x", "mode": "fly", "more": 1 }));
    bencher.bench(|| compiled.validate(black_box(&value), PathRoot::Value).len());
}

#[divan::bench]
fn list_violations_jsonschema(bencher: Bencher<'_, '_>) {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let value = json!({ "id": "x", "mode": "fly", "more": 1 });
    bencher.bench(|| validator.iter_errors(black_box(&value)).count());
}

fn print_ratio() {
    const RUNS: u32 = 20_000;
    let compiled = compiled();
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let (ours, plain) = (JsonValue::new(value()).expect("lossless"), value());
    assert!(compiled.is_valid(&ours) && validator.is_valid(&plain), "both accept the value");
    let (mut least, mut least_jsonschema) = (f64::MAX, f64::MAX);
    for _ in 0..40 {
        least = least.min(seconds(RUNS, || compiled.is_valid(black_box(&ours))));
        least_jsonschema = least_jsonschema.min(seconds(RUNS, || validator.is_valid(black_box(&plain))));
    }
    println!(
        "valid value: {:.3} µs, jsonschema {:.3} µs, ratio {:.2}",
        least * 1e6,
        least_jsonschema * 1e6,
        least / least_jsonschema
    );
}

fn seconds<T>(runs: u32, mut run: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        black_box(run());
    }
    start.elapsed().as_secs_f64() / f64::from(runs)
}
