//! The real binary on real folders. Every test asserts what a person or a script gets: exit code, both streams, and
//! nothing else.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails fails its test"
)]

#[cfg(unix)]
mod acp;
#[cfg(all(unix, feature = "acp-client"))]
mod acp_client;
mod agent;
mod agent_key;
mod approvals;
#[cfg(feature = "browser")]
mod browser;
mod call;
mod change;
#[cfg(unix)]
mod check;
mod config;
mod config_hostile;
#[cfg(target_os = "linux")]
mod exact_numbers;
mod follow;
mod guide;
mod home;
mod hostile;
mod interrupt;
mod kept;
mod limits;
mod log;
mod many_servers;
#[cfg(target_os = "linux")]
mod mcp;
mod output;
#[cfg(all(feature = "peers", target_os = "linux"))]
mod peers;
mod policy;
mod python;
mod replay;
mod run;
mod sdk;
mod sessions;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod terminal;
mod trust;
mod words;
#[cfg(target_os = "linux")]
mod workers;

use std::ffi::OsStr;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What a run of the binary left.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Run {
    /// Asserts an exit code and gives the run back.
    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    /// Asserts that one clear error was shown and no part of a result.
    #[track_caller]
    fn fails(self, code: i32, error: &str) -> Self {
        let run = self.exits(code);
        assert_eq!(run.stdout, "", "{run:#?}");
        assert!(run.stderr.starts_with("error: "), "{run:#?}");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run:#?}");
        assert!(run.stderr.contains(error), "{run:#?}");
        assert!(run.stderr.contains("\nhint: "), "{run:#?}");
        run
    }

    #[track_caller]
    fn json(&self) -> serde_json::Value {
        assert_eq!(self.stderr, "", "{self:#?}");
        assert_eq!(self.stdout.matches('\n').count(), 1, "{self:#?}");
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// The binary in `folder`, with no say in colours from outside, and without the configuration of whoever runs the tests.
fn toolgate(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.current_dir(folder).stdin(Stdio::null());
    let nobody = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nobody");
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(name, nobody.join(name));
    }
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the binary in `folder`.
fn run_in<A: AsRef<OsStr>>(folder: &TempDir, args: impl IntoIterator<Item = A>) -> Run {
    run(toolgate(folder.path()).args(args))
}

/// Calls a tool in `folder`.
fn call(folder: &TempDir, tool: &str, arguments: &str) -> Run {
    run_in(folder, ["call", tool, arguments])
}

/// Calls a tool in `folder`, with a yes to whatever rules ask about.
fn allowed(folder: &TempDir, tool: &str, arguments: &str) -> Run {
    run_in(folder, ["call", tool, arguments, "--yes"])
}

/// Runs the binary with `input` on its standard input.
fn run_with_input(folder: &TempDir, args: &[&str], input: &[u8]) -> Run {
    let mut command = toolgate(folder.path());
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    match stdin.write_all(input) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder like a small project.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "README.md", "# Project\n\nIt does things.\n\tIndented.\n");
    write(&folder, "src/main.rs", "fn main() {\n    // TODO: begin\n}\n");
    write(&folder, "src/lib.rs", "// TODO: write\n");
    let numbers = (1..=300).map(|n| format!("line {n}\n")).collect::<String>();
    write(&folder, "numbers.txt", numbers);
    folder
}

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}
