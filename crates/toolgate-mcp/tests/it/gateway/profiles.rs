//! Profiles: which view a client gets, and that list and call agree on it.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_mcp::gateway::{Access, Credential, Gateway, HttpOptions, Profile, Secret};

use super::support::{Client, Served, World, call, initialize, meta, new_call, runtime};

fn gateway(world: &World) -> Gateway {
    let runtime = runtime(world);
    let all = runtime.scope("all");
    let few = Profile::new("few", all.clone()).restrict(ToolRestriction::allow(["add"])).for_client("modest");
    let guarded = runtime.scope("guarded");
    guarded.guard(|call| (call.name() == "echo").then(|| "not here".to_owned()));
    Gateway::builder(Profile::new("all", all)).profile(few).profile(Profile::new("guarded", guarded)).build()
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_client_gets_the_profile_of_its_name_and_can_call_what_is_listed_and_nothing_else() {
    let world = World::default();
    let gateway = gateway(&world);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let mut modest = Client::connect(&gateway);
    modest.ask(initialize("2025-06-18", "modest", &json!({}))).await;
    assert_eq!(names(&modest.ask(list.clone()).await), ["add"]);
    let answer = modest.ask(call(2, "echo", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602, "what is not listed is not there: {answer}");
    assert_eq!(modest.ask(call(3, "add", json!({}))).await["result"]["structuredContent"]["sum"], 0);
    modest.leave().await;

    let mut other = Client::initialized(&gateway, json!({})).await;
    assert_eq!(names(&other.ask(list).await).len(), 5);
    other.leave().await;

    let mut modest = Client::connect(&gateway);
    let mut alone = new_call(1, "echo", json!({}), json!({}));
    alone["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = json!("modest");
    assert_eq!(modest.ask(alone).await["error"]["code"], -32602, "the same without a handshake");
    modest.leave().await;
    assert_eq!(world.began(), 0);
}

#[tokio::test]
async fn a_path_chooses_a_profile_and_a_bound_credential_leaves_no_choice() {
    let world = World::default();
    let access = Access::Credentials(vec![
        Credential::new("free", Secret::new("free-token")),
        Credential::new("bound", Secret::new("bound-token")).for_profile("few"),
    ]);
    let served = Served::start(gateway(&world), HttpOptions::new(access)).await;
    let list =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta(json!({})) } });
    let (free, bound) = ("Bearer free-token", "Bearer bound-token");
    let cases = [
        (free, "/mcp", 200, 5),
        (free, "/mcp/", 200, 5),
        (free, "/mcp/few", 200, 1),
        (free, "/mcp/all", 200, 5),
        (bound, "/mcp", 200, 1),
        (bound, "/mcp/few", 200, 1),
        (bound, "/mcp/all", 403, 0),
        (free, "/mcp/none", 404, 0),
        (free, "/mcpfew", 404, 0),
        (free, "/", 404, 0),
    ];
    for (token, path, status, count) in cases {
        let headers =
            [("authorization", token), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
        let answer = served.request("POST", path, &headers, &list.to_string()).await;
        assert_eq!(answer.status, status, "{token} {path}: {answer:?}");
        if status == 200 {
            assert_eq!(names(&answer.message()).len(), count, "{token} {path}");
        }
    }
    let echo = new_call(1, "echo", json!({}), json!({}));
    let headers = [
        ("authorization", free),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    let answer = served.request("POST", "/mcp/guarded", &headers, &echo.to_string()).await;
    assert_eq!(answer.message()["result"]["isError"], true, "K12: {answer:?}");
    assert_eq!(world.began(), 0);
    served.stop().await;
}
