//! Clients over HTTP: who is let in, and that each has a session of its own.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{PATIENCE, ended, lines_of};
use crate::home::Home;

/// A gateway over HTTP.
pub(super) struct Served {
    child: Child,
    address: String,
    token: Option<String>,
}

impl Served {
    pub(super) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = lines_of(child.stderr.take().unwrap());
        let (mut address, mut token) = (None, None);
        while address.is_none() {
            let line = lines.recv_timeout(PATIENCE).unwrap();
            if let Some(shown) = line.strip_prefix("token   ") {
                token = Some(shown.to_owned());
            }
            // The last line, once it can be reached.
            if let Some(url) = line.strip_prefix("serving http://") {
                address = Some(url.strip_suffix("/mcp").unwrap().to_owned());
            }
        }
        Self { child, address: address.unwrap(), token }
    }

    /// One request, and the status and body of the answer.
    pub(super) fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.to_string();
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{answer}")), answer)
    }

    pub(super) fn session(&self, name: &str) -> Session<'_> {
        let bearer = format!("Bearer {}", self.token.as_ref().unwrap());
        let info = json!({ "name": name, "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
        let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let (status, answer) = self.post("/mcp", &[("authorization", &bearer)], &begin);
        assert_eq!(status, 200, "{answer}");
        let id = answer
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        let mut session =
            Session { served: self, bearer, id: id.unwrap_or_else(|| panic!("{answer}")), next: 0 };
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(pid) = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()) {
            // It ends what it has started before it ends itself.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            let status = ended(&mut self.child);
            if !std::thread::panicking() {
                assert!(status.success(), "{status}");
            }
        }
        let _ = self.child.kill();
    }
}

/// A session of a client.
pub(super) struct Session<'a> {
    served: &'a Served,
    bearer: String,
    id: String,
    next: u64,
}

impl Session<'_> {
    fn tell(&mut self, message: &Value) -> (u16, String) {
        let headers = [
            ("authorization", self.bearer.as_str()),
            ("mcp-session-id", self.id.as_str()),
            ("mcp-protocol-version", "2025-06-18"),
        ];
        self.served.post("/mcp", &headers, message)
    }

    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let (status, answer) = self.tell(&message);
        assert_eq!(status, 200, "{answer}");
        let messages =
            answer.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        let found = messages.into_iter().find(|message: &Value| message["id"] == id);
        found.unwrap_or_else(|| panic!("{answer}"))
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

fn begin() -> Value {
    let info = json!({ "name": "test", "version": "1" });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info } })
}

#[test]
fn only_who_has_the_token_is_let_in() {
    let home = Home::new();
    let served = Served::start(&mut home.command(&["mcp", "--http", "127.0.0.1:0"]));
    let token = served.token.clone().unwrap();
    assert!(token.len() >= 32, "{token}");
    let right = format!("Bearer {token}");
    for (headers, status) in [
        (vec![], 401),
        (vec![("authorization", "Bearer wrong")], 401),
        (vec![("authorization", token.as_str())], 401),
        (vec![("authorization", right.as_str())], 200),
        (vec![("authorization", right.as_str()), ("origin", "https://evil.example")], 403),
    ] {
        let (seen, answer) = served.post("/mcp", &headers, &begin());
        assert_eq!(seen, status, "{headers:?}: {answer}");
    }
}

#[test]
fn tokens_of_the_configuration_open_what_they_are_for() {
    let home = Home::new();
    home.configure(
        "[mcp.serve]\ntoken = { environment = 'GATE_TOKEN' }\n[mcp.profiles.few]\nallow = ['read']\n\
         token = { command = ['printf', 'few-token'] }\n",
    );
    let args = ["mcp", "--http", "127.0.0.1:0"];
    home.run(&args).fails(2, "there is no token");
    let served = Served::start(home.command(&args).env("GATE_TOKEN", "all-token"));
    assert_eq!(served.token, None, "a token that somebody has is not shown");
    for (token, path, status) in [
        ("all-token", "/mcp", 200),
        ("all-token", "/mcp/few", 200),
        ("few-token", "/mcp", 200),
        ("few-token", "/mcp/few", 200),
        ("few-token", "/mcp/default", 403),
        ("all-token", "/mcp/none", 404),
    ] {
        let bearer = format!("Bearer {token}");
        let (seen, answer) = served.post(path, &[("authorization", &bearer)], &begin());
        assert_eq!(seen, status, "{token} {path}: {answer}");
    }
}

#[test]
fn without_a_token_only_this_machine_is_served() {
    let home = Home::new();
    home.run(&["mcp", "--http", "0.0.0.0:0", "--no-token"]).fails(2, "everybody who reaches");
    home.run(&["mcp", "--http", "nowhere.invalid:1"]).fails(2, "nobody can be served");
    let served = Served::start(&mut home.command(&["mcp", "--http", "127.0.0.1:0", "--no-token"]));
    let (status, answer) = served.post("/mcp", &[], &begin());
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = served.post("/mcp", &[("origin", "https://evil.example")], &begin());
    assert_eq!(status, 403, "{answer}");
}
