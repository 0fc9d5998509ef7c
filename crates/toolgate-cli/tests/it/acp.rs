//! `toolgate acp` as an editor starts it: standard output carries the protocol and nothing else, whatever ends it.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_session::{Backend as _, Durability, Entry, Event, SqliteBackend, TurnOutcome};

use crate::toolgate;

struct Editor {
    folder: TempDir,
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: i64,
}

impl Editor {
    fn start(script: &str, flags: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        fs::write(folder.path().join("script.toml"), script).unwrap();
        let mut command: Command = toolgate(folder.path());
        command.args(["acp", "--script", "script.toml", "--sessions", "sessions"]).args(flags);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Self { folder, child, to, from, next: 0 };
        editor.call("initialize", json!({ "protocolVersion": 1 }));
        editor
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project").canonicalize().unwrap()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = json!(self.next);
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.to.as_mut().unwrap(), "{frame}").unwrap();
        id
    }

    /// The next line of standard output, which is a message.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let message: Option<Value> = (!line.is_empty())
            .then(|| serde_json::from_str(&line).unwrap_or_else(|_| panic!("no protocol: {line}")));
        assert!(message.as_ref().is_none_or(|message| message["jsonrpc"] == "2.0"), "no protocol: {line}");
        message
    }

    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().unwrap();
            if fits(&message) {
                return message;
            }
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let response = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    fn open(&mut self) -> String {
        let params = json!({ "cwd": self.project(), "mcpServers": [] });
        self.call("session/new", params)["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, session: &str) -> Value {
        self.ask(
            "session/prompt",
            json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "Work." }] }),
        )
    }

    /// Reads to the end of standard output, and waits for the end of the process.
    fn end(&mut self) -> (Vec<Value>, ExitStatus) {
        let rest = std::iter::from_fn(|| self.next()).collect();
        (rest, self.child.wait().unwrap())
    }

    fn outcome(&self, session: &str) -> TurnOutcome {
        let backend = SqliteBackend::new(self.folder.path().join("sessions"), Durability::Power).unwrap();
        let entries = backend.read(session.parse().unwrap(), 1, 1_000).unwrap();
        let Some(Entry::Record(record)) = entries.last() else { panic!("{entries:?}") };
        let Event::TurnEnd(end) = &record.event else { panic!("{record:?}") };
        end.outcome
    }
}

const SLEEP: &str = "[[answer]]\n[[answer.calls]]\nname = \"bash\"\narguments = '{\"command\": \"echo $$ > pid; exec sleep 300\"}'\n";

/// Waits until the command of the script runs, and gives its process.
fn running(editor: &Editor) -> String {
    let pid = editor.project().join("pid");
    for _ in 0..6_000 {
        if let Ok(text) = fs::read_to_string(&pid)
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the command never ran");
}

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

#[test]
fn a_turn_works_with_the_tools_of_the_workspace() {
    let script = "[[answer]]\ntext = \"I write.\"\n[[answer.calls]]\nname = \"write\"\n\
                  arguments = '{\"file_path\": \"a.txt\", \"content\": \"hello\\n\"}'\n[[answer]]\ntext = \"Done.\"\n";
    let mut editor = Editor::start(script, &["--yes"]);
    let session = editor.open();
    let prompt = editor.prompt(&session);
    let diff = editor.until(|message| message["params"]["update"]["content"][0]["type"] == "diff");
    assert_eq!(diff["params"]["update"]["content"][0]["path"], json!(editor.project().join("a.txt")));
    let response = editor.until(|message| message["id"] == prompt);
    assert_eq!(response["result"]["stopReason"], "end_turn");
    assert_eq!(fs::read_to_string(editor.project().join("a.txt")).unwrap(), "hello\n");
    editor.to = None;
    let (rest, status) = editor.end();
    assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
}

#[test]
fn closing_standard_input_ends_what_runs_and_keeps_the_session() {
    let mut editor = Editor::start(SLEEP, &["--yes"]);
    let session = editor.open();
    editor.prompt(&session);
    let pid = running(&editor);
    editor.to = None;
    let (rest, status) = editor.end();
    assert!(status.success(), "{rest:?} {status}");
    assert_eq!(rest.last().unwrap()["result"]["stopReason"], "cancelled", "{rest:?}");
    assert!(!is_alive(&pid));
    assert_eq!(editor.outcome(&session), TurnOutcome::Interrupted);
}

#[test]
fn a_request_to_terminate_ends_what_runs_and_keeps_the_session() {
    let mut editor = Editor::start(SLEEP, &["--yes"]);
    let session = editor.open();
    editor.prompt(&session);
    let pid = running(&editor);
    let child = rustix::process::Pid::from_child(&editor.child);
    rustix::process::kill_process(child, rustix::process::Signal::TERM).unwrap();
    let (rest, status) = editor.end();
    assert!(status.success(), "{rest:?} {status}");
    assert!(!is_alive(&pid));
    assert_eq!(editor.outcome(&session), TurnOutcome::Interrupted);
}

#[test]
fn without_a_model_it_says_how_to_name_one() {
    let folder = TempDir::new().unwrap();
    crate::run(toolgate(folder.path()).args(["acp"])).fails(2, "there is no model to ask");
    crate::run(toolgate(folder.path()).args(["acp", "--model", "x:y"])).fails(2, "`x:y` names no model");
}

#[test]
fn a_missing_key_is_something_to_be_done_first() {
    let folder = TempDir::new().unwrap();
    let mut command = toolgate(folder.path());
    command
        .args(["acp", "--model", "anthropic:some", "--sessions", "sessions"])
        .env_remove("ANTHROPIC_API_KEY");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 1 } });
    writeln!(to, "{hello}").unwrap();
    drop(to);
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let method = &answer["result"]["authMethods"][0];
    assert_eq!(method["name"], "Give the model's key", "{answer}");
    assert!(method["description"].as_str().unwrap().contains("ANTHROPIC_API_KEY"), "{answer}");
}
