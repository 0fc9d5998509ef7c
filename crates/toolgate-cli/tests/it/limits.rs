//! Texts that are broken, too long or too deep, and calls that take too long.

use crate::interrupt::slow_search;
use crate::{call, project, run_in, run_with_input, write};

#[test]
fn broken_json_is_shown_at_its_place() {
    let folder = project();
    for (text, place, caret, hint) in [
        ("{'file_path': 1}", "line 1, column 2", "  {'file_path': 1}\n   ^\n", "double quotes"),
        ("{\"a\": 1,}", "line 1, column 9", "  {\"a\": 1,}\n          ^\n", "remove the comma"),
        ("{\"a\":\n  oops}", "line 2, column 3", "    oops}\n    ^\n", "single quotes"),
        ("README.md", "line 1, column 1", "  README.md\n  ^\n", "@file"),
        ("", "line 1, column 1", "  \n  ^\n", "write {}"),
        ("{} {}", "line 1, column 4", "  {} {}\n     ^\n", "single quotes"),
        ("{\"a\":1e999}", "line 1, column 6", "  {\"a\":1e999}\n       ^\n", "as a string"),
    ] {
        let run = call(&folder, "read", text).fails(2, place);
        assert!(run.stderr.contains(caret), "{text}: {run:#?}");
        assert!(run.stderr.contains(hint), "{text}: {run:#?}");
    }
    let long = format!("{{\"a\": \"{}\" oops", "x".repeat(100_000));
    let run = call(&folder, "read", &long).fails(2, "column 100010");
    assert!(run.stderr.len() < 1_000, "{run:#?}");
    run_with_input(&folder, &["call", "read", "-"], b"{\"a\": \"\xff\"}").fails(2, "not UTF-8");
}

#[test]
fn a_file_of_arguments_that_cannot_be_read_is_wrong_usage() {
    let folder = project();
    call(&folder, "read", "@missing.json").fails(2, "`missing.json`");
    call(&folder, "read", "@src").fails(2, "`src`");
    call(&folder, "read", "@").fails(2, "could not be read");
}

#[test]
fn depth_is_refused_with_its_limit() {
    let folder = project();
    let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    write(&folder, "deep.json", nested(100_000));
    call(&folder, "read", "@deep.json").fails(2, "more than 1,000 levels");
    run_with_input(&folder, &["call", "read", "-"], nested(100_000).as_bytes())
        .fails(2, "more than 1,000 levels");
    call(&folder, "read", &nested(1_001)).fails(2, "more than 1,000 levels");
    call(&folder, "read", &"[".repeat(100_000)).fails(2, "more than 1,000 levels");
    // What is within the limit reaches the tool, which does not know `a`.
    call(&folder, "read", &nested(1_000)).fails(1, "`a`");
}

#[test]
fn length_is_refused_with_its_limit() {
    let folder = project();
    let mut text = vec![b' '; 16 * 1024 * 1024 - 2];
    text.extend(b"{}");
    run_with_input(&folder, &["call", "read", "-"], &text).fails(1, "`file_path` is required");
    text.push(b' ');
    run_with_input(&folder, &["call", "read", "-"], &text).fails(2, "longer than 16,777,216 bytes");
    write(&folder, "long.json", &text);
    call(&folder, "read", "@long.json").fails(2, "longer than 16,777,216 bytes");
}

#[test]
fn an_endless_file_of_arguments_is_not_read_to_its_end() {
    if cfg!(target_os = "linux") {
        call(&project(), "read", "@/dev/zero").fails(2, "longer than 16,777,216 bytes");
    }
}

#[test]
fn a_tool_that_takes_too_long_is_stopped() {
    let folder = slow_search();
    let arguments = r#"{"pattern":"(a|b|ab)*c(d|e)*needle"}"#;
    let run = run_in(&folder, ["call", "grep", arguments, "--timeout", "50ms"]);
    let run = run.fails(1, "the tool did not finish within 50ms");
    assert!(run.stderr.contains("hint: allow more time with --timeout"), "{run:#?}");
    let record = run_in(&folder, ["call", "grep", arguments, "--timeout", "50ms", "--json"]).exits(1).json();
    assert_eq!(record["error"]["code"], "TOOL_TIMEOUT");
    assert_eq!(record["error"]["name"], "ToolTimeoutError");
    // The same limit does not touch a quick call.
    run_in(&project(), ["call", "read", r#"{"file_path":"README.md"}"#, "--timeout", "30s"]).exits(0);
}
