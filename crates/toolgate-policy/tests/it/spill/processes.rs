//! Several processes on one folder, and processes that end badly.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use toolgate::prelude::*;
use toolgate_policy::{Spill, SpillConfig};

use super::bench::{files_below, handle_in, large, tool};

/// The folder, for the test below when it is run as a process of its own.
const FOLDER: &str = "TOOLGATE_TEST_SPILL_FOLDER";

/// What the processes of the tests do: keep something, say how large the result is, and wait for their input to end.
#[tokio::test]
async fn process() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let runtime = ToolRuntime::builder().plugin(Spill::new(folder, SpillConfig::default())).build().unwrap();
    runtime.register(tool("big").body(|_, _| async { Ok(large(600_000)) })).unwrap();
    let call = ToolCall::new("big", json!({}), CancellationToken::new());
    let result = runtime.scope("agent").execute(call).await;
    let mut out = std::io::stdout();
    writeln!(out, "\nkept {} {}", handle_in(&result.text()).is_some(), result.text().len()).unwrap();
    out.flush().unwrap();
    std::io::read_to_string(std::io::stdin()).unwrap();
}

fn start(folder: &Path, shell: Option<&str>) -> (Child, String) {
    let this = std::env::current_exe().unwrap();
    let mut command = match shell {
        None => Command::new(&this),
        Some(script) => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script, "sh"]).arg(&this);
            command
        }
    };
    command.args(["--exact", "spill::processes::process", "--nocapture", "--test-threads=1"]);
    let mut child = command
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.find_map(|line| line.unwrap().strip_prefix("kept ").map(str::to_owned)).unwrap();
    // Whatever else it says has somewhere to go.
    std::thread::spawn(move || lines.count());
    (child, said)
}

fn run_folders(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
}

fn begin(folder: &Path) -> ToolRuntime {
    ToolRuntime::builder().plugin(Spill::new(folder, SpillConfig::default())).build().unwrap()
}

#[test]
fn two_processes_share_a_folder_and_leave_each_other_alone() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("spill");
    let (mut first, said) = start(&folder, None);
    assert!(said.starts_with("true "), "{said}");
    let (mut second, _) = start(&folder, None);
    let runtime = begin(&folder);
    assert_eq!((run_folders(&folder), files_below(&folder).len()), (3, 4));
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    assert_eq!(
        (run_folders(&folder), files_below(&folder).len()),
        (2, 2),
        "an end that is no crash cleans up"
    );
    drop(runtime);
    assert_eq!(run_folders(&folder), 1);
    drop(second.stdin.take());
    second.wait().unwrap();
    assert_eq!(run_folders(&folder), 0);
}

#[test]
fn what_a_killed_process_leaves_is_private_and_goes_with_the_next_start() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("spill");
    let (mut child, _) = start(&folder, None);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = files_below(&folder);
    assert_eq!(left.len(), 2);
    for file in left {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(file.parent().unwrap().metadata().unwrap().permissions().mode() & 0o7777, 0o700);
    }
    let _runtime = begin(&folder);
    assert_eq!((run_folders(&folder), files_below(&folder).len()), (1, 0));
}

#[test]
fn cleaning_touches_nothing_but_its_own() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("spill");
    drop(begin(&folder));
    let outside = home.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    for name in ["lock", "1.text"] {
        std::fs::write(outside.join(name), "precious").unwrap();
    }
    let dead = |name: &str| folder.join(name);
    symlink(&outside, dead("run-1-0123456789abcdef")).unwrap();
    for name in
        ["run-1-short", "other", "run-1-aaaaaaaaaaaaaaaa", "run-1-bbbbbbbbbbbbbbbb", "run-1-cccccccccccccccc"]
    {
        std::fs::create_dir(dead(name)).unwrap();
    }
    for file in ["run-1-short/1.text", "other/1.text", "run-1-aaaaaaaaaaaaaaaa/notes.txt"] {
        std::fs::write(dead(file), "precious").unwrap();
    }
    for name in ["run-1-aaaaaaaaaaaaaaaa", "run-1-bbbbbbbbbbbbbbbb"] {
        for file in ["lock", "1.text", "2.json-part", "3.call"] {
            std::fs::write(dead(name).join(file), "").unwrap();
        }
    }
    let _runtime = begin(&folder);
    for (path, is_left) in [
        ("run-1-0123456789abcdef/1.text", true),
        ("run-1-short/1.text", true),
        ("other/1.text", true),
        ("run-1-aaaaaaaaaaaaaaaa/notes.txt", true),
        ("run-1-aaaaaaaaaaaaaaaa/1.text", false),
        ("run-1-bbbbbbbbbbbbbbbb", false),
        ("run-1-cccccccccccccccc", false),
    ] {
        assert_eq!(dead(path).exists(), is_left, "{path}");
    }
    assert_eq!(std::fs::read_to_string(outside.join("lock")).unwrap(), "precious");
}

#[test]
fn a_file_that_cannot_be_written_to_its_end_leaves_nothing_and_the_result_whole() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("spill");
    // No file may grow beyond some hundred kilobytes; the signal for it is ignored, so that writing fails instead.
    let (mut child, said) = start(&folder, Some("trap '' XFSZ; ulimit -f 400; exec \"$@\""));
    assert_eq!(said, format!("false {}", large(600_000).to_string().len()));
    assert_eq!(files_below(&folder), Vec::<std::path::PathBuf>::new());
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!(run_folders(&folder), 0);
}
