//! The strict check of requests, red on every kind of history that a provider refuses: otherwise it would prove nothing.

use serde_json::{Value, json};
use toolgate_agent::model::Protocol;
use toolgate_testing::provider_rules::{Dialect, check};

use crate::providers::over_http;

type Break = (&'static str, fn(&mut Vec<Value>));

/// The last request of a turn with several steps, and its messages.
async fn request(protocol: Protocol) -> Value {
    let (_, _, server) = over_http(protocol, Vec::new()).await;
    server.requests().pop().unwrap()
}

fn refuses(dialect: Dialect, request: &Value, breaks: &[Break]) {
    assert_eq!(check(dialect, request), Ok(()));
    for (what, break_it) in breaks {
        let mut broken = request.clone();
        let Value::Array(messages) = &mut broken["messages"] else { panic!("messages") };
        break_it(messages);
        assert_ne!(broken, *request, "{what} changes nothing");
        assert!(check(dialect, &broken).is_err(), "{what} is taken");
    }
}

/// The place of the n-th message of a role.
fn nth(messages: &[Value], role: &str, n: usize) -> usize {
    let mut places = (0..messages.len()).filter(|place| messages[*place]["role"] == role);
    places.nth(n).unwrap()
}

#[tokio::test]
async fn broken_chat_completions_are_refused() {
    let breaks: [Break; 15] = [
        ("a missing result", |all| drop(all.remove(nth(all, "tool", 1)))),
        ("a missing last result", |all| drop(all.remove(nth(all, "tool", 3)))),
        ("a second result", |all| all.insert(nth(all, "tool", 0), all[nth(all, "tool", 0)].clone())),
        ("a second result behind the others", |all| {
            all.insert(nth(all, "tool", 3) + 1, all[nth(all, "tool", 0)].clone())
        }),
        ("results in another order", |all| {
            let first = nth(all, "tool", 0);
            all.swap(first, first + 1);
        }),
        ("a result of nothing", |all| {
            let first = nth(all, "tool", 0);
            all[first]["tool_call_id"] = "call_77".into();
        }),
        ("a result before its call", |all| {
            let result = all.remove(nth(all, "tool", 0));
            all.insert(nth(all, "assistant", 0), result);
        }),
        ("a message among results", |all| {
            all.insert(nth(all, "tool", 1), json!({ "role": "user", "content": "hm" }))
        }),
        ("an answer before the results", |all| {
            all.insert(nth(all, "tool", 0), json!({ "role": "assistant", "content": "hm" }))
        }),
        ("an id that was used before", |all| {
            let (call, first) = (nth(all, "assistant", 1), nth(all, "tool", 4));
            all[call]["tool_calls"][0]["id"] = "call_1".into();
            all[first]["tool_call_id"] = "call_1".into();
        }),
        ("an answer that says nothing", |all| all.push(json!({ "role": "assistant", "content": "" }))),
        ("arguments that are cut off", |all| {
            let call = nth(all, "assistant", 0);
            all[call]["tool_calls"][0]["function"]["arguments"] = "{\"n\":".into();
        }),
        ("arguments that are no object", |all| {
            let call = nth(all, "assistant", 0);
            all[call]["tool_calls"][0]["function"]["arguments"] = "[1]".into();
        }),
        ("calls at the end", |all| all.truncate(nth(all, "assistant", 1) + 1)),
        ("a late system prompt", |all| all.push(json!({ "role": "system", "content": "be kind" }))),
    ];
    refuses(Dialect::Chat, &request(Protocol::OpenAi).await, &breaks);
}

/// The blocks of the message behind the first answer.
fn results(messages: &mut [Value]) -> &mut Vec<Value> {
    let place = nth(messages, "assistant", 0) + 1;
    messages[place]["content"].as_array_mut().unwrap()
}

#[tokio::test]
async fn broken_messages_are_refused() {
    let breaks: [Break; 14] = [
        ("a missing result", |all| drop(results(all).remove(1))),
        ("a second result", |all| {
            let again = results(all)[0].clone();
            results(all).insert(1, again);
        }),
        ("results in another order", |all| results(all).swap(0, 1)),
        ("a result of nothing", |all| results(all)[0]["tool_use_id"] = "call_77".into()),
        ("text before results", |all| results(all).insert(0, json!({ "type": "text", "text": "hm" }))),
        ("a result one message late", |all| {
            let late = results(all).remove(0);
            let next = nth(all, "assistant", 1) + 1;
            all[next]["content"].as_array_mut().unwrap().insert(0, late);
        }),
        ("two messages of one role", |all| all.push(all[all.len() - 1].clone())),
        ("an answer at the beginning", |all| drop(all.remove(0))),
        ("an empty message", |all| all[0]["content"] = json!([])),
        ("a blank text", |all| all[0]["content"] = json!([{ "type": "text", "text": " " }])),
        ("an id that was used before", |all| {
            let call = nth(all, "assistant", 1);
            let blocks = all[call]["content"].as_array_mut().unwrap();
            let used = blocks.iter_mut().find(|block| block["type"] == "tool_use").unwrap();
            used["id"] = "call_1".into();
            all[call + 1]["content"][0]["tool_use_id"] = "call_1".into();
        }),
        ("arguments that are text", |all| {
            let call = nth(all, "assistant", 0);
            let blocks = all[call]["content"].as_array_mut().unwrap();
            let call = blocks.iter_mut().find(|block| block["type"] == "tool_use").unwrap();
            call["input"] = "{}".into();
        }),
        ("calls at the end", |all| all.truncate(nth(all, "assistant", 1) + 1)),
        ("a system message", |all| all.insert(0, json!({ "role": "system", "content": "be kind" }))),
    ];
    let whole = request(Protocol::Anthropic).await;
    refuses(Dialect::Messages, &whole, &breaks);
    let mut unbounded = whole;
    unbounded.as_object_mut().unwrap().remove("max_tokens");
    assert!(check(Dialect::Messages, &unbounded).is_err());
}
