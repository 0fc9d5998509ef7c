//! Code Mode through the gateway: one tool that runs programs, and how the client learns what they can call.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{CodeProgram, CodeTransport};
use toolgate_mcp::gateway::Gateway;
use toolgate_sdk::Language;

use super::support::{Client, World, call, raw, runtime_with};

/// Runs a program by calling the tool that is its text.
struct Calls;

impl CodeTransport for Calls {
    fn language(&self) -> &str {
        "typescript"
    }

    async fn run(&self, program: CodeProgram, cx: RunContext) -> Result<JsonValue, ToolError> {
        let nested = cx.nested_call(program.code.as_str(), JsonValue::parse("{\"a\":1,\"b\":2}").unwrap());
        Ok(JsonValue::from(cx.runtime().execute(nested).await.text()))
    }
}

fn agent(mode: PresentationMode, tools: usize) -> Scope {
    let runtime = runtime_with(&World::default(), |builder| {
        let many = (0..tools)
            .map(|n| raw(&format!("number_{n}"), json!({}), |arguments, _| async { Ok(arguments) }));
        many.fold(builder.code_transport(Calls), |builder, tool| builder.tool(tool))
    });
    let agent = runtime.scope("agent");
    agent.present_as(mode).unwrap();
    agent
}

async fn listed(client: &mut Client) -> Vec<Value> {
    let list = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })).await;
    list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
}

fn program(code: &str) -> Value {
    call(2, "run_code", json!({ "code": code, "description": "a test" }))
}

#[tokio::test]
async fn in_mode_code_there_is_one_tool_that_declares_what_its_programs_call() {
    let gateway = Gateway::of(agent(PresentationMode::Code, 0)).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let tools = listed(&mut client).await;
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "run_code");
    let description = tools[0]["description"].as_str().unwrap();
    assert!(description.contains("add(args:") && description.contains("Adds two integers."), "{description}");
    let answer = client.ask(program("add")).await;
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("sum"), "{answer}");
    let answer = client.ask(call(3, "add", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602, "direct calls are refused: {answer}");
    client.leave().await;
}

#[tokio::test]
async fn too_many_declarations_become_two_tools_that_find_them() {
    let gateway = Gateway::of(agent(PresentationMode::Code, 300)).code(Language::TypeScript, 1_000).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let tools = listed(&mut client).await;
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["run_code", "search_tools", "describe_tool"]);
    assert!(tools[0]["description"].as_str().unwrap().len() < 1_000, "{}", tools[0]);

    let found = client.ask(call(2, "search_tools", json!({ "query": "number 217" }))).await;
    assert!(found["result"]["content"][0]["text"].as_str().unwrap().starts_with("number_217"), "{found}");
    let declared = client.ask(call(3, "describe_tool", json!({ "name": "number_217" }))).await;
    assert!(
        declared["result"]["content"][0]["text"].as_str().unwrap().contains("number_217(args"),
        "{declared}"
    );
    for (tool, arguments) in [("describe_tool", json!({ "name": "none" })), ("search_tools", json!({}))] {
        let answer = client.ask(call(4, tool, arguments)).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    client.leave().await;
}

#[tokio::test]
async fn in_mode_both_tools_and_programs_are_offered() {
    let gateway = Gateway::of(agent(PresentationMode::Both, 0)).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let tools = listed(&mut client).await;
    assert_eq!(tools.len(), 6);
    assert_eq!(tools[5]["name"], "run_code");
    assert_eq!(client.ask(call(3, "add", json!({ "a": 1 }))).await["result"]["structuredContent"]["sum"], 1);
    client.leave().await;
}
