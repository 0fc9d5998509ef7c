//! The binary: what it prints last, and its exit status.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::{folder_with, repository_cases};

/// Runs the binary and gives its exit status and the last line that it prints.
fn conformance(folder: &Path, options: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).arg(folder).args(options).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), printed.lines().last().unwrap_or_default().to_owned())
}

#[test]
fn the_last_line_counts_and_the_status_follows() {
    let folder = repository_cases();
    let options = ["--family", "pipeline", "--case", "pl-p-001", "--language", "python"];
    assert_eq!(conformance(&folder, &options), (0, "1 passed, 0 failed, 0 skipped".to_owned()));
    assert_eq!(conformance(&folder, &["--case", "none"]), (1, "0 passed, 0 failed, 0 skipped".to_owned()));

    let wrong = folder_with("registry", &json!([{}]));
    assert_eq!(conformance(wrong.path(), &[]), (1, "0 passed, 1 failed, 0 skipped".to_owned()));
}

#[test]
fn a_folder_that_is_not_there_fails() {
    assert_eq!(conformance(Path::new("/no/such/folder"), &[]), (1, String::new()));
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    for options in
        [&["--dance"][..], &["--family"], &["--family", "dance"], &["--language", "lisp"], &["more"]]
    {
        assert_eq!(conformance(&repository_cases(), options), (2, String::new()), "{options:?}");
    }
}
