//! `toolgate call`: cards, failures, exit codes.

use std::fs::File;

use crate::{call, project, run_in, run_with_input, write};

#[test]
fn a_file_is_a_card_of_numbered_lines() {
    let run = call(&project(), "read", r#"{"file_path":"README.md"}"#).exits(0);
    assert_eq!(
        run.stdout,
        "README.md  lines 1–4 of 4  markdown\n   1  # Project\n   2\n   3  It does things.\n   4  \tIndented.\n"
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn a_window_says_that_it_is_one() {
    let run = call(&project(), "read", r#"{"file_path":"numbers.txt","offset":11,"limit":2}"#).exits(0);
    assert_eq!(
        run.stdout.lines().collect::<Vec<_>>(),
        [
            "numbers.txt  lines 11–12 of 300",
            "  11  line 11",
            "  12  line 12",
            "… 288 more lines; continue with \"offset\": 13",
        ]
    );
    let run = call(&project(), "read", r#"{"file_path":"numbers.txt","offset":400}"#).exits(0);
    assert_eq!(run.stdout, "numbers.txt  no line 400: the file has 300 lines\n");
}

#[test]
fn matches_are_grouped_by_file() {
    let run = call(&project(), "grep", r#"{"pattern":"TODO"}"#).exits(0);
    assert_eq!(
        run.stdout,
        "src/lib.rs\n   1  // TODO: write\n\nsrc/main.rs\n   2      // TODO: begin\n\n2 matching lines\n"
    );
    let run = call(&project(), "grep", r#"{"pattern":"nowhere"}"#).exits(0);
    assert_eq!(run.stdout, "no matching lines\n");
}

#[test]
fn paths_come_one_a_line() {
    let run = call(&project(), "glob", r#"{"pattern":"**/*.rs"}"#).exits(0);
    assert_eq!(run.stdout, "src/lib.rs\nsrc/main.rs\n2 files\n");
}

#[test]
fn a_cut_list_is_never_shown_as_complete() {
    let folder = project();
    for n in 0..1_001 {
        write(&folder, &format!("many/{n}.txt"), "needle\n");
    }
    let run = call(&folder, "glob", r#"{"pattern":"many/*"}"#).exits(0);
    assert!(run.stdout.ends_with("\n… cut: 1,000 of 1,001 files shown; narrow the search to see others\n"));
    let run = call(&folder, "grep", r#"{"pattern":"needle"}"#).exits(0);
    assert!(
        run.stdout.ends_with("\n… cut: 500 of 1,001 matching lines shown; narrow the search to see others\n")
    );
}

#[test]
fn what_cannot_be_read_is_one_clear_error() {
    let folder = project();
    let elsewhere = tempfile::tempdir().unwrap();
    write(&elsewhere, "secret.txt", "secret\n");
    let secret = elsewhere.path().join("secret.txt");
    write(&folder, "image.bin", b"PNG\0\0\0data");
    write(&folder, "latin1.txt", b"caf\xe9\n");
    // Two gigabytes that are not on the disk.
    File::create(folder.path().join("sparse.bin")).unwrap().set_len(2 << 30).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, folder.path().join("leaves")).unwrap();

    let outside = serde_json::json!({ "file_path": secret }).to_string();
    let mut cases = vec![
        (r#"{"file_path":"../secret.txt"}"#, "outside the workspace", "OUTSIDE_WORKSPACE"),
        (outside.as_str(), "outside the workspace", "OUTSIDE_WORKSPACE"),
        (r#"{"file_path":"src"}"#, "is a directory", "IS_A_DIRECTORY"),
        (r#"{"file_path":"image.bin"}"#, "is a binary file", "BINARY_FILE"),
        (r#"{"file_path":"sparse.bin"}"#, "is a binary file", "BINARY_FILE"),
        (r#"{"file_path":"latin1.txt"}"#, "not valid UTF-8", "NOT_UTF8"),
        (r#"{"file_path":"missing.txt"}"#, "does not exist", "FILE_NOT_FOUND"),
        (r#"{"file_path":"README.md/x"}"#, "not a directory", "NOT_A_DIRECTORY"),
        (r#"{"file_path":""}"#, "the path is empty", "INVALID_PATH"),
        (r#"{"file_path":7}"#, "`file_path`", "INVALID_ARGS"),
        (r#"{"file_path":"README.md","limit":"all"}"#, "`limit`", "INVALID_ARGS"),
        (r#"{"file_path":"README.md","limit":0}"#, "limit", "INVALID_ARGS"),
        (r#"{"file_path":"README.md","colour":"red"}"#, "`colour`", "INVALID_ARGS"),
        ("{}", "`file_path` is required", "INVALID_ARGS"),
        ("[1]", "", "INVALID_ARGS"),
        ("null", "", "INVALID_ARGS"),
    ];
    if cfg!(unix) {
        cases.push((r#"{"file_path":"leaves"}"#, "leaves the workspace", "OUTSIDE_WORKSPACE"));
    }
    for (arguments, message, code) in cases {
        let run = call(&folder, "read", arguments).fails(1, message);
        assert!(run.stderr.contains(&format!("`toolgate explain {code}`")), "{run:#?}");
        assert!(!run.stderr.contains("secret\n"), "{run:#?}");
        let record = run_in(&folder, ["call", "read", arguments, "--json"]).exits(1).json();
        assert_eq!(
            (&record["isError"], &record["error"]["code"]),
            (&true.into(), &code.into()),
            "{arguments}"
        );
        assert!(record.get("value").is_none(), "{record}");
    }
}

#[test]
fn wrong_arguments_name_the_right_ones() {
    let run = call(&project(), "read", r#"{"path":"README.md"}"#).fails(1, "`file_path` is required");
    assert!(
        run.stderr.contains("hint: `read` takes file_path (string, required), offset (integer)"),
        "{run:#?}"
    );
}

#[test]
fn the_record_is_whole() {
    let record =
        run_in(&project(), ["call", "read", r#"{"file_path":"README.md"}"#, "--json"]).exits(0).json();
    assert_eq!(record["isError"], false);
    assert_eq!(record["value"]["total_lines"], 4);
    assert_eq!(record["content"][0]["type"], "text");
    assert_eq!(record["meta"]["path"], "README.md");
}

#[test]
fn a_name_that_no_tool_has_is_called_and_explained() {
    let folder = project();
    let run = call(&folder, "raed", "{}").fails(1, "there is no tool named `raed`");
    assert!(run.stderr.contains("hint: did you mean `read`?"), "{run:#?}");
    assert!(run.stderr.contains("`toolgate tools`"), "{run:#?}");
    let run = call(&folder, "xyzzy", "{}").fails(1, "there is no tool named `xyzzy`");
    assert!(!run.stderr.contains("did you mean"), "{run:#?}");
    let record = run_in(&folder, ["call", "read_file", "--json"]).exits(1).json();
    assert_eq!(record["error"]["code"], "UNKNOWN_TOOL");
    assert_eq!(record["error"]["name"], "ToolNotFoundError");
}

#[test]
fn arguments_come_from_the_command_line_a_file_or_standard_input() {
    let folder = project();
    let arguments = r#"{"file_path": "numbers.txt", "limit": 1}"#;
    write(&folder, "args.json", arguments);
    let expected = call(&folder, "read", arguments).exits(0).stdout;
    assert_eq!(call(&folder, "read", "@args.json").exits(0).stdout, expected);
    assert_eq!(
        run_with_input(&folder, &["call", "read", "-"], arguments.as_bytes()).exits(0).stdout,
        expected
    );
    // Standard input is not looked at unless it is asked for.
    let run = run_with_input(&folder, &["call", "read"], arguments.as_bytes());
    run.fails(1, "`file_path` is required");
}

#[test]
fn the_workspace_can_be_another_directory() {
    let (folder, empty) = (project(), tempfile::tempdir().unwrap());
    let at = folder.path().to_str().unwrap();
    run_in(&empty, ["call", "read", r#"{"file_path":"README.md"}"#, "--workspace", at]).exits(0);
    let arguments = r#"{"file_path":"README.md"}"#;
    run_in(&folder, ["call", "read", arguments, "-C", "gone"]).fails(2, "the workspace root `gone`");
    run_in(&folder, ["call", "read", arguments, "-C", "README.md"])
        .fails(2, "the workspace root `README.md`");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = project();
    for args in [
        vec![],
        vec!["call"],
        vec!["nothing"],
        vec!["call", "read", "{}", "--nothing"],
        vec!["call", "read", "{}", "--timeout", "10"],
        vec!["call", "read", "{}", "--timeout", "0s"],
        vec!["call", "read", "{}", "{}"],
        vec!["explain", "NOTHING"],
        vec!["man", "nothing"],
        vec!["completions", "csh"],
    ] {
        let run = run_in(&folder, &args).exits(2);
        assert_eq!(run.stdout, "", "{args:?}");
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}
