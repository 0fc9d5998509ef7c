//! What the model is told, and what the registry knows of the tools.

use serde_json::{Value, json};
use toolgate::result::{CatalogEntry, EntryKind};
use toolgate::{CancellationToken, ToolCall, ToolEffect, ToolExecutionMode};

use crate::bench::Bench;

#[tokio::test]
async fn the_three_tools_are_told_to_the_model() {
    let bench = Bench::new();
    let schemas = bench.runtime.schemas();
    let names = schemas.iter().map(|schema| schema.name.clone()).collect::<Vec<_>>();
    assert_eq!(names, ["read", "glob", "grep"]);
    for (schema, properties, required) in [
        (&schemas[0], &["file_path", "offset", "limit"][..], &["file_path"][..]),
        (&schemas[1], &["pattern", "path"], &["pattern"]),
        (&schemas[2], &["pattern", "path", "include"], &["pattern"]),
    ] {
        let parameters: Value = serde_json::from_str(&schema.parameters.to_text()).unwrap();
        let told = parameters["properties"].as_object().unwrap();
        assert_eq!(told.keys().collect::<Vec<_>>(), properties);
        assert!(
            told.values().all(|property| property["description"].as_str().unwrap().len() > 40),
            "{parameters}"
        );
        assert_eq!(parameters["required"], json!(required));
        assert_eq!(parameters["additionalProperties"], false);
        assert_eq!(bench.runtime.get(&schema.name).map(|tool| tool.effect()), Some(ToolEffect::Pure));
    }
}

#[tokio::test]
async fn the_tools_that_change_files_are_told_to_the_model() {
    let bench = Bench::changing();
    let schemas = bench.runtime.schemas();
    let names = schemas.iter().map(|schema| schema.name.clone()).collect::<Vec<_>>();
    assert_eq!(names, ["read", "glob", "grep", "write", "edit", "delete", "move"]);
    use ToolEffect::{Idempotent, NonIdempotent};
    for (schema, properties, required, effect) in [
        (&schemas[3], &["file_path", "content"][..], &["file_path", "content"][..], Idempotent),
        (
            &schemas[4],
            &["file_path", "old_string", "new_string", "replace_all", "edits"],
            &["file_path"],
            NonIdempotent,
        ),
        (&schemas[5], &["file_path", "recursive"], &["file_path"], Idempotent),
        (&schemas[6], &["source", "destination", "overwrite"], &["source", "destination"], NonIdempotent),
    ] {
        let parameters: Value = serde_json::from_str(&schema.parameters.to_text()).unwrap();
        let told = parameters["properties"].as_object().unwrap();
        assert_eq!(told.keys().collect::<Vec<_>>(), properties);
        assert!(told.values().all(|property| !property["description"].as_str().unwrap().is_empty()));
        assert_eq!(parameters["required"], json!(required));
        assert_eq!(parameters["additionalProperties"], false);
        let tool = bench.runtime.get(&schema.name).unwrap();
        assert!(tool.timeout().is_some());
        assert_eq!(tool.effect(), effect, "{}", schema.name);
    }
}

#[tokio::test]
async fn the_model_is_told_how_far_read_looks_for_nul_bytes() {
    let bench = Bench::new();
    let description = &bench.runtime.schemas()[0].description;
    assert!(description.contains("as far as the window goes"), "{description}");
}

#[tokio::test]
async fn the_tools_may_overlap() {
    let bench = Bench::new();
    for (tool, args) in [
        ("read", json!({ "file_path": "a" })),
        ("glob", json!({ "pattern": "*" })),
        ("grep", json!({ "pattern": "x" })),
    ] {
        let call = ToolCall::new(tool, args, CancellationToken::new());
        assert_eq!(bench.runtime.execution_mode(&call), ToolExecutionMode::Parallel, "{tool}");
    }
}

#[test]
fn every_code_is_in_the_catalogue() {
    let mut written = Vec::new();
    for source in [include_str!("../../src/workspace/error.rs"), include_str!("../../src/change/error.rs")] {
        let codes = source.split(" fn code").nth(1).unwrap().split(" fn hint").next().unwrap();
        written.extend(codes.split('"').skip(1).step_by(2));
    }
    let of_paths = |entry: &&CatalogEntry| entry.kind == EntryKind::Code { name: "WorkspaceError" };
    let mut listed = toolgate_kit::CATALOG.iter().filter(of_paths).map(|entry| entry.key).collect::<Vec<_>>();
    written.sort_unstable();
    written.dedup();
    listed.sort_unstable();
    assert_eq!(written, listed);
}
