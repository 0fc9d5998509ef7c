//! K32: what a provider cannot take of a tool's parameters is told in words and listed; nothing is lost in silence.

use serde_json::{Value, json};
use toolgate::{JsonValue, ToolDefinition, ToolSchema};
use toolgate_agent::Agent;
use toolgate_agent::model::projection::project;
use toolgate_agent::model::{AnthropicModel, OpenAiModel, Protocol, Provider};

use crate::support::{Session, runtime, script};

fn schema(parameters: &Value) -> ToolSchema {
    ToolSchema {
        name: "tool".to_owned(),
        description: "Does something.".to_owned(),
        parameters: JsonValue::parse(&parameters.to_string()).unwrap(),
    }
}

#[test]
fn schemas_become_what_every_provider_takes() {
    let a = || json!({ "type": "string" });
    // The parameters, what is sent, what of it is listed as lost.
    let table = [
        (
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] }),
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] }),
            vec![],
        ),
        (json!({}), json!({ "type": "object", "properties": {} }), vec![]),
        (
            json!({ "properties": { "a": { "anyOf": [a(), { "type": "null" }] } } }),
            json!({ "properties": { "a": { "anyOf": [a(), { "type": "null" }] } }, "type": "object" }),
            vec![],
        ),
        (
            json!({ "anyOf": [{ "properties": { "a": a() }, "required": ["a"] }, { "properties": { "b": a() } }] }),
            json!({ "properties": { "a": a(), "b": a() }, "type": "object" }),
            vec!["`anyOf` at the root is told in words"],
        ),
        (
            json!({ "type": "string", "enum": ["x"] }),
            json!({ "type": "object", "properties": {} }),
            vec![
                "`enum` at the root is told in words",
                "the type \"string\" of the root is told as `object`",
            ],
        ),
        (
            json!({ "$ref": "#/$defs/N", "$defs": { "N": { "type": "object", "properties": { "a": a() } } } }),
            json!({
                "$defs": { "N": { "type": "object", "properties": { "a": a() } } },
                "type": "object",
                "properties": { "a": a() },
            }),
            vec![],
        ),
        (
            json!({ "$ref": "https://example.com/n.json" }),
            json!({ "type": "object", "properties": {} }),
            vec!["the reference \"https://example.com/n.json\" at the root cannot be resolved"],
        ),
        (
            json!({ "$ref": "#" }),
            json!({ "type": "object", "properties": {} }),
            vec!["the reference \"#\" at the root cannot be resolved"],
        ),
    ];
    for (parameters, sent, losses) in table {
        let projection = project(&schema(&parameters));
        assert_eq!(projection.parameters, sent, "{parameters}");
        assert_eq!(projection.losses, losses, "{parameters}");
        let is_told = projection.description.contains("must also match this JSON Schema");
        assert_eq!(
            is_told,
            losses.iter().any(|loss| loss.contains("in words")),
            "{}",
            projection.description
        );
    }
}

#[tokio::test]
async fn whoever_sets_an_agent_up_gets_the_list_of_what_is_lost() {
    let either = json!({ "anyOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }] });
    let tool = ToolDefinition::raw("either", "Takes a or b.")
        .raw_parameters(JsonValue::parse(&either.to_string()).unwrap())
        .output_schema(JsonValue::empty_object())
        .body(|args, _| std::future::ready(Ok(args)));
    let scope = runtime().0.tool(tool).build().unwrap().scope("agent");
    let provider = |protocol| Provider::new(protocol, "any");
    let table = [
        (Agent::builder(scope.clone(), OpenAiModel::new(provider(Protocol::OpenAi))), 1),
        (Agent::builder(scope.clone(), AnthropicModel::new(provider(Protocol::Anthropic))), 1),
        // A script is told nothing, and loses nothing.
        (Agent::builder(scope, script(Vec::new())), 0),
    ];
    for (builder, count) in table {
        let session = Session::new();
        let agent = builder.start(session.backend.clone(), session.id).await.unwrap();
        let losses = agent.schema_losses().unwrap();
        assert_eq!(losses.len(), count);
        for loss in losses {
            assert_eq!(
                (loss.tool.as_str(), loss.what.as_str()),
                ("either", "`anyOf` at the root is told in words")
            );
        }
    }
}
