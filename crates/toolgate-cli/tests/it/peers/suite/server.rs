//! A gateway with the tools that the suite's server scenarios call.

use std::error::Error;
use std::io::{self, Write as _};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolgate::prelude::*;
use toolgate::{Progress, Report, ReportedMessage, SetupError, Severity, ToolDefinition};
use toolgate_mcp::gateway::{Access, Gateway, HttpOptions};

/// The smallest picture and the smallest sound.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

fn tool<F>(name: &str, body: impl Fn(JsonValue, RunContext) -> F + Send + Sync + 'static) -> ToolDefinition
where
    F: Future<Output = Result<JsonValue, ToolError>> + Send + 'static,
{
    ToolDefinition::raw(name, format!("The suite's tool {name}."))
        .raw_parameters(json!({ "type": "object", "properties": {} }))
        .output_schema(json!({}))
        .render(|_, value| match value.as_value() {
            Value::Array(blocks) => blocks.iter().map(block).collect(),
            Value::String(text) => Ok(vec![ContentBlock::text(text)]),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Ok(Vec::new()),
        })
        .body(body)
}

fn block(block: &Value) -> Result<ContentBlock, ToolError> {
    let block = JsonValue::copy_of(block).map_err(|error| ToolError::new(error.to_string()))?;
    ContentBlock::from_json(&block).map_err(|error| ToolError::new(error.to_string()))
}

/// A tool that gives these content blocks.
fn gives(name: &str, blocks: Value) -> ToolDefinition {
    tool(name, move |_, _| {
        let blocks = JsonValue::copy_of(&blocks).map_err(|error| ToolError::new(error.to_string()));
        async move { blocks }
    })
}

/// Tells three messages.
async fn logs(cx: RunContext) -> Result<JsonValue, ToolError> {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let (severity, data) = (Severity::Info, JsonValue::from(text));
        cx.report(&Report::Message(ReportedMessage { severity, source: None, data }));
        pause().await;
    }
    Ok(JsonValue::from("logged"))
}

async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
}

fn runtime() -> Result<ToolRuntime, SetupError> {
    let resource = |uri: &str, kind: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } });
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let text = json!({ "type": "string" });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": text, "city": text } },
        },
        "properties": {
            "name": text,
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    ToolRuntime::builder()
        .tool(gives("test_simple_text", json!([{ "type": "text", "text": "This is a simple text response for testing." }])))
        .tool(gives("test_image_content", json!([image])))
        .tool(gives("test_audio_content", json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }])))
        .tool(gives(
            "test_embedded_resource",
            json!([resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]),
        ))
        .tool(gives(
            "test_multiple_content_types",
            json!([
                { "type": "text", "text": "Multiple content types test:" },
                image,
                resource("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}"),
            ]),
        ))
        .tool(tool("test_error_handling", |_, _| async {
            Err(ToolError::new("This tool intentionally returns an error for testing"))
        }))
        .tool(tool("test_tool_with_logging", |_, cx| logs(cx)))
        .tool(tool("test_logging_tool", |_, cx| logs(cx)))
        .tool(tool("test_tool_with_progress", |_, cx| async move {
            for done in [0.0, 50.0, 100.0] {
                cx.report(&Report::Progress(Progress { done, total: Some(100.0), message: None }));
                pause().await;
            }
            Ok(JsonValue::from("done"))
        }))
        .tool(
            ToolDefinition::raw("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features")
                .raw_parameters(schema)
                .output_schema(json!({ "type": "string" }))
                .body(|_, _| async { Ok(JsonValue::from("taken")) }),
        )
        .build()
}

/// Serves at a port of this machine, which it tells, for as long as the process lives.
pub(crate) async fn serve() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stderr(), "serving http://{}/mcp", listener.local_addr()?)?;
    let gateway = Gateway::of(runtime()?.scope("suite")).build();
    gateway.serve_http(listener, HttpOptions::new(Access::Everybody)).await?;
    Ok(())
}
