//! Three real servers in the configuration of a user: the two of npm that show most of the protocol and touch files, and one on
//! the official SDK of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use super::PATIENCE;
use super::install::{module, node, python};
use crate::home::Home;

/// Some of the tools of each.
pub(super) const TOOLS: [&str; 7] = [
    "mcp__everything__echo",
    "mcp__everything__get-structured-content",
    "mcp__everything__get-tiny-image",
    "mcp__everything__trigger-long-running-operation",
    "mcp__files__read_text_file",
    "mcp__python__weather",
    "mcp__python__work",
];

/// A user with these servers.
pub(super) struct World {
    pub(super) home: Home,
}

impl World {
    pub(super) fn new() -> Self {
        let world = Self { home: Home::new() };
        fs::create_dir(world.files()).expect("a folder");
        fs::write(world.files().join("note.txt"), "first line\n").expect("a note");
        let server = |name: &str, command: &Path, args: &[&Path]| {
            let args = json!(args);
            format!("[mcp.servers.{name}]\ncommand = {}\nargs = {args}\nshared = true\n", json!(command))
        };
        let (node, python) = (node(), python());
        let text = [
            server("everything", &node, &[&module("@modelcontextprotocol/server-everything/dist/index.js")]),
            server(
                "files",
                &node,
                &[&module("@modelcontextprotocol/server-filesystem/dist/index.js"), &world.files()],
            ),
            server("python", &python, &[&script("server.py"), &world.state_file()]),
        ];
        world.home.configure(&text.concat());
        world
    }

    /// The folder of the server of files.
    pub(super) fn files(&self) -> PathBuf {
        self.home.workspace().join("files")
    }

    /// Where the Python server says how far its work is.
    fn state_file(&self) -> PathBuf {
        self.home.workspace().join("state")
    }

    /// Waits until the work of the Python server has got so far.
    pub(super) fn wait_for(&self, state: &str) {
        let begun = Instant::now();
        while !fs::read_to_string(self.state_file()).is_ok_and(|is| is == state) {
            assert!(begun.elapsed() < PATIENCE, "the work of the server was never {state}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// A file of the folder `tests/peers`.
pub(super) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

/// What each server is asked, and what of its result must be there.
pub(super) fn calls(world: &World) -> Vec<(&'static str, Value, Expected)> {
    let note = world.files().join("note.txt");
    let outside = world.home.user_file();
    vec![
        ("mcp__everything__echo", json!({ "message": "hello" }), Expected::Text("Echo: hello")),
        ("mcp__everything__get-sum", json!({ "a": 2, "b": 3 }), Expected::Text("5")),
        ("mcp__everything__get-tiny-image", json!({}), Expected::Image),
        (
            "mcp__everything__get-structured-content",
            json!({ "location": "Chicago" }),
            Expected::Structured("conditions"),
        ),
        (
            "mcp__everything__trigger-long-running-operation",
            json!({ "duration": 0.4, "steps": 4 }),
            Expected::Progress(4),
        ),
        ("mcp__files__read_text_file", json!({ "path": note }), Expected::Text("first line")),
        ("mcp__files__read_text_file", json!({ "path": outside }), Expected::Failure("Access denied")),
        ("mcp__python__greet", json!({ "name": "World" }), Expected::Text("Hello, World!")),
        ("mcp__python__picture", json!({}), Expected::Image),
        ("mcp__python__weather", json!({ "city": "Bern" }), Expected::Structured("degrees")),
        ("mcp__python__fail", json!({}), Expected::Failure("it never works")),
        ("mcp__python__work", json!({ "seconds": 0.2, "steps": 2 }), Expected::Progress(2)),
    ]
}

/// What a result must have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    /// A text with this in it.
    Text(&'static str),
    /// A picture.
    Image,
    /// An object with this member, as structured content.
    Structured(&'static str),
    /// As many reports of progress, the last of which says that all is done.
    Progress(usize),
    /// A failure with these words in it.
    Failure(&'static str),
}
