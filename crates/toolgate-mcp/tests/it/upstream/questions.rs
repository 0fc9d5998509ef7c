//! What servers ask of this side: their user, folders, a model; in both forms of the protocol.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::JsonValue;
use toolgate_mcp::upstream::{Elicitation, ElicitationAnswer, ElicitationWanted, Elicitor, Host};

use super::{Mounted, eventually, host, lists, once, result, rule, says, settings, stub, tool};

/// A user who always says this.
struct Says(ElicitationAnswer, Mutex<Vec<Elicitation>>);

impl Elicitor for Says {
    fn elicit(&self, question: Elicitation) -> Pin<Box<dyn Future<Output = ElicitationAnswer> + Send + '_>> {
        self.1.lock().unwrap().push(question);
        Box::pin(std::future::ready(self.0.clone()))
    }
}

fn user(answer: ElicitationAnswer) -> Arc<Says> {
    Arc::new(Says(answer, Mutex::default()))
}

async fn mounted(host: Host, stub: &crate::stub::Stub, handshake: &str) -> Mounted {
    let runtime = toolgate::ToolRuntime::builder().build().unwrap();
    Mounted::with(vec![settings("s", stub, json!({ "handshake": handshake }))], host, runtime).await
}

fn form() -> Value {
    json!({ "mode": "form", "message": "Which \u{202e}day?",
            "requestedSchema": { "type": "object", "properties": {
                "day": { "type": "string" }, "hour": { "type": "integer", "default": 9 } } } })
}

/// A request of the server in the middle of a call, whose answer ends the call.
fn asking(method: &str, params: Value) -> [Value; 3] {
    let question = json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params }).to_string();
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"thanks"}]}}"#;
    [lists(&[tool("t")]), rule("tools/call", [question]), rule("", [answer.to_owned()])]
}

fn answer_to_q(stub: &crate::stub::Stub) -> Value {
    stub.heard().into_iter().find(|message| message["id"] == "q").expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_reaches_the_user_and_the_answer_the_server() {
    let given = |content| ElicitationAnswer::Accept(Some(JsonValue::new(content).unwrap()));
    let accepted = |content: Value| json!({ "action": "accept", "content": content });
    for (answer, sent) in [
        (given(json!({ "day": "Friday" })), accepted(json!({ "day": "Friday", "hour": 9 }))),
        (given(json!({ "hour": 8 })), accepted(json!({ "hour": 8 }))),
        (ElicitationAnswer::Accept(None), accepted(json!({ "hour": 9 }))),
        (ElicitationAnswer::Decline, json!({ "action": "decline" })),
        (ElicitationAnswer::Cancel, json!({ "action": "cancel" })),
    ] {
        let stub = stub(asking("elicitation/create", form()));
        let user = user(answer);
        let host = Host { elicitor: Some(Arc::<Says>::clone(&user)), ..host() };
        let mounted = mounted(host, &stub, "initialize").await;
        assert_eq!(mounted.call("mcp__s__t", json!({})).await.text(), "thanks");
        assert_eq!(answer_to_q(&stub)["result"], sent);
        let asked = user.1.lock().unwrap();
        assert_eq!((asked[0].server.as_str(), asked[0].message.as_str()), ("s", r"Which \u{202e}day?"));
        assert!(matches!(&asked[0].wanted, ElicitationWanted::Form(schema) if schema["type"] == "object"));
        let capabilities = stub.heard()[0]["params"]["capabilities"].clone();
        assert!(capabilities["elicitation"].is_object(), "the server knows that it may ask: {capabilities}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_user_questions_are_declined_and_models_are_never_lent() {
    let sampling = json!({ "messages": [], "maxTokens": 5 });
    for (method, params, pointer, expected) in [
        ("elicitation/create", form(), "/result/action", json!("decline")),
        ("sampling/createMessage", sampling, "/error/code", json!(-32601)),
        ("roots/list", json!({}), "/result/roots/0/uri", json!("file:///srv/space/")),
    ] {
        let stub = stub(asking(method, params));
        let host = Host { roots: vec!["/srv/space".into()], ..host() };
        let mounted = mounted(host, &stub, "initialize").await;
        assert_eq!(mounted.call("mcp__s__t", json!({})).await.text(), "thanks", "{method}");
        assert_eq!(answer_to_q(&stub).pointer(pointer), Some(&expected), "{method}");
        let capabilities = stub.heard()[0]["params"]["capabilities"].clone();
        assert!(capabilities.get("elicitation").is_none() && capabilities.get("sampling").is_none());
        assert!(capabilities["roots"].is_object());
    }
}

/// A server of the newer protocol.
fn newer(rules: impl IntoIterator<Item = Value>) -> crate::stub::Stub {
    let discovered = result(json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
        "capabilities": { "tools": { "listChanged": true } }, "instructions": "Be kind.\u{200b}",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "newer", "version": "2" } }
    }));
    let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":$ID}}}"#;
    let base =
        [rule("server/discover", [discovered]), rule("subscriptions/listen", [acknowledged.to_owned()])];
    stub(base.into_iter().chain(rules))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_newer_protocol_is_used_without_the_older_handshake_k47() {
    // The subscription is the first request after the probe, so its id is 1.
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#;
    let page = |tools: &[Value]| {
        result(json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "private" }))
    };
    let stub = newer([
        once("tools/list", [page(&[tool("change")])]),
        rule("tools/list", [page(&[tool("change"), tool("look")])]),
        rule("tools/call", [says("done"), changed.to_owned()]),
    ]);
    let mounted = mounted(host(), &stub, "auto").await;
    let identity = mounted.status().identity.unwrap();
    assert_eq!(
        (identity.program.as_deref(), identity.protocol.as_str(), identity.instructions.as_deref()),
        (Some("newer"), "2026-07-28", Some(r"Be kind.\u{200b}"))
    );
    assert_eq!(mounted.call("mcp__s__change", json!({})).await.text(), "done");
    eventually("the new tool is there", || mounted.names().len() == 2).await;
    let methods: Vec<String> = stub
        .heard()
        .iter()
        .map(|message| message["method"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(!methods.contains(&"initialize".to_owned()), "{methods:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_wants_something_is_answered_and_asked_for_again() {
    let wanted = result(json!({
        "resultType": "input_required", "requestState": "opaque",
        "inputRequests": { "day": { "method": "elicitation/create", "params": form() } }
    }));
    let stub = newer([
        rule(
            "tools/list",
            [result(
                json!({ "resultType": "complete", "tools": [tool("t")], "ttlMs": 0, "cacheScope": "private" }),
            )],
        ),
        once("tools/call", [wanted]),
        rule("tools/call", [says("Friday it is")]),
    ]);
    let day = JsonValue::new(json!({ "day": "Friday" })).unwrap();
    let host = Host { elicitor: Some(user(ElicitationAnswer::Accept(Some(day)))), ..host() };
    let mounted = mounted(host, &stub, "discover").await;
    let answered = mounted.call("mcp__s__t", json!({ "x": 1 })).await;
    assert_eq!(answered.text(), "Friday it is");
    let calls = super::heard(&stub, "tools/call");
    let again = &calls[1]["params"];
    assert_eq!(
        (calls.len(), &again["requestState"], &again["arguments"]),
        (2, &json!("opaque"), &json!({ "x": 1 }))
    );
    assert_eq!(again["inputResponses"]["day"]["content"], json!({ "day": "Friday", "hour": 9 }));
}
