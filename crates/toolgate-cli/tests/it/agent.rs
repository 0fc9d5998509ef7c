//! `toolgate agent`: the bundled script makes the failing test of the bundled project pass, through real tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use toolgate_session::{Backend as _, Durability, Entry, Event, SqliteBackend};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

fn test_of(project: &Path) -> bool {
    Command::new("sh").arg("tests/greet_test.sh").current_dir(project).output().unwrap().status.success()
}

fn agent(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolgate"))
        .arg("agent")
        .args(arguments)
        .arg("--workspace")
        .arg(folder.path().join("project"))
        .arg("--sessions")
        .arg(folder.path().join("sessions"))
        .output()
        .unwrap()
}

#[test]
fn the_script_makes_the_failing_test_pass() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("project");
    copy(&examples().join("projects/greeting"), &project);
    assert!(!test_of(&project), "the test fails first");
    let script = examples().join("scripts/fix-test.toml");
    let output = agent(&folder, &["Make the test pass.", "--yes", "--script", script.to_str().unwrap()]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(test_of(&project), "{out}\n{err}");
    assert!(out.ends_with("The test passes now: the greeting ends with an exclamation mark.\n"), "{out}");

    // The session holds the whole turn.
    let backend = SqliteBackend::new(folder.path().join("sessions"), Durability::Power).unwrap();
    let id = backend.list().unwrap()[0];
    assert!(err.contains(&format!("session {id}")), "{err}");
    let entries = backend.read(id, 1, 1_000).unwrap();
    let results = entries.iter().filter(|entry| match entry {
        Entry::Record(record) => matches!(record.event, Event::ToolResult(_)),
        Entry::Damaged(_) => false,
    });
    assert_eq!(results.count(), 4);
}

#[test]
fn without_a_model_it_says_how_to_name_one_and_how_to_try() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("project")).unwrap();
    let output = agent(&folder, &["task"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("OPENAI_API_KEY") && err.contains("--script examples/scripts/fix-test.toml"),
        "{err}"
    );
}
