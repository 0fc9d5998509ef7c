//! Questions of a policy: to the person behind the client that made the call, in both eras, and what becomes of them where
//! the client has nobody to ask.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_mcp::gateway::{Gateway, GatewayLimits, Unanswered};
use toolgate_policy::person::{Approvals, People};

use super::support::{Client, World, call, eventually, new_call, runtime_with};

/// A runtime whose policy asks about every `echo`.
fn asking(world: &World, people: &People) -> ToolRuntime {
    let runtime = runtime_with(world, |tools| tools.approver(Approvals::new(people.clone())));
    runtime.on_pre_execute(AsksAboutEcho);
    runtime
}

pub(crate) struct AsksAboutEcho;

impl PreExecute for AsksAboutEcho {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "echo" {
            Ok(PreToolDecision::ask("somebody should look"))
        } else {
            next.run().await
        }
    }
}

fn gateway(world: &World, unanswered: Unanswered) -> Gateway {
    let people = People::new();
    let runtime = asking(world, &people);
    Gateway::of(runtime.scope("agent")).people(&people).unanswered(unanswered).build()
}

fn said(answer: &Value, content: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": answer["id"], "result": { "action": "accept", "content": content } })
}

#[tokio::test]
async fn the_client_that_called_is_asked_and_its_answer_counts() {
    let world = World::default();
    let gateway = gateway(&world, Unanswered::Leave);
    let mut client = Client::initialized(&gateway, json!({ "elicitation": {} })).await;
    let mut other = Client::initialized(&gateway, json!({ "elicitation": {} })).await;

    client.send(call(1, "echo", json!({ "n": 1 }))).await;
    let question = client.receive().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("echo") && message.contains("somebody should look") && message.contains("\"n\": 1"),
        "{message}"
    );
    assert_eq!(world.began(), 0, "nothing runs before the answer");
    client.send(said(&question, json!({}))).await;
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "{\"n\":1}");

    for action in ["decline", "cancel"] {
        client.send(call(2, "echo", json!({ "n": 1 }))).await;
        let question = client.receive().await;
        client.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } })).await;
        let answer = client.receive().await;
        assert_eq!(answer["result"]["isError"], true, "{action}: {answer}");
    }
    assert_eq!(world.began(), 1);

    client.send(call(3, "echo", json!({ "n": 2 }))).await;
    let question = client.receive().await;
    let choices = question["params"]["requestedSchema"]["properties"]["allow"]["enum"].clone();
    client.send(said(&question, json!({ "allow": choices[1] }))).await;
    assert_eq!(client.receive().await["id"], 3);
    assert_eq!(
        client.ask(call(4, "echo", json!({ "n": 2 }))).await["id"],
        4,
        "the same arguments are not asked about again"
    );
    client.send(call(5, "echo", json!({ "n": 3 }))).await;
    assert_eq!(client.receive().await["method"], "elicitation/create", "others are");

    other.send(call(6, "echo", json!({ "n": 2 }))).await;
    let question = other.receive().await;
    assert_eq!(
        question["method"], "elicitation/create",
        "what one client allowed is not allowed to another (K44)"
    );
    client.leave().await;
    other.leave().await;
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_the_answer_that_was_configured() {
    for (unanswered, is_denied) in [(Unanswered::Leave, true), (Unanswered::Allow, false)] {
        let world = World::default();
        let gateway = gateway(&world, unanswered);
        let mut client = Client::initialized(&gateway, json!({ "elicitation": { "url": {} } })).await;
        let answer = client.ask(call(1, "echo", json!({}))).await;
        assert_eq!(
            answer["result"].get("isError").is_some_and(|is_error| is_error == true),
            is_denied,
            "{answer}"
        );
        assert_eq!(world.began() == 0, is_denied);
        client.leave().await;
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_takes_its_question_back() {
    let world = World::default();
    let gateway = gateway(&world, Unanswered::Leave);
    let mut client = Client::initialized(&gateway, json!({ "elicitation": {} })).await;
    client.send(call(1, "echo", json!({}))).await;
    let question = client.receive().await;
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
        .await;
    client.send(said(&question, json!({}))).await;
    let pong = loop {
        let message = client.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
        if message["method"] != "notifications/cancelled" {
            break message;
        }
    };
    assert_eq!(pong["id"], 2);
    assert_eq!(world.began(), 0, "an answer that comes too late starts nothing");
    client.leave().await;
}

#[tokio::test]
async fn in_the_newer_era_the_call_waits_for_the_request_that_brings_the_answer() {
    let world = World::default();
    let gateway = gateway(&world, Unanswered::Leave);
    let mut client = Client::connect(&gateway);
    let forms = json!({ "elicitation": { "form": {} } });
    let first = client.ask(new_call(1, "echo", json!({ "n": 1 }), forms.clone())).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let requests = first["result"]["inputRequests"].as_object().unwrap().clone();
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let handle = first["result"]["requestState"].clone();
    let again = |id: i64, n: i64, handle: &Value, responses: Value| {
        let mut again = new_call(id, "echo", json!({ "n": n }), forms.clone());
        again["params"]["requestState"] = handle.clone();
        again["params"]["inputResponses"] = responses;
        again
    };
    let accepted = json!({ key.as_str(): { "action": "accept", "content": {} } });

    // Another call, a guess, or another client get nothing.
    for (n, handle) in [(2, &handle), (1, &json!("0".repeat(64)))] {
        let answer = client.ask(again(2, n, handle, accepted.clone())).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let mut other = Client::connect(&gateway);
    let answer = other.ask(again(3, 1, &handle, accepted.clone())).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    other.leave().await;

    // Without the answer the question is put again, under a new handle.
    let still = client.ask(again(4, 1, &handle, json!({}))).await;
    assert_eq!(still["result"]["resultType"], "input_required", "{still}");
    assert_eq!(world.began(), 0);
    let answer = client.ask(again(5, 1, &still["result"]["requestState"], accepted.clone())).await;
    assert_eq!(answer["result"]["content"][0]["text"], "{\"n\":1}", "{answer}");
    assert_eq!(world.began(), 1, "it ran once");
    let answer = client.ask(again(6, 1, &still["result"]["requestState"], accepted)).await;
    assert_eq!(answer["error"]["code"], -32602, "a handle is good once: {answer}");
    client.leave().await;
}

#[tokio::test]
async fn calls_that_wait_are_bounded_in_number_and_time() {
    let world = World::default();
    let people = People::new();
    let runtime = asking(&world, &people);
    let limits = GatewayLimits {
        parked_calls: 1,
        parked_time: std::time::Duration::from_millis(200),
        ..GatewayLimits::default()
    };
    let gateway = Gateway::of(runtime.scope("agent")).people(&people).limits(limits).build();
    let mut client = Client::connect(&gateway);
    let forms = json!({ "elicitation": {} });
    let first = client.ask(new_call(1, "echo", json!({}), forms.clone())).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let second = client.ask(new_call(2, "echo", json!({}), forms.clone())).await;
    assert!(second.get("error").is_some() || second["result"]["resultType"] == "input_required", "{second}");
    eventually("every question is closed", || people.pending().is_empty()).await;
    let mut late = new_call(3, "echo", json!({}), forms);
    late["params"]["requestState"] = first["result"]["requestState"].clone();
    let answer = client.ask(late).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(world.began(), 0);
    client.leave().await;
}
