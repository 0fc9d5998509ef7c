//! The timeline of a session: windows of a long one, the same from the log alone, and what is lost in it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::{CallId, ContentBlock, JsonValue};
use toolgate_session::{
    Event, Record, SessionId, ToolCallRecorded, ToolResultRecorded, TurnEnd, TurnOutcome, TurnStart,
    UserEntry,
};
use toolgate_web::Secret;

use crate::support::{Server, asks, says};

/// Writes a session of so many calls without an agent.
fn write(server: &Server, calls: u64) -> SessionId {
    let id = SessionId::generate();
    let start = TurnStart { turn: 1, scope: "agent".to_owned(), model: None, parent: None, workspace: None };
    let content = vec![ContentBlock::text("a long task")];
    let mut events =
        vec![Event::TurnStart(start), Event::UserMessage(UserEntry { source: None, content, meta: None })];
    for call in 0..calls {
        let call_id = CallId::new(format!("{id}-{call}"));
        events.push(Event::ToolCall(ToolCallRecorded {
            call_id: call_id.clone(),
            name: "prints".to_owned(),
            arguments: JsonValue::parse(&json!({ "text": format!("line {call}.") }).to_string()).unwrap(),
            normalized: Vec::new(),
            effect: None,
        }));
        events.push(Event::ToolResult(ToolResultRecorded {
            call_id,
            content: vec![ContentBlock::text("printed")],
            error: None,
            meta: None,
            contexts: Vec::new(),
            concludes_turn: false,
            settlement: None,
        }));
    }
    events.push(Event::TurnEnd(TurnEnd { turn: 1, outcome: TurnOutcome::Completed, reason: None }));
    let mut journal = server.backend.create(id).unwrap();
    let lines: Vec<_> = (1..)
        .zip(events)
        .map(|(seq, event)| Record { seq, time: "2026-01-02T03:04:05.000Z".to_owned(), event }.to_line())
        .collect();
    lines.chunks(1_000).for_each(|lines| journal.append(lines).unwrap());
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_session_is_shown_in_windows_that_together_are_all_of_it() {
    let server = Server::start(Vec::new()).await;
    let id = write(&server, 5_000);
    let began = Instant::now();
    let page = server.get(&format!("/sessions/{id}")).await.body;
    // 10,003 events are read and 60 entries drawn; the bound is for a machine that does much else.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(page.len() < 200_000, "{} bytes", page.len());
    assert!(page.contains("line 4999.") && !page.contains("line 4900."));
    let mut before = first(&page);
    let mut seen = page.matches("class=\"entry\"").count();
    while let Some(seq) = before {
        let part = server.get(&format!("/sessions/{id}/items?before={seq}")).await.body;
        seen += part.matches("class=\"entry\"").count();
        before = first(&part);
    }
    assert_eq!(seen, 5_003);
    let after = server.get(&format!("/sessions/{id}/items?after=3")).await.body;
    assert!(
        after.contains("line 1.") && after.contains("line 60.") && !after.contains("line 61."),
        "{after}"
    );
}

/// The entry from which on earlier ones are to be asked for.
fn first(page: &str) -> Option<u64> {
    let (_, rest) = page.split_once("id=\"earlier\"")?;
    let (_, rest) = rest.split_once("?before=")?;
    rest.split('"').next()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_session_looks_as_it_did_live() {
    let program = json!({
        "description": "two at once",
        "code": "const a = await Promise.all([tools.prints({ text: \"a\" }), tools.prints({ text: \"b\" })]); return a;",
    });
    let write = json!({ "file_path": "notes.txt", "content": "one\ntwo\n" });
    let answers = vec![
        asks(&[
            ("prints", json!({ "text": "\u{1b}[32mgreen\u{1b}[0m" })),
            ("glob", json!({ "pattern": "**" })),
        ]),
        asks(&[("run_code", program)]),
        asks(&[("write", write)]),
        says("**done**"),
    ];
    let server = Server::start(answers).await;
    let id = server.begin("show everything").await;
    let mut events = server.follow(&format!("session={id}&after=0"), None).await;
    let mut live: Vec<(String, String)> = Vec::new();
    loop {
        let told = events.next().await.expect("the stream goes on");
        // The file is changed only when somebody says so.
        if let (true, Some(question)) = (told.name == "questions", server.people.pending().first()) {
            server.post(&format!("/approvals/{}", question.id), &[("answer", "allow")]).await;
        }
        if told.name != "entries" {
            continue;
        }
        for change in told.data.as_array().unwrap() {
            let (id, html) = (change["id"].as_str().unwrap(), change["html"].as_str().unwrap());
            live.push((id.to_owned(), html.to_owned()));
        }
        if told.data.to_string().contains("pill ok\\\">Done") {
            break;
        }
    }
    // Another server, which has nothing but the log.
    let folder = Arc::clone(&server.folder);
    let address = "127.0.0.1:0".parse().unwrap();
    let other = Server::start_in(folder, Vec::new(), Secret::draw().unwrap(), address).await;
    let page = other.get(&format!("/sessions/{id}")).await.body;
    // Of each entry: what it was last, or what it came as where nothing changed it.
    let mut seen = 0;
    for (id, html) in last_of_each(&live) {
        assert!(page.contains(&html), "{id} looked like this:\n{html}\nand the page is\n{page}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen} entries");
    assert!(page.contains("class=\"af2\">green</span>"), "{page}");
    assert!(page.contains("2 calls"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_lost_is_said_in_its_place() {
    let server = Server::start(Vec::new()).await;
    let id = write(&server, 10);
    let database = server.folder.path().join(format!("sessions/{id}.db"));
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute("DELETE FROM record WHERE seq BETWEEN 5 AND 8", []).unwrap();
    drop(connection);
    let page = server.get(&format!("/sessions/{id}")).await.body;
    assert!(page.contains("Records 5 to 8 are lost"), "{page}");
    assert!(page.contains("line 0.") && page.contains("line 3.") && !page.contains("line 1."), "{page}");
}

fn last_of_each(live: &[(String, String)]) -> Vec<(String, String)> {
    let mut last: Vec<(String, String)> = Vec::new();
    for (id, html) in live {
        let number = id.trim_start_matches(['c', 'i', 'n']);
        let is_body = id.starts_with('c');
        last.retain(|(known, _)| known != id && !(is_body && *known == format!("i{number}")));
        last.push((id.clone(), html.clone()));
    }
    last
}
