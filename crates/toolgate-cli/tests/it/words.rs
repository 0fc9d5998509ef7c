//! Help, lists, pages, completions.

use std::path::Path;

use crate::{project, run_in};

#[test]
fn tools_are_listed_for_people_and_for_programs() {
    let folder = project();
    let run = run_in(&folder, ["tools"]).exits(0);
    for words in
        ["read  Read a UTF-8 text file", "file_path  string   required  The file to read", "glob  ", "grep  "]
    {
        assert!(run.stdout.contains(words), "{words}: {run:#?}");
    }
    let schemas = run_in(&folder, ["tools", "--json"]).exits(0).json();
    let names: Vec<_> =
        schemas.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let files = ["read", "glob", "grep", "write", "edit", "delete", "move"];
    let shell: &[_] = if cfg!(unix) { &["bash", "job_output", "job_list", "job_kill"] } else { &[] };
    assert_eq!(names, [&files[..], shell, &["todo_write", "web_fetch", "web_search", "ask_user"]].concat());
    for tool in schemas.as_array().unwrap() {
        assert_eq!(tool["parameters"]["type"], "object");
        assert!(!tool["description"].as_str().unwrap().is_empty());
        assert_eq!(tool.as_object().unwrap().len(), 3, "{tool}");
    }
}

#[test]
fn every_page_is_printed_as_it_stands_in_the_folder() {
    let folder = project();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let list = run_in(&folder, ["explain"]).exits(0).stdout;
    let mut pages = 0;
    for directory in [docs.clone(), docs.join("causes")] {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let key = path.file_stem().unwrap().to_str().unwrap();
            let run = run_in(&folder, ["explain", key]).exits(0);
            assert_eq!(run.stdout, std::fs::read_to_string(&path).unwrap(), "{key}");
            assert!(list.contains(&format!("  {key} ")), "{key}");
            pages += 1;
        }
    }
    assert_eq!(list.lines().filter(|line| line.starts_with("  ")).count(), pages);
}

#[test]
fn a_code_that_does_not_exist_has_near_ones() {
    let run = run_in(&project(), ["explain", "INVALID_ARG"]).fails(2, "`INVALID_ARG`");
    assert!(run.stderr.contains("did you mean `INVALID_ARGS`"), "{run:#?}");
    let run = run_in(&project(), ["explain", "file_not_found"]).exits(0);
    assert!(run.stdout.starts_with("# FILE_NOT_FOUND\n"), "{run:#?}");
}

#[test]
fn completions_and_man_pages_know_the_commands() {
    let folder = project();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run_in(&folder, ["completions", shell]).exits(0).stdout;
        for word in ["call", "explain", "workspace"] {
            assert!(script.contains(word), "{shell} {word}");
        }
    }
    let page = run_in(&folder, ["man"]).exits(0).stdout;
    assert!(page.contains(".TH toolgate 1") && page.contains("toolgate\\-call(1)"), "{page}");
    for command in
        ["tools", "call", "run", "agent", "sessions", "log", "replay", "sdk", "explain", "completions", "man"]
    {
        let page = run_in(&folder, ["man", command]).exits(0).stdout;
        assert!(page.contains(&format!(".TH toolgate-{command} 1")), "{page}");
        assert!(page.contains(".SH NOTES\n.nf\nExamples:\n"), "{page}");
    }
}

#[test]
fn help_teaches_by_example() {
    let folder = project();
    for args in [
        &["--help"][..],
        &["call", "--help"],
        &["run", "--help"],
        &["agent", "--help"],
        &["sessions", "--help"],
        &["log", "--help"],
        &["log", "list", "--help"],
        &["log", "show", "--help"],
        &["log", "follow", "--help"],
        &["log", "export", "--help"],
        &["log", "verify", "--help"],
        &["replay", "--help"],
        &["sdk", "-h"],
        &["tools", "--help"],
        &["explain", "-h"],
        &["help", "man"],
    ] {
        let run = run_in(&folder, args).exits(0);
        assert!(run.stdout.contains("Examples:\n  ") && run.stderr.is_empty(), "{args:?}: {run:#?}");
    }
    let run = run_in(&folder, ["--version"]).exits(0);
    assert_eq!(run.stdout, format!("toolgate {}\n", env!("CARGO_PKG_VERSION")));
}
