//! Each kind of card, from a real call.

use serde_json::json;

use crate::support::{Server, asks, says};

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_result_has_its_card() {
    let answers = vec![
        asks(&[
            ("read", json!({ "file_path": "src/main.rs" })),
            ("grep", json!({ "pattern": "needle" })),
            ("glob", json!({ "pattern": "**/*.rs" })),
            ("prints", json!({ "text": "\u{1b}[1;31mred\u{1b}[0m\n" })),
            (
                "edit",
                json!({ "file_path": "src/main.rs", "old_string": "let needle = 1;", "new_string": "let needle = 2;" }),
            ),
            ("finds", json!({ "url": "https://example.org/a" })),
            ("finds", json!({ "url": "javascript:alert(1)" })),
            ("nowhere", json!({ "a": 1 })),
        ]),
        says("# Heading\n\n- one\n- two\n\n```ts\nconst a = 1;\n```"),
    ];
    let server = Server::start(answers).await;
    let source = server.folder.path().join("work/src");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("main.rs"), "// a comment\nfn main() {\n    let needle = 1;\n}\n").unwrap();
    let id = server.begin("look").await;
    let mut events = server.follow(&format!("session={id}&after=0"), None).await;
    events.wait_for("questions", |told| told.data["count"] == json!(1)).await;
    let question = server.people.pending()[0].id;
    server.post(&format!("/approvals/{question}"), &[("answer", "allow")]).await;
    events.wait_for("entries", |told| told.data.to_string().contains("pill ok\\\">Done")).await;
    let page = server.get(&format!("/sessions/{id}")).await.body;
    for part in [
        // Numbered lines in colours, and how many there are.
        "<th scope=\"row\">2</th><td><span class=\"tk-w\">fn</span> main() {",
        "<span class=\"tk-c\">// a comment</span>",
        "Showing 4 of 4 lines",
        // Matches by file, and paths.
        "<summary><span class=\"path\">",
        "Showing 1 of 1",
        "<ul class=\"paths\"><li>",
        // Output in colours, and how it ended.
        "<span class=\"af1 abold\">red</span>",
        "<span class=\"pill ok\">exit 0</span>",
        // A change in both forms.
        "value=\"split\"",
        "<tr class=\"gone\"><td class=\"sign\">−</td>",
        "<td class=\"line come\">",
        "<span class=\"plus\">+1</span>",
        // Sources: one is a link that tells nothing, the other is none.
        "<a href=\"https://example.org/a\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">A &lt;b&gt;source&lt;/b&gt;</a>",
        "<li>A &lt;b&gt;source&lt;/b&gt;<span class=\"url\">javascript:alert(1)</span></li>",
        "<p class=\"answer\">an answer</p>",
        // What has no card of its own, and no tool.
        "UNKNOWN_TOOL",
        // What the model says.
        "<p class=\"heading\">Heading</p>",
        "<span class=\"tk-w\">const</span> a",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
