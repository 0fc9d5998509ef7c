//! Colour, pipes and disks that are full.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::process::Stdio;

use crate::{project, run, run_in, toolgate, write};

const READ: [&str; 3] = ["call", "read", r#"{"file_path":"README.md"}"#];

#[test]
fn colour_is_for_terminals_and_for_those_who_insist() {
    let folder = project();
    let coloured = |variables: &[(&str, &str)], args: &[&str]| {
        let run = run(toolgate(folder.path()).args(args).envs(variables.iter().copied()));
        run.stdout.contains('\x1b') || run.stderr.contains('\x1b')
    };
    for args in [&READ[..], &["call", "raed"], &["tools"], &["explain"]] {
        assert!(!coloured(&[], args), "{args:?}");
        assert!(coloured(&[("CLICOLOR_FORCE", "1")], args), "{args:?}");
        assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], args), "{args:?}");
    }
    // JSON is for programs, whatever the terminal.
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &[READ[0], READ[1], READ[2], "--json"]));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = project();
    let long = format!("{}\n", "x".repeat(1_000)).repeat(2_000);
    write(&folder, "long.txt", long);
    for more in [&[][..], &["--json"]] {
        let mut command = toolgate(folder.path());
        command.args(["call", "read", r#"{"file_path":"long.txt"}"#]).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 8];
        let mut stdout = BufReader::with_capacity(8, child.stdout.take().unwrap());
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{more:?}");
    }
}

#[test]
fn a_reader_that_was_never_there_changes_no_exit_code() {
    let folder = project();
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    for (args, code) in [
        (&READ[..], 0),
        (&["tools"], 0),
        (&["tools", "--json"], 0),
        (&["explain"], 0),
        (&["explain", "ABORTED"], 0),
        (&["man"], 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
        // The call failed, whoever reads of it.
        (&["call", "read", "--json"], 1),
    ] {
        let output =
            toolgate(folder.path()).args(args).stdout(closed()).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(code), vec![]), "{args:?}");
    }
    let output = toolgate(folder.path()).args(["call", "read"]).stderr(closed()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), vec![]));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = project();
    for args in [&READ[..], &["call", "read", "--json"], &["tools"], &["explain", "ABORTED"], &["man"]] {
        let full = File::create("/dev/full").unwrap();
        let output = toolgate(folder.path()).args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains("No space left"), "{args:?}: {stderr}");
    }
}

#[test]
fn failures_leave_standard_output_empty() {
    run_in(&project(), ["call", "read", r#"{"file_path":"src"}"#]).fails(1, "is a directory");
}
