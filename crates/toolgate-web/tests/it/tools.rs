//! The pages of tools, policy and statistics.

use serde_json::json;

use crate::support::{Server, asks, says};

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_called_from_its_form_through_the_pipeline() {
    let server = Server::start(Vec::new()).await;
    let list = server.get("/tools").await.body;
    for tool in ["read", "write", "grep", "prints", "waits"] {
        assert!(list.contains(&format!("/tool?name={tool}")), "{tool}");
    }
    let page = server.get("/tool?name=grep").await.body;
    assert!(page.contains("name=\"arg:pattern\"") && page.contains("required"), "{page}");
    let called = server.post("/tool?name=prints", &[("arg:text", "from a form")]).await;
    assert!(called.body.contains("from a form") && called.body.contains("exit 0"), "{}", called.body);
    let failed = server.post("/tool?name=read", &[("arg:file_path", "../outside")]).await;
    assert!(failed.body.contains("failed"), "{}", failed.body);
    assert_eq!(server.get("/tool?name=nothing").await.status, 404);
    assert_eq!(server.post("/tool?name=nothing", &[("arg:x", "1")]).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_from_a_form_is_asked_about_like_any_other() {
    let server = Server::start(Vec::new()).await;
    let filled = [("arg:file_path", "made.txt"), ("arg:content", "by hand")];
    let (answer, ()) = tokio::join!(server.post("/tool?name=write", &filled), async {
        let mut events = server.follow("questions=true", None).await;
        events.wait_for("questions", |told| told.data["count"] == json!(1)).await;
        assert!(!server.folder.path().join("work/made.txt").exists());
        let question = server.people.pending()[0].id;
        server.post(&format!("/approvals/{question}"), &[("answer", "allow")]).await;
    });
    assert_eq!(answer.status, 200);
    assert_eq!(std::fs::read_to_string(server.folder.path().join("work/made.txt")).unwrap(), "by hand");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_explained_and_nothing_runs() {
    let server = Server::start(Vec::new()).await;
    for (tool, arguments, decision) in [
        ("read", r#"{"file_path":"a"}"#, "allow"),
        ("write", r#"{"file_path":"a","content":""}"#, "ask"),
        ("nothing", "", "deny"),
    ] {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("tool", tool), ("arguments", arguments)])
            .finish();
        let page = server.get(&format!("/policy?{query}")).await.body;
        assert!(page.contains(&format!("\">{decision}</span>")), "{tool}: {page}");
    }
    assert!(server.get("/policy?tool=read&arguments=%7B").await.body.contains("no JSON"));
    assert!(std::fs::read_dir(server.folder.path().join("work")).unwrap().next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_count_what_happened() {
    let mut asked = asks(&[("prints", json!({ "text": "a" })), ("read", json!({ "file_path": "missing" }))]);
    asked.usage = Some(toolgate_agent::model::script::ScriptedUsage { input: 1200, output: 34 });
    let server = Server::start(vec![asked, says("done")]).await;
    server.played("count").await;
    let page = server.get("/statistics").await.body;
    for part in [
        "<dt>Calls</dt><dd>2</dd>",
        "<dt>Failed</dt><dd>1 (50 %)</dd>",
        "<dt>Tokens read</dt><dd>1\u{202f}200</dd>",
        "<dt>Tokens written</dt><dd>34</dd>",
        "<th scope=\"row\">prints</th><td>1</td><td>0</td>",
        "<th scope=\"row\">read</th><td>1</td><td>1</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
