//! Functions as tools, called through a runtime.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{ToolCallKind, ToolCallView, ToolResult, ToolResultView};
use toolgate_schema::parameter_schema_of;

use crate::described::schema;

/// A file's text.
#[derive(Schema, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
pub(crate) struct FileText {
    /// The lines asked for.
    text: String,
    /// Absent when the whole file fits.
    rest: Option<u64>,
}

/// Read a file
/// of text.
///
/// Long files come in parts.
#[tool(concurrency_safe, timeout = "10s", kind = read, effect = pure)]
pub(crate) async fn read_file(
    /// Absolute path.
    path: String,
    /// First line to return,
    /// counted from 1.
    offset: Option<u64>,
    cx: &RunContext,
    #[serde(default, rename = "max")]
    #[schema(description = "How many lines.", title = "Limit")]
    mut limit: u8,
    r#type: Nullable<bool>,
) -> Result<FileText, ToolError> {
    limit += 1;
    let number: u64 = path.trim_start_matches('/').parse()?;
    assert!(!cx.is_cancelled());
    let text = format!("{path} {offset:?} {limit} {:?}", r#type.into_option());
    Ok(FileText { text, rest: (number > 1).then_some(number) })
}

#[tool(
    name = "write file",
    description = "Writes.",
    kind = edit,
    effect = idempotent,
    deny_unknown_fields,
    render = rendered,
    present_call = shown::call,
    present_result = shown::result
)]
async fn write(text: String, context: RunContext) -> Result<(), ToolError> {
    if text.is_empty() {
        return Err(ToolError::coded("WriteError", "NOTHING", "there is nothing to write"));
    }
    drop(context);
    Ok(())
}

fn rendered(arguments: &JsonValue, (): &()) -> Option<Vec<ContentBlock>> {
    let length = arguments.as_value().get("text")?.as_str()?.len();
    Some(vec![ContentBlock::text(format!("wrote {length} bytes"))])
}

mod shown {
    use super::*;

    pub(super) fn call(arguments: &JsonValue) -> Option<ToolCallView> {
        let title = arguments.as_value().get("text")?.as_str()?.to_owned();
        Some(ToolCallView::Terminal { title, description: None, cwd: None })
    }

    pub(super) fn result(_: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        Some(ToolResultView::Generic { title: None, content: Some(result.content.to_vec()) })
    }
}

/// Does nothing.
#[tool]
async fn nothing() -> Result<(), ToolError> {
    Ok(())
}

/// Takes no context of its own.
#[tool(crate = "toolgate")]
async fn r#move(_: &RunContext) -> std::result::Result<bool, ToolError> {
    Ok(true)
}

#[test]
fn the_signature_becomes_the_schema() {
    let arguments = parameter_schema_of::<<read_file as Tool>::Args>().unwrap();
    assert_eq!(
        arguments.raw().as_value(),
        &json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Absolute path." },
                "offset": { "type": "integer", "description": "First line to return, counted from 1." },
                "max": { "type": "integer", "description": "How many lines.", "title": "Limit" },
                "type": { "oneOf": [{ "type": "boolean" }, { "type": "null" }] },
            },
            "required": ["path", "type"],
        }),
    );
    assert_eq!(schema::<<nothing as Tool>::Output>().raw().as_value(), &json!({ "type": "null" }));
}

#[test]
fn the_options_become_the_definition() {
    assert_eq!(read_file.name(), "read_file");
    assert_eq!(read_file.description(), "Read a file of text.\n\nLong files come in parts.");
    assert_eq!(read_file.timeout(), Some(Duration::from_secs(10)));
    assert_eq!(read_file.kind(), ToolCallKind::Read);
    assert_eq!(write.name(), "write file");
    assert_eq!(write.description(), "Writes.");
    assert_eq!(write.timeout(), None);
    assert_eq!(write.kind(), ToolCallKind::Edit);
    assert_eq!(r#move.name(), "move");
    assert_eq!(nothing.kind(), ToolCallKind::Other);
    assert_eq!(read_file.effect(), ToolEffect::Pure);
    assert_eq!(write.effect(), ToolEffect::Idempotent);
    assert_eq!(nothing.effect(), ToolEffect::NonIdempotent);

    let arguments = JsonValue::new(json!({ "path": "/a", "type": null })).unwrap();
    assert!(read_file.is_concurrency_safe(&arguments.decode().unwrap()));
    assert!(!nothing.is_concurrency_safe(&JsonValue::empty_object().decode().unwrap()));

    let arguments = JsonValue::new(json!({ "text": "ls" })).unwrap();
    let view = ToolCallView::Terminal { title: "ls".to_owned(), description: None, cwd: None };
    assert_eq!(write.present_call(&arguments), Some(view));
    let content = [ContentBlock::text("done")];
    let result = ToolResult { content: &content, error: None, meta: None };
    let view = ToolResultView::Generic { title: None, content: Some(content.to_vec()) };
    assert_eq!(write.present_result(&arguments, &result), Some(view));
}

async fn call(name: &str, arguments: Value) -> ToolExecutionResult {
    let runtime =
        ToolRuntime::builder().tool(read_file).tool(write).tool(nothing).tool(r#move).build().unwrap();
    runtime.execute(ToolCall::new(name, arguments, CancellationToken::new())).await
}

#[tokio::test]
async fn a_call_runs_the_function() {
    let result = call("read_file", json!({ "type": true, "path": "/7", "offset": 3 })).await;
    let expected = json!({ "text": "/7 Some(3) 1 Some(true)", "rest": 7 });
    assert_eq!(result.value().map(JsonValue::as_value), Some(&expected));

    let result = call("read_file", json!({ "type": null, "path": "1", "max": 4, "more": [] })).await;
    assert_eq!(result.value().map(JsonValue::as_value), Some(&json!({ "text": "1 None 5 None" })));

    assert_eq!(call("nothing", json!({})).await.value(), Some(&JsonValue::null()));
    assert_eq!(call("move", json!({})).await.text(), "true");
    assert_eq!(call("write file", json!({ "text": "abc" })).await.text(), "wrote 3 bytes");
}

#[tokio::test]
async fn a_call_refuses_arguments_and_passes_errors_on() {
    let result = call("write file", json!({ "text": "a", "more": 1 })).await;
    assert_eq!(result.code(), Some("INVALID_ARGS"), "{}", result.text());
    let result = call("read_file", json!({ "path": 1 })).await;
    assert_eq!(result.code(), Some("INVALID_ARGS"), "{}", result.text());
    let result = call("write file", json!({ "text": "" })).await;
    assert_eq!(result.code(), Some("NOTHING"), "{}", result.text());
    let result = call("read_file", json!({ "path": "/x", "type": null })).await;
    assert!(result.is_error() && result.code().is_none(), "{}", result.text());
}

#[tokio::test]
async fn the_function_stays_callable() {
    nothing::call().await.unwrap();
}

mod named_like_ours {
    //! Types and arguments that carry the names of generated parts.

    use toolgate::{Schema, ToolError, tool};

    #[derive(Schema, serde::Serialize, serde::Deserialize)]
    pub(super) struct Args {
        args: String,
    }

    /// Everything has a name that the generated code might use.
    #[tool]
    pub(super) async fn call(args: Args, cx: String, output: u8) -> Result<Args, ToolError> {
        Ok(Args { args: format!("{}{cx}{output}", args.args) })
    }
}

#[tokio::test]
async fn names_do_not_meet() {
    let runtime = ToolRuntime::builder().tool(named_like_ours::call).build().unwrap();
    let arguments = json!({ "args": { "args": "a" }, "cx": "b", "output": 1 });
    let result = runtime.execute(ToolCall::new("call", arguments, CancellationToken::new())).await;
    assert_eq!(result.value().map(JsonValue::as_value), Some(&json!({ "args": "ab1" })));
}
