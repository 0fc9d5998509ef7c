//! Colour, pipes and disks that are full.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
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
fn one_line_of_any_command_is_enough() {
    let folder = project();
    for args in [&["tools"][..], &["explain"], &["man"], &["completions", "bash"], &["--help"]] {
        let mut child =
            toolgate(folder.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{args:?}");
        assert!(!line.trim().is_empty(), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = project();
    for args in [&READ[..], &["tools"], &["explain", "ABORTED"], &["man"]] {
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
