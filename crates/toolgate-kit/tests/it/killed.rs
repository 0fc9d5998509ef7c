//! A process killed in the middle of a change leaves the old file or the new one, and litter that the next one removes.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::json;
use toolgate::{CancellationToken, ToolCall, ToolRuntime};
use toolgate_kit::{FileToolsConfig, Workspace, file_tools};

use crate::bench::Bench;

/// Set for the process that is to be killed: the workspace that it works in.
const VICTIM: &str = "TOOLGATE_KIT_TEST_VICTIM";

/// How many processes are killed at least, and at most where the kills find the same state again and again: a busy machine
/// takes longer for a change.
const KILLS: u64 = 40;
const MOST_KILLS: u64 = 400;

/// How large the files are. Nothing but writing them should take time: they are one line, quickly compared.
const SIZE: usize = 1024 * 1024;

/// Contents that no mixture of parts could be mistaken for.
fn written(letter: char) -> String {
    letter.to_string().repeat(SIZE)
}

fn edited(letter: char) -> String {
    format!("{letter}{}", ".".repeat(SIZE))
}

fn litter(directory: &Path) -> Vec<String> {
    let names =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".toolgate-")).collect()
}

#[test]
fn a_killed_process_leaves_whole_files_and_no_lasting_litter() {
    if let Some(root) = std::env::var_os(VICTIM) {
        change_for_ever(Path::new(&root));
    }
    let bench = Bench::changing().and(&[("written", &written('a')), ("edited", &edited('a'))]);
    let this = thread::current().name().unwrap().to_owned();
    let mut most = 0;
    let mut seen = BTreeSet::new();
    for kill in 0..MOST_KILLS {
        if kill >= KILLS && seen.len() == 4 {
            break;
        }
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &this])
            .env(VICTIM, bench.root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = bench.path("started");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !started.exists() {
            assert!(Instant::now() < deadline, "it never began");
            thread::sleep(Duration::from_millis(1));
        }
        // The moments are spread over the length of a change.
        thread::sleep(Duration::from_micros(kill * 2711 % (80_000 * (1 + kill / KILLS))));
        victim.kill().unwrap();
        victim.wait().unwrap();
        fs::remove_file(started).unwrap();
        for (path, content) in [("written", written as fn(char) -> String), ("edited", edited)] {
            let now = bench.content(path);
            assert!(now == content('a') || now == content('b'), "`{path}` is torn after kill {kill}");
            seen.insert((path, now.chars().next()));
        }
        most = most.max(litter(&bench.root()).len());
    }
    // Each process is killed once and removes what the one before left. Some were killed while they wrote.
    assert_eq!(most, 1, "temporary files at once");
    assert_eq!(seen.len(), 4, "the kills came before the changes: {seen:?}");
    // A file that somebody still holds is not litter, and one of another name is nobody's business.
    let held = fs::File::create(bench.path(".toolgate-0123456789abcdef.tmp")).unwrap();
    held.lock().unwrap();
    bench.write(".toolgate-fedcba9876543210.tmp", "left by a process that is gone");
    bench.write(".toolgate-notes.tmp", "mine");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { bench.value("write", json!({ "file_path": "last", "content": "x" })).await });
    let mut left = litter(&bench.root());
    left.sort();
    assert_eq!(left, [".toolgate-0123456789abcdef.tmp", ".toolgate-notes.tmp"]);
}

/// What the process does that is to be killed.
fn change_for_ever(root: &Path) -> ! {
    let workspace = Workspace::open(root).unwrap();
    let tools =
        ToolRuntime::builder().plugin(file_tools(workspace, FileToolsConfig::default())).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let change = |tool, args| {
        let result = runtime.block_on(tools.execute(ToolCall::new(tool, args, CancellationToken::new())));
        assert!(!result.is_error(), "{}", result.text());
    };
    // The first change removes what the process before left.
    change("write", json!({ "file_path": "started", "content": "" }));
    loop {
        for letter in ['b', 'a'] {
            let other = if letter == 'a' { 'b' } else { 'a' };
            change("write", json!({ "file_path": "written", "content": written(letter) }));
            let is_other = fs::read_to_string(root.join("edited")).unwrap().starts_with(other);
            if is_other {
                let (old, new) = (other.to_string(), letter.to_string());
                let args = json!({ "file_path": "edited", "old_string": old, "new_string": new, "replace_all": true });
                change("edit", args);
            }
        }
    }
}
