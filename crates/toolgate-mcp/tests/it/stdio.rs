//! Servers that are child processes: how they begin, how they end, and that nothing of them stays (K05).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate_mcp::transport::{ServerExit, StdioServer, connect_stdio};

use crate::client::Client;
use crate::frames::poll;
use crate::stub::{Stub, supervisor};

fn shell(script: &str) -> StdioServer {
    StdioServer {
        command: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        ..StdioServer::default()
    }
}

/// The error of a server that does not get through its greeting, and how it ended.
async fn refused(server: StdioServer) -> (String, Option<ServerExit>) {
    let connected = connect_stdio(server, &supervisor()).unwrap();
    let diagnostics = connected.diagnostics.clone();
    let error = Client::connect(connected).await.err().expect("it says nothing");
    (error, diagnostics.exit())
}

#[tokio::test]
async fn a_server_that_does_not_begin_says_why() {
    for (server, expected) in [
        (shell("echo 'no configuration' >&2; exit 3"), &["exited with code 3", "no configuration"][..]),
        (shell("echo banner; kill -9 $$"), &["ended by signal 9"]),
        (shell("exec >/dev/null; exec sleep 60"), &["closed its standard output"]),
        (
            StdioServer { command: "no-such-program".to_owned(), ..StdioServer::default() },
            &["was not started", "no-such-program"],
        ),
    ] {
        let command = format!("{server:?}");
        let (error, _) = refused(server).await;
        for part in expected {
            assert!(error.contains(part), "{command}: {error}");
        }
    }
    let nowhere = StdioServer { cwd: Some("/no/such/folder".into()), ..shell("true") };
    let error = connect_stdio(nowhere, &supervisor()).unwrap_err().to_string();
    assert!(error.contains("/no/such/folder") && error.contains("hint: "), "{error}");
}

/// A server that ends while it is asked fails what was asked, with its last words.
#[tokio::test]
async fn a_server_that_ends_fails_what_was_asked() {
    let stub = Stub::answering(&[(
        "tools/call",
        vec!["!complain the database is gone".to_owned(), "!exit 7".to_owned()],
    )]);
    let client = Client::connect(connect_stdio(stub.server(), &supervisor()).unwrap()).await.unwrap();
    let message = client.fail("any").await;
    assert!(message.contains("code 7") && message.contains("the database is gone"), "{message}");
    let exit = client.diagnostics.exited().await;
    assert_eq!(exit, ServerExit::Ended { code: Some(7), signal: None, stragglers: 0, left: 0 });
}

#[tokio::test]
async fn a_server_gets_its_own_variables_and_folder() {
    let start = ["!env STUB_API_KEY", "!env PATH", "!cwd"];
    let stub = Stub::new(json!({ "start": start }));
    let folder = tempfile::TempDir::new().unwrap();
    let server = StdioServer {
        env: BTreeMap::from([("STUB_API_KEY".to_owned(), "its own".to_owned())]),
        cwd: Some(folder.path().to_owned()),
        ..stub.server()
    };
    let shown = format!("{server:?}");
    assert!(shown.contains("STUB_API_KEY"), "{shown}");
    assert!(!shown.contains("its own") && !shown.contains("serve"), "values may be credentials: {shown}");
    let client = Client::connect(connect_stdio(server, &supervisor()).unwrap()).await.unwrap();
    let said = poll(|| Some(client.diagnostics.stderr_tail()).filter(|said| said.contains("cwd="))).await;
    assert!(said.contains("STUB_API_KEY=its own"), "{said}");
    assert!(said.contains(&format!("PATH={}", std::env::var("PATH").unwrap())), "{said}");
    let folder = folder.path().canonicalize().unwrap();
    assert!(said.contains(&format!("cwd={}", folder.display())), "{said}");
}

/// Whatever a server does, closing it takes a bounded time, and nothing is left.
#[tokio::test]
async fn closing_ends_every_server() {
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#;
    for (name, acts) in [
        ("polite", vec![answer]),
        ("deaf", vec![answer, "!hang"]),
        ("flood", vec![answer, "!flood noise"]),
        ("parent", vec!["!fork", answer]),
    ] {
        let acts: Vec<String> = acts.into_iter().map(str::to_owned).collect();
        let stub = Stub::answering(&[("tools/call", acts)]);
        let mut server = stub.server();
        server.limits.close = Duration::from_millis(300);
        let mut client = Client::connect(connect_stdio(server, &supervisor()).unwrap()).await.unwrap();
        client.call("any").await.unwrap();
        assert!(stub.processes() > 0, "{name}");
        if name == "deaf" {
            // More than a pipe holds.
            let filler = "x".repeat(1 << 20);
            let params = rmcp::model::CallToolRequestParams::new(filler);
            let peer = client.service.peer().clone();
            tokio::spawn(async move { peer.call_tool(params).await });
        }
        let begun = Instant::now();
        client.service.close().await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
        assert_eq!(stub.processes(), 0, "{name}");
        assert!(matches!(client.diagnostics.exit(), Some(ServerExit::Ended { left: 0, .. })), "{name}");
        if name == "polite" {
            assert!(
                matches!(client.diagnostics.exit(), Some(ServerExit::Ended { code: Some(0), .. })),
                "it ended by itself: {:?}",
                client.diagnostics.exit()
            );
        }
    }
}

/// K05: 50 servers that each start a process in a session of its own leave nothing, zombies included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_servers_leave_nothing() {
    let stub = Stub::new(json!({ "start": ["!fork"] }));
    for _ in 0..5 {
        let mut clients = Vec::new();
        for _ in 0..10 {
            let connected = connect_stdio(stub.server(), &supervisor()).unwrap();
            clients.push(Client::connect(connected).await.unwrap());
        }
        // Each has a child.
        poll(|| (stub.processes() >= 20).then_some(())).await;
        for (number, mut client) in clients.into_iter().enumerate() {
            // Some are closed, and some are dropped.
            if number % 2 == 0 {
                client.service.close().await.unwrap();
            }
        }
        poll(|| (stub.processes() == 0 && zombies() == 0).then_some(())).await;
    }
}

/// The children of this process that nobody has buried. Tests that run beside this one have some for a moment.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let status =
        |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
    entries
        .map(status)
        .filter(|status| {
            let after = status.rsplit_once(") ").map(|(_, after)| after).unwrap_or_default();
            let mut fields = after.split(' ');
            fields.next() == Some("Z") && fields.next() == Some(own.as_str())
        })
        .count()
}
