//! What comes from files and models cannot act on the terminal.

#![cfg(unix)]

use std::fs;

use tempfile::TempDir;

use crate::{Run, call, project, run_in, toolgate, write};

/// A file name and a content that colour, overwrite, reorder and hide.
const NAME: &str = "evil\x1b[2J\u{202e}gpj.exe\r.txt";
const CONTENT: &str = "needle \x1b]0;title\x07 \u{9b}31m \u{200b}hidden \u{2066}turned \x08\x7f\r over\n";

fn evil() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, NAME, CONTENT);
    folder
}

/// Asserts that a stream holds nothing but printable text, tabs and line breaks.
#[track_caller]
fn assert_harmless(run: &Run) {
    for stream in [&run.stdout, &run.stderr] {
        let found = stream.chars().find(|c| {
            (c.is_control() && *c != '\n' && *c != '\t')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
        });
        assert_eq!(found, None, "{run:?}");
    }
}

#[test]
fn names_and_contents_are_escaped() {
    let folder = evil();
    let arguments = serde_json::json!({ "file_path": NAME }).to_string();
    let run = call(&folder, "read", &arguments).exits(0);
    assert_harmless(&run);
    assert!(run.stdout.starts_with("evil\\x1b[2J\\u{202e}gpj.exe\\r.txt  line 1 of 1"), "{run:?}");
    assert!(
        run.stdout.contains(
            "needle \\x1b]0;title\\x07 \\x9b31m \\u{200b}hidden \\u{2066}turned \\x08\\x7f\\r over"
        )
    );

    let run = call(&folder, "grep", r#"{"pattern":"needle"}"#).exits(0);
    assert_harmless(&run);
    assert!(run.stdout.contains("evil\\x1b[2J") && run.stdout.contains("\\x1b]0;title"), "{run:?}");
    let run = call(&folder, "glob", r#"{"pattern":"*"}"#).exits(0);
    assert_harmless(&run);
    assert!(run.stdout.contains("evil\\x1b[2J"), "{run:?}");
}

#[test]
fn a_line_break_in_a_name_forges_no_line() {
    let folder = project();
    write(&folder, "a\nerror: forged\n.txt", "x\n");
    let run = call(&folder, "glob", r#"{"pattern":"a*"}"#).exits(0);
    assert_eq!(run.stdout, "a\\nerror: forged\\n.txt\n1 file\n");
}

#[test]
fn errors_are_escaped() {
    let folder = project();
    let text = "\x1b[31m\u{202e}\x07";
    let arguments = serde_json::json!({ "file_path": text, "\x1b[1m": 1 }).to_string();
    assert_harmless(&call(&folder, "read", &arguments).exits(1));
    let arguments = serde_json::json!({ "file_path": text }).to_string();
    assert_harmless(&call(&folder, "read", &arguments).exits(1));
    let arguments = serde_json::json!({ "pattern": format!("{text}(") }).to_string();
    assert_harmless(&call(&folder, "grep", &arguments).exits(1));
    assert_harmless(&call(&folder, text, "{}").exits(1));
    assert_harmless(&call(&folder, "read", "{\"a\": \x1b[31m").exits(2));
    assert_harmless(&call(&folder, "read", &format!("@{text}")).exits(2));
    assert_harmless(&run_in(&folder, ["call", "read", "-C", text]).exits(2));
    assert_harmless(&run_in(&folder, ["explain", text]).exits(2));
    assert_harmless(&run_in(&folder, ["man", text]).exits(2));
}

#[test]
fn json_stays_as_it_is() {
    let folder = evil();
    let arguments = serde_json::json!({ "file_path": NAME }).to_string();
    let record = run_in(&folder, ["call", "read", &arguments, "--json"]).exits(0).json();
    assert_eq!(record["value"]["path"], NAME);
}

#[test]
fn names_that_are_not_unicode_do_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = project();
    let name = OsStr::from_bytes(b"@bad\xff.json");
    let path = folder.path().join(OsStr::from_bytes(b"bad\xff.json"));
    // Some file systems do not take such a name.
    if fs::write(&path, r#"{"file_path":"README.md"}"#).is_ok() {
        let run = crate::run(toolgate(folder.path()).args(["call", "read"]).arg(name));
        run.exits(0);
    }
    let run = crate::run(
        toolgate(folder.path()).args(["call", "read"]).arg(OsStr::from_bytes(b"{\"a\": \"\xff\"}")),
    );
    run.fails(2, "not UTF-8");
}
