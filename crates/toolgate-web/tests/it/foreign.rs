//! Text of others does nothing: output of tools, names of files and tools, what models and people say.

use serde_json::json;

use crate::support::{Server, asks, says};

/// What would run, call home or hide.
const HOSTILE: &str = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover=alert(3) \
                       javascript:alert(4) \u{202e}gnp.exe \u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}\u{1b}[2J";

/// Asserts that nothing in a page acts but what is the server's own.
fn is_inert(page: &str, what: &str) {
    assert_eq!(page.matches("<script").count(), usize::from(page.contains("<!DOCTYPE")), "{what}: {page}");
    for part in ["<img src=x", "\u{202e}", "\u{1b}", "\u{7}", "href=\"javascript:", "evil.example/p.png"] {
        assert!(!page.contains(part), "{what} has {part:?}: {page}");
    }
    // No attribute that runs something, anywhere.
    for tag in page.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains(" on"), "{what}: <{tag}>");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_others_wrote_acts() {
    let name = "<script>alert(1)<\u{202e}script>.txt";
    let program = json!({ "description": HOSTILE, "code": format!("// {HOSTILE}\nconsole.log({}); return 1;", json!(HOSTILE)) });
    let answers = vec![
        asks(&[
            ("prints", json!({ "text": HOSTILE })),
            ("glob", json!({ "pattern": "**" })),
            ("read", json!({ "file_path": name })),
        ]),
        asks(&[
            ("grep", json!({ "pattern": "alert" })),
            (HOSTILE, json!({ "x": HOSTILE })),
            ("run_code", program),
        ]),
        asks(&[
            ("read", json!({ "file_path": HOSTILE })),
            ("write", json!({ "file_path": name, "content": HOSTILE })),
        ]),
        says(&format!(
            "{HOSTILE}\n\n```rust\n{HOSTILE}\n```\n[click](javascript:alert(5)) ![x](http://evil.example/p.png)"
        )),
    ];
    let server = Server::start(answers).await;
    std::fs::write(server.folder.path().join("work").join(name), format!("{HOSTILE}\nalert\n")).unwrap();
    let id = server.begin(HOSTILE).await;
    let mut events = server.follow(&format!("session={id}&after=0"), None).await;
    loop {
        let told = events.next().await.expect("the stream goes on");
        let html = match told.name.as_str() {
            "entries" => {
                let changes = told.data.as_array().unwrap();
                changes.iter().map(|change| change["html"].as_str().unwrap()).collect::<String>()
            }
            "questions" => {
                if let Some(question) = server.people.pending().first() {
                    is_inert(&server.get("/approvals").await.body, "the page of approvals");
                    server.post(&format!("/approvals/{}", question.id), &[("answer", "allow")]).await;
                }
                told.data["html"].as_str().unwrap().to_owned()
            }
            _ => String::new(),
        };
        is_inert(&html, &told.name);
        if html.contains("pill ok\">Done") {
            break;
        }
    }
    for path in [format!("/sessions/{id}"), "/".to_owned(), "/statistics".to_owned()] {
        let page = server.get(&path).await.body;
        assert!(page.contains("alert(1)"), "{path} shows it: {page}");
        is_inert(&page, &path);
    }
    let query: String = form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for path in [
        format!("/?q={query}"),
        format!("/policy?tool={query}&arguments={query}"),
        format!("/tool?name={query}"),
    ] {
        is_inert(&server.get(&path).await.body, &path);
    }
    let filled = server.post("/tool?name=prints", &[("arg:text", HOSTILE)]).await.body;
    let (outcome, _) =
        filled.split_once("id=\"outcome\"").map(|(_, rest)| rest.split_once("</section>").unwrap()).unwrap();
    assert!(outcome.contains("alert(1)"), "{outcome}");
    is_inert(outcome, "the outcome of a call");
}
