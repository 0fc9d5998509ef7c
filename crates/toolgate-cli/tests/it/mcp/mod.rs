//! `toolgate mcp`: the real binary as a server of real clients, and in front of another one of itself.

mod ending;
mod http;
mod policy;
mod profiles;
mod servers;
mod stdio;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::home::Home;

/// How long anything may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client on the pipes of one server.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    next: u64,
}

impl Client {
    /// Starts a server, and does the handshake under a name.
    fn start(command: &mut Command, name: &str) -> Self {
        Self::able(command, name, &json!({}))
    }

    /// The same with capabilities.
    fn able(command: &mut Command, name: &str, capabilities: &Value) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let lines = lines_of(child.stdout.take().unwrap());
        let errors = lines_of(child.stderr.take().unwrap());
        let mut client = Self { child, input, lines, errors, next: 0 };
        let info = json!({ "name": name, "version": "1" });
        let begun = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "toolgate", "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next message; every line is one.
    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| {
            panic!("no message: {error}; it said {:?}", self.errors.try_iter().collect::<Vec<_>>())
        });
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Asks, and waits for the answer. Notifications are passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            assert!(message.get("method").is_some(), "an answer that nobody asked for: {message}");
        }
    }

    /// The names of the tools.
    fn tools(&mut self) -> Vec<String> {
        names(&self.ask("tools/list", &json!({})))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes the input, and gives how the server ended and what it had said.
    fn leave(mut self) -> (ExitStatus, Vec<String>) {
        drop(self.input.take());
        let status = ended(&mut self.child);
        (status, self.errors.iter().collect())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Has ended already where a test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process, for a bounded time.
fn ended(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The lines of a stream, as they come.
fn lines_of(read: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(read).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The text of a result.
fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// Another workspace, and the lines of a configuration for a server that is this binary in it.
struct Inner {
    folder: tempfile::TempDir,
}

impl Inner {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The server, under a name, with further lines.
    fn server(&self, name: &str, more: &str) -> String {
        let program = env!("CARGO_BIN_EXE_toolgate");
        let folder = self.folder.path().display();
        format!(
            "[mcp.servers.{name}]\ncommand = '{program}'\nargs = ['mcp', '-C', '{folder}', '--yes']\n\
             env = {{ XDG_CONFIG_HOME = '{folder}/.none', XDG_STATE_HOME = '{folder}/.none' }}\n{more}\n"
        )
    }
}

/// A home whose gateway is in front of a server.
fn fronting(inner: &Inner, more: &str) -> Home {
    let home = Home::new();
    home.configure(&inner.server("inner", more));
    home
}

/// The processes in whose command line or folder a path stands.
fn processes_of(path: &Path) -> Vec<String> {
    let needle = path.display().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&needle) {
            found.push(line);
        }
    }
    found
}
