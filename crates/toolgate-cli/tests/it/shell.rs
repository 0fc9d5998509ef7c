//! Shell commands of the real binary: their cards, their limits, and what is left of them when the binary is killed.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::home::Home;
use crate::{allowed, run_in, toolgate};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_command_is_shown_as_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        allowed(&folder, "bash", r#"{"command":"echo out; echo err >&2; printf '\\033[31mred'; exit 3"}"#)
            .exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("out\nerr\n\\x1b[31mred\nexit code 3\n", ""));
    let run = allowed(&folder, "bash", r#"{"command":"kill -9 $$"}"#).exits(0);
    assert_eq!(run.stdout, "ended by signal SIGKILL\n");
    let run = allowed(&folder, "bash", r#"{"command":"yes","timeout_ms":1000}"#).exits(1);
    assert!(run.stderr.starts_with("error: the command did not finish within 1 s"), "{:.300}", run.stderr);
    assert!(
        run.stderr.contains("with timeout_ms") && !run.stderr.contains("--timeout"),
        "one advice about the time: {:.300}",
        run.stderr
    );
    assert!(
        run.stderr.contains("bytes left out") && run.stderr.contains("\n       y\n"),
        "{:.300}",
        run.stderr
    );
}

#[test]
fn credentials_do_not_reach_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = toolgate(folder.path());
    command.args(["call", "bash", r#"{"command":"env"}"#, "--yes"]);
    command.env("OPENAI_API_KEY", "sesame").env("SSH_AUTH_SOCK", "/sesame").env("HARMLESS", "kept");
    let run = crate::run(&mut command).exits(0);
    assert!(run.stdout.contains("HARMLESS=kept") && !run.stdout.contains("sesame"), "{}", run.stdout);
}

/// Starts a command.
fn begin(folder: &TempDir, command: &str) -> Child {
    let arguments = serde_json::json!({ "command": command }).to_string();
    let mut toolgate = toolgate(folder.path());
    toolgate.args(["call", "bash", &arguments, "--yes"]).stdout(Stdio::null()).stderr(Stdio::null());
    toolgate.spawn().unwrap()
}

/// The numbers that a command wrote into `p`, once there are so many.
fn numbers(folder: &TempDir, count: usize) -> Vec<u32> {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(folder.path().join("p")).unwrap_or_default();
        if text.ends_with('\n') && text.lines().count() >= count {
            return text.lines().map(|line| line.trim().parse().unwrap()).collect();
        }
        assert!(begun.elapsed() < PATIENCE, "p holds {text:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn exists(number: u32) -> bool {
    Path::new(&format!("/proc/{number}")).exists()
}

/// The processes below one, from the list of all.
fn below(ancestor: u32) -> Vec<u32> {
    let mut found = vec![ancestor];
    let parent = |number: u32| {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let all: Vec<u32> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    let mut next = 0;
    while let Some(one) = found.get(next).copied() {
        found.extend(all.iter().filter(|number| parent(**number) == Some(one)));
        next += 1;
    }
    found.remove(0);
    found
}

#[test]
fn killing_the_binary_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    let command = "echo $TMPDIR > t; setsid sh -c 'echo $$ >> p; exec sleep 300' & \
                   (setsid nohup sleep 300 > /dev/null & echo $! >> p); echo $$ >> p; sleep 300";
    let mut child = begin(&folder, command);
    let numbers = numbers(&folder, 3);
    let mut all = below(child.id());
    assert!(numbers.iter().all(|number| all.contains(number)), "{numbers:?} of {all:?}");
    all.push(child.id());
    // SIGKILL: nothing of the binary runs after this.
    child.kill().unwrap();
    child.wait().unwrap();
    let begun = Instant::now();
    while let Some(left) = all.iter().find(|number| exists(**number)) {
        assert!(begun.elapsed() < Duration::from_secs(2), "{left} of {all:?} is still there");
        thread::sleep(Duration::from_millis(5));
    }
    let temporary = fs::read_to_string(folder.path().join("t")).unwrap();
    assert!(temporary.trim().starts_with('/') && !Path::new(temporary.trim()).exists(), "{temporary}");
}

/// The most memory that a run of the binary had, in KiB, and what it printed.
fn peak(folder: &TempDir, command: &str, timeout_ms: u64) -> (u64, serde_json::Value) {
    let arguments = serde_json::json!({ "command": command, "timeout_ms": timeout_ms }).to_string();
    // A file, because nobody reads a pipe here before the end.
    let printed = folder.path().join("printed");
    let mut toolgate = toolgate(folder.path());
    toolgate
        .args(["call", "bash", &arguments, "--yes", "--json"])
        .stdout(fs::File::create(&printed).unwrap());
    let mut child = toolgate.spawn().unwrap();
    let begun = Instant::now();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        most = most.max(line.trim().trim_end_matches(" kB").parse().unwrap_or_default());
        assert!(begun.elapsed() < 2 * PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    (most, serde_json::from_slice(&fs::read(printed).unwrap()).unwrap())
}

/// K50.
#[test]
fn the_memory_for_an_output_does_not_depend_on_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let (little, _) = peak(&folder, "echo x; sleep 0.1", 120_000);
    let (most, record) = peak(&folder, "yes | head -c 2000000000", 120_000);
    assert!(most < little + (32 << 10), "{most} KiB, and {little} KiB without output");
    assert_eq!(record["value"]["output_bytes"], 2_000_000_000_u64);
    let output = record["value"]["output"].as_str().unwrap();
    assert!(output.starts_with("y\ny\n") && output.ends_with("y\ny\n") && output.len() < 40_000);
}

#[test]
fn a_command_that_prints_for_ever_ends_in_time_and_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (little, _) = peak(&folder, "echo x; sleep 0.1", 120_000);
    let begun = Instant::now();
    let (most, record) = peak(&folder, "yes", 1_000);
    // The bound is 1.5 s; the rest is for a machine that is busy.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(most < little + (32 << 10), "{most} KiB, and {little} KiB without output");
    assert_eq!(record["error"]["code"], "TOOL_TIMEOUT", "{record}");
    let text = record["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("did not finish within 1 s") && text.contains("bytes left out"), "{text:.300}");
    assert!(text.contains("\ny\ny\n") && text.len() < 40_000, "{text:.300}");
}

#[test]
fn the_doctor_says_what_the_configuration_wants() {
    let home = Home::new();
    home.configure("[shell.sandbox]\nmode = \"full\"\n");
    let run = home.run(&["doctor"]).exits(0);
    let mode = format!("\n  mode             full ({}:2)\n", home.user_file().display());
    assert!(run.stdout.contains(&mode) && run.stdout.contains("\n  commands run under it, by "), "{run:#?}");

    // A back end that is not there cannot enforce anything.
    home.configure("[shell.sandbox]\nbackend = \"bubblewrap\"\n");
    let run = crate::run(home.command(&["doctor"]).env("PATH", "/nowhere"));
    let report = crate::run(home.command(&["doctor", "--json"]).env("PATH", "/nowhere")).json();
    if report["configuration"]["enforceable"] == false {
        let run = run.exits(1);
        assert!(run.stdout.contains("no command runs: it is required and cannot be enforced"), "{run:#?}");
        home.configure("[shell.sandbox]\nbackend = \"bubblewrap\"\nenforcement = \"best-effort\"\n");
        let run = crate::run(home.command(&["doctor"]).env("PATH", "/nowhere")).exits(0);
        let wanted = run.stdout.split("\nWhat the configuration wants\n").nth(1).unwrap();
        assert!(wanted.contains("  but "), "{run:#?}");
    }
}

#[test]
fn the_doctor_says_what_can_what_can_be_enforced() {
    let folder = tempfile::tempdir().unwrap();
    let shown = run_in(&folder, ["doctor"]);
    let report = run_in(&folder, ["doctor", "--json"]).json();
    let modes = report["sandbox"]["modes"].as_array().unwrap();
    let names: Vec<_> = modes.iter().map(|mode| mode["mode"].as_str().unwrap()).collect();
    assert_eq!(names, ["read-only", "workspace-write", "full"]);
    for name in ["Landlock", "seccomp", "user namespaces", "bubblewrap"].into_iter().chain(names) {
        assert!(shown.stdout.contains(&format!("\n  {name} ")), "{}", shown.stdout);
    }
    // What it says of the default mode is what happens.
    let is_enforced = modes[1]["enforceable"] == true;
    assert_eq!(shown.code, Some(if is_enforced { 0 } else { 1 }));
    let run = allowed(&folder, "bash", r#"{"command":"echo x > ../escaped; echo x > inside"}"#);
    assert_eq!(folder.path().join("inside").exists(), is_enforced, "{run:#?}");
    assert!(!folder.path().join("../escaped").exists());
}
