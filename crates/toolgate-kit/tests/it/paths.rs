//! Every way in which a path can be wrong, and the ways in which it is right.

use serde_json::json;
use toolgate_kit::Workspace;

use crate::bench::{Bench, texts};

fn bench() -> Bench {
    let bench = Bench::with(&[("a.txt", "inside\n"), ("dir/b.txt", "deeper\n")]);
    std::fs::create_dir(bench.outside("elsewhere")).unwrap();
    std::fs::write(bench.outside("elsewhere/secret.txt"), "SECRET\n").unwrap();
    bench
}

#[tokio::test]
async fn paths_inside_are_read_however_they_are_written() {
    let bench = bench();
    let canonical = std::fs::canonicalize(bench.root()).unwrap();
    let absolute = |path: &str| bench.root().join(path).to_str().unwrap().to_owned();
    for (path, name, text) in [
        ("a.txt".to_owned(), "a.txt", "inside"),
        ("./a.txt".to_owned(), "a.txt", "inside"),
        ("dir//b.txt".to_owned(), "dir/b.txt", "deeper"),
        ("dir/../a.txt".to_owned(), "dir/../a.txt", "inside"),
        (absolute("a.txt"), "a.txt", "inside"),
        (absolute("dir/./b.txt"), "dir/b.txt", "deeper"),
        (canonical.join("dir/b.txt").to_str().unwrap().to_owned(), "dir/b.txt", "deeper"),
    ] {
        let value = bench.value("read", json!({ "file_path": path })).await;
        assert_eq!((value["path"].as_str(), texts(&value)), (Some(name), vec![text]), "{path}");
    }
}

#[tokio::test]
async fn wrong_paths_say_what_is_wrong() {
    let bench = bench();
    let long_name = "n".repeat(300);
    let long_path = format!("{}a.txt", "dir/../".repeat(700));
    let secret = bench.outside("elsewhere/secret.txt").to_str().unwrap().to_owned();
    let sibling = format!("{}-not/a.txt", bench.root().display());
    for (path, code, words) in [
        ("", "INVALID_PATH", "the path is empty"),
        ("a\0.txt", "INVALID_PATH", "NUL"),
        (long_name.as_str(), "INVALID_PATH", "longer than the file system allows"),
        (long_path.as_str(), "INVALID_PATH", "longer than the file system allows"),
        ("nothing.txt", "FILE_NOT_FOUND", "there is no `nothing.txt`"),
        ("nodir/x/y.txt", "FILE_NOT_FOUND", "there is no `nodir`"),
        ("nodir/../a.txt", "FILE_NOT_FOUND", "there is no `nodir`"),
        ("a.txt/x", "NOT_A_DIRECTORY", "`a.txt` is not a directory"),
        ("a.txt/", "NOT_A_DIRECTORY", "`a.txt` is not a directory"),
        ("a.txt/../a.txt", "NOT_A_DIRECTORY", "`a.txt` is not a directory"),
        ("dir", "IS_A_DIRECTORY", "`dir` is a directory"),
        ("dir/", "IS_A_DIRECTORY", "is a directory"),
        (".", "IS_A_DIRECTORY", "`.` is a directory"),
        ("dir/..", "IS_A_DIRECTORY", "is a directory"),
        ("..", "OUTSIDE_WORKSPACE", "outside the workspace"),
        ("../elsewhere/secret.txt", "OUTSIDE_WORKSPACE", "outside the workspace"),
        ("dir/../../elsewhere/secret.txt", "OUTSIDE_WORKSPACE", "outside the workspace"),
        ("../root/a.txt", "OUTSIDE_WORKSPACE", "outside the workspace"),
        ("/", "OUTSIDE_WORKSPACE", "outside the workspace"),
        ("/etc/hostname", "OUTSIDE_WORKSPACE", "outside the workspace"),
        (secret.as_str(), "OUTSIDE_WORKSPACE", "outside the workspace"),
        (sibling.as_str(), "OUTSIDE_WORKSPACE", "outside the workspace"),
    ] {
        let (actual, message) = bench.failure("read", json!({ "file_path": path })).await;
        assert_eq!(actual, code, "{path:?}: {message}");
        assert!(message.contains(words), "{path:?}: {message}");
        assert!(message.contains("\nhint: "), "{path:?}: {message}");
    }
}

#[tokio::test]
async fn a_message_is_short_and_on_one_line_whatever_the_path() {
    let bench = bench();
    for path in ["x/".repeat(500_000), "\n\u{1b}[31m".repeat(10)] {
        let (_, message) = bench.failure("read", json!({ "file_path": path })).await;
        assert!(message.len() < 2000 && message.lines().count() == 2, "{message}");
        assert!(!message.contains('\u{1b}'), "{message}");
    }
}

#[tokio::test]
async fn a_file_is_no_directory_to_search() {
    let bench = bench();
    let (code, message) = bench.failure("glob", json!({ "pattern": "*", "path": "a.txt" })).await;
    assert_eq!(code, "NOT_A_DIRECTORY", "{message}");
    for tool in ["glob", "grep"] {
        let (code, _) = bench.failure(tool, json!({ "pattern": "x", "path": "../elsewhere" })).await;
        assert_eq!(code, "OUTSIDE_WORKSPACE");
        let (code, _) = bench.failure(tool, json!({ "pattern": "x", "path": "" })).await;
        assert_eq!(code, "INVALID_PATH");
    }
}

#[test]
fn a_root_must_be_a_directory() {
    let bench = bench();
    for root in [bench.path("nothing"), bench.path("a.txt")] {
        let error = Workspace::open(root).unwrap_err();
        assert_eq!(error.code(), "WORKSPACE_UNAVAILABLE", "{error}");
    }
}

#[cfg(unix)]
mod links {
    use super::*;

    #[tokio::test]
    async fn links_that_stay_inside_are_followed() {
        let bench = bench();
        bench.link("relative", "dir/b.txt");
        bench.link("absolute", bench.path("dir/b.txt"));
        bench.link("canonical", std::fs::canonicalize(bench.path("dir/b.txt")).unwrap());
        bench.link("directory", "dir");
        bench.link("upwards", "dir/../dir/b.txt");
        bench.link("dir/back", "../dir");
        bench.link("first", "second");
        bench.link("second", "relative");
        bench.link("whole", bench.root());
        for path in [
            "relative",
            "absolute",
            "canonical",
            "directory/b.txt",
            "upwards",
            "dir/back/back/b.txt",
            "first",
            "whole/dir/b.txt",
            "whole/whole/relative",
            "directory/../dir/b.txt",
        ] {
            let value = bench.value("read", json!({ "file_path": path })).await;
            assert_eq!(texts(&value), ["deeper"], "{path}");
        }
    }

    #[tokio::test]
    async fn links_that_leave_dangle_or_loop_are_named() {
        let bench = bench();
        bench.link("leaves", "../elsewhere/secret.txt");
        bench.link("leaves-absolute", bench.outside("elsewhere/secret.txt"));
        bench.link("leaves-directory", "../elsewhere");
        bench.link("chain", "leaves");
        bench.link("dir/escape", "../../elsewhere");
        bench.link("returns", "../root/a.txt");
        bench.link("dangling", "missing/file");
        bench.link("dangling-absolute", bench.path("missing"));
        bench.link("dangling-chain", "dangling");
        bench.link("self", "self");
        bench.link("ping", "pong");
        bench.link("pong", "ping");
        bench.link("down", "down/deeper");
        for (path, code, words) in [
            ("leaves", "OUTSIDE_WORKSPACE", "the symbolic link `leaves` points to `../elsewhere/secret.txt`"),
            ("leaves-absolute", "OUTSIDE_WORKSPACE", "the symbolic link `leaves-absolute` points to"),
            ("leaves-directory/secret.txt", "OUTSIDE_WORKSPACE", "the symbolic link `leaves-directory`"),
            ("chain", "OUTSIDE_WORKSPACE", "the symbolic link `leaves`"),
            ("dir/escape/secret.txt", "OUTSIDE_WORKSPACE", "the symbolic link `dir/escape`"),
            ("returns", "OUTSIDE_WORKSPACE", "the symbolic link `returns`"),
            ("dangling", "DANGLING_SYMLINK", "the symbolic link `dangling` points to `missing/file`"),
            ("dangling-absolute", "DANGLING_SYMLINK", "the symbolic link `dangling-absolute`"),
            ("dangling-chain", "DANGLING_SYMLINK", "the symbolic link `dangling` points"),
            ("self", "SYMLINK_LOOP", "form a loop, or are too many, at `self`"),
            ("ping", "SYMLINK_LOOP", "form a loop"),
            ("down", "SYMLINK_LOOP", "at `down`"),
        ] {
            let (actual, message) = bench.failure("read", json!({ "file_path": path })).await;
            assert_eq!(actual, code, "{path}: {message}");
            assert!(message.contains(words), "{path}: {message}");
            assert!(!message.contains("SECRET"), "{path}: {message}");
        }
        for (tool, path) in [("glob", "leaves-directory"), ("grep", "leaves-directory"), ("grep", "leaves")] {
            let (code, _) = bench.failure(tool, json!({ "pattern": "SECRET", "path": path })).await;
            assert_eq!(code, "OUTSIDE_WORKSPACE", "{tool} {path}");
        }
    }

    #[tokio::test]
    async fn a_chain_of_links_may_have_forty() {
        let bench = bench();
        bench.link("link0", "a.txt");
        for number in 1..=40 {
            bench.link(&format!("link{number}"), format!("link{}", number - 1));
        }
        let value = bench.value("read", json!({ "file_path": "link39" })).await;
        assert_eq!(texts(&value), ["inside"]);
        let (code, message) = bench.failure("read", json!({ "file_path": "link40" })).await;
        assert_eq!(code, "SYMLINK_LOOP", "{message}");
    }

    #[tokio::test]
    async fn a_missing_file_behind_a_sound_link_is_just_missing() {
        let bench = bench();
        bench.link("directory", "dir");
        let (code, message) = bench.failure("read", json!({ "file_path": "directory/nothing" })).await;
        assert_eq!(code, "FILE_NOT_FOUND", "{message}");
        assert!(message.contains("there is no `dir/nothing`"), "{message}");
    }

    #[tokio::test]
    async fn the_root_may_be_given_through_a_link() {
        let bench = bench();
        let alias = bench.outside("alias");
        std::os::unix::fs::symlink(bench.root(), &alias).unwrap();
        let workspace = Workspace::open(&alias).unwrap();
        assert_eq!(workspace.root(), std::fs::canonicalize(bench.root()).unwrap());
        let runtime = toolgate::ToolRuntime::builder()
            .plugin(toolgate_kit::read_only_tools(workspace))
            .build()
            .unwrap();
        for path in [alias.join("a.txt"), bench.path("a.txt")] {
            let call = toolgate::ToolCall::new(
                "read",
                json!({ "file_path": path.to_str().unwrap() }),
                toolgate::CancellationToken::new(),
            );
            let result = runtime.execute(call).await;
            assert!(result.text().contains("inside"), "{}", result.text());
        }
    }
}

#[cfg(unix)]
mod kinds {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::bench::is_privileged;

    fn make_pipe(bench: &Bench, name: &str) {
        let made = std::process::Command::new("mkfifo").arg(bench.path(name)).status().unwrap();
        assert!(made.success());
    }

    #[tokio::test]
    async fn pipes_and_sockets_are_refused_at_once() {
        let bench = bench();
        make_pipe(&bench, "pipe");
        bench.link("to-pipe", "pipe");
        let _listener = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
        let start = Instant::now();
        for (path, words) in [("pipe", "a named pipe"), ("to-pipe", "a named pipe"), ("socket", "a socket")] {
            for (tool, args) in
                [("read", json!({ "file_path": path })), ("grep", json!({ "pattern": "x", "path": path }))]
            {
                let (code, message) = bench.failure(tool, args).await;
                assert_eq!(code, "NOT_A_REGULAR_FILE", "{path}: {message}");
                assert!(message.contains(words), "{path}: {message}");
            }
        }
        let value = bench.value("grep", json!({ "pattern": "inside" })).await;
        assert_eq!((&value["total"], &value["skipped"]), (&json!(1), &json!(0)));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[tokio::test]
    async fn what_may_not_be_read_is_denied() {
        if is_privileged() {
            return;
        }
        let bench = bench();
        bench.write("closed/file.txt", "x");
        bench.write("locked.txt", "x");
        let set = |path: &str, mode| {
            std::fs::set_permissions(bench.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set("locked.txt", 0o000);
        set("closed", 0o000);
        for path in ["locked.txt", "closed/file.txt"] {
            let (code, message) = bench.failure("read", json!({ "file_path": path })).await;
            assert_eq!(code, "PERMISSION_DENIED", "{path}: {message}");
        }
        let (code, message) = bench.failure("glob", json!({ "pattern": "*", "path": "closed" })).await;
        assert_eq!(code, "PERMISSION_DENIED", "{message}");
        let value = bench.value("glob", json!({ "pattern": "**/*.txt" })).await;
        assert_eq!(value["skipped"], 1);
        let value = bench.value("grep", json!({ "pattern": "x" })).await;
        assert_eq!(value["skipped"], 2);
        set("closed", 0o755);
    }
}
