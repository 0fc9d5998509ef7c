//! Attempts to change something outside the workspace, or something that is no file: refused, and nothing is created.

use std::fs;

use serde_json::{Value, json};

use crate::bench::Bench;

fn bench() -> Bench {
    let bench = Bench::changing().and(&[("a.txt", "inside"), ("dir/b.txt", "deeper")]);
    fs::create_dir(bench.outside("elsewhere")).unwrap();
    fs::write(bench.outside("elsewhere/secret.txt"), "SECRET").unwrap();
    bench
}

/// Every change that could be made to a path.
fn changes_of(path: &str) -> [(&'static str, Value); 8] {
    [
        ("write", json!({ "file_path": path, "content": "PWNED" })),
        ("edit", json!({ "file_path": path, "old_string": "SECRET", "new_string": "PWNED" })),
        ("edit", json!({ "file_path": path, "edits": [{ "old_string": "SECRET", "new_string": "PWNED" }] })),
        ("delete", json!({ "file_path": path })),
        ("delete", json!({ "file_path": path, "recursive": true })),
        ("move", json!({ "source": path, "destination": "stolen.txt" })),
        ("move", json!({ "source": "a.txt", "destination": path })),
        ("move", json!({ "source": "a.txt", "destination": path, "overwrite": true })),
    ]
}

/// Tries every change of `path`. Each must fail with one of `codes` and leave the world as it was.
async fn assert_refused(bench: &Bench, path: &str, codes: &[&str]) {
    let before = bench.world();
    for (tool, args) in changes_of(path) {
        let (code, message) = bench.failure(tool, args.clone()).await;
        assert!(codes.contains(&code.as_str()), "{tool} {args}: {code}: {message}");
        assert!(message.contains("\nhint: ") && message.len() < 2000, "{message}");
        assert!(!message.contains("SECRET\n"), "{message}");
        assert_eq!(bench.world(), before, "{tool} {args} changed something");
    }
}

#[tokio::test]
async fn paths_that_leave_are_refused() {
    let bench = bench();
    let outside = |path: &str| bench.outside(path).to_str().unwrap().to_owned();
    let root = bench.root().to_str().unwrap().to_owned();
    for path in [
        "..",
        "../elsewhere/secret.txt",
        "../elsewhere/new.txt",
        "../new-directory/new.txt",
        "dir/../../elsewhere/secret.txt",
        "./.././elsewhere/secret.txt",
        "dir/../../root/../elsewhere/new.txt",
        "../root/a.txt",
        "/",
        "/etc/passwd-toolgate",
        "/proc/self/cwd/a.txt",
        "/proc/self/root/tmp/x",
        "/dev/null",
        "//tmp/x",
        &outside("elsewhere/secret.txt"),
        &outside("elsewhere/new.txt"),
        &format!("{root}-not/new.txt"),
        &format!("{root}/../elsewhere/secret.txt"),
        // Letters of another case name another directory.
        &root.to_uppercase(),
        &format!("{}/x.txt", root.to_uppercase()),
    ] {
        assert_refused(&bench, path, &["OUTSIDE_WORKSPACE"]).await;
    }
}

#[tokio::test]
async fn the_root_itself_is_refused() {
    let bench = bench();
    let root = bench.root().to_str().unwrap().to_owned();
    for path in [".", "./", "dir/..", "dir/../.", &root, &format!("{root}/")] {
        assert_refused(&bench, path, &["WORKSPACE_ROOT", "IS_A_DIRECTORY"]).await;
    }
}

#[tokio::test]
async fn names_that_nobody_should_make_are_refused() {
    let bench = bench();
    let long = "n".repeat(256);
    for path in [
        "",
        "nul\0name",
        "new\nline",
        "dir/carriage\rreturn",
        "esc\u{1b}[31m",
        "right-to-left\u{202e}txt.exe",
        "zero\u{200b}width",
        "new\ndirectory/file",
        "~",
        "~/new.txt",
        "~/.ssh/authorized_keys",
        &long,
        &format!("new/{long}"),
        &format!("new/{long}/file"),
        &"d/".repeat(3000),
    ] {
        assert_refused(&bench, path, &["INVALID_PATH", "FILE_NOT_FOUND"]).await;
        let (code, message) = bench.failure("write", json!({ "file_path": path, "content": "" })).await;
        assert_eq!(code, "INVALID_PATH", "{path:?}: {message}");
    }
    for path in ["new/", "new/deep/", "new/."] {
        let before = bench.world();
        let (code, message) = bench.failure("write", json!({ "file_path": path, "content": "" })).await;
        assert_eq!(code, "IS_A_DIRECTORY", "{path:?}: {message}");
        assert_eq!(bench.world(), before);
    }
    for path in ["new/../other.txt", "a.txt/x", "a.txt/", "a.txt/../b.txt", "dir/b.txt/x/y"] {
        assert_refused(&bench, path, &["NOT_A_DIRECTORY", "FILE_NOT_FOUND"]).await;
    }
    // The longest name that there can be is one that can be made, and letters of another case make another file.
    for name in [&long[1..], "A.TXT", "~lock", "with space", "ü😀", "-rf", "*"] {
        bench.value("write", json!({ "file_path": name, "content": "x" })).await;
        assert_eq!(bench.content(name), "x");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_that_leave_or_dangle_are_not_written_through() {
    let bench = bench();
    bench.link("leaves", "../elsewhere/secret.txt");
    bench.link("leaves-absolute", bench.outside("elsewhere/secret.txt"));
    bench.link("leaves-new", "../elsewhere/new.txt");
    bench.link("leaves-directory", "../elsewhere");
    bench.link("to-root", "/");
    bench.link("proc", "/proc/self/cwd");
    bench.link("dangling", "missing.txt");
    bench.link("dangling-outside", bench.outside("elsewhere/missing.txt"));
    bench.link("dangling-directory", "missing");
    bench.link("chain", "leaves");
    bench.link("dir/up", "../../elsewhere");
    bench.link("loop", "loop");
    let codes = ["OUTSIDE_WORKSPACE", "DANGLING_SYMLINK", "SYMLINK_LOOP"];
    // What lies beyond a link is out of reach for every change.
    for path in [
        "leaves-directory/secret.txt",
        "leaves-directory/new.txt",
        "leaves-directory/new/new.txt",
        "to-root/etc/passwd-toolgate",
        "proc/new.txt",
        "dangling-directory/new.txt",
        "dangling/new.txt",
        "dir/up/secret.txt",
        "dir/../dir/up/new.txt",
        "loop/new.txt",
    ] {
        assert_refused(&bench, path, &codes).await;
    }
    // A link at the end is not written through; to delete or move it is to delete or move the link.
    let before = bench.world();
    for path in
        ["leaves", "leaves-absolute", "leaves-new", "proc", "dangling", "dangling-outside", "chain", "loop"]
    {
        for (tool, args) in changes_of(path) {
            if ["write", "edit"].contains(&tool) {
                let (code, message) = bench.failure(tool, args).await;
                assert!(codes.contains(&code.as_str()), "{tool} {path}: {message}");
            }
        }
        let (code, message) = bench.failure("move", json!({ "source": "a.txt", "destination": path })).await;
        assert_eq!(code, "ALREADY_EXISTS", "{path}: {message}");
        assert_eq!(bench.world(), before, "{path}");
    }
    for path in ["leaves", "leaves-directory", "to-root", "proc", "dangling", "loop"] {
        let (code, _) =
            bench.failure("delete", json!({ "file_path": format!("{path}/"), "recursive": true })).await;
        assert_eq!(code, "NOT_A_DIRECTORY", "{path}/");
        bench.value("delete", json!({ "file_path": path, "recursive": true })).await;
        assert!(fs::symlink_metadata(bench.path(path)).is_err());
    }
    bench.value("move", json!({ "source": "a.txt", "destination": "chain", "overwrite": true })).await;
    assert_eq!(bench.content("chain"), "inside");
    assert_eq!(fs::read_to_string(bench.outside("elsewhere/secret.txt")).unwrap(), "SECRET");
    assert_eq!(fs::read_dir(bench.outside("elsewhere")).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_tree_is_deleted_without_following_its_links() {
    let bench = bench();
    bench.write("tree/deep/file.txt", "x");
    bench.link("tree/elsewhere", bench.outside("elsewhere"));
    bench.link("tree/deep/up", "../../../elsewhere");
    fs::hard_link(bench.outside("elsewhere/secret.txt"), bench.path("tree/hard")).unwrap();
    let value = bench.value("delete", json!({ "file_path": "tree", "recursive": true })).await;
    assert_eq!(value["contents"], 5);
    assert!(!bench.path("tree").exists());
    assert_eq!(fs::read_to_string(bench.outside("elsewhere/secret.txt")).unwrap(), "SECRET");
}

#[cfg(unix)]
#[tokio::test]
async fn a_hard_link_to_a_file_outside_never_changes_it() {
    let bench = bench();
    for name in ["hard1", "hard2", "hard3", "hard4"] {
        fs::hard_link(bench.outside("elsewhere/secret.txt"), bench.path(name)).unwrap();
    }
    bench.value("write", json!({ "file_path": "hard1", "content": "mine" })).await;
    bench.value("edit", json!({ "file_path": "hard2", "old_string": "SECRET", "new_string": "mine" })).await;
    bench.value("delete", json!({ "file_path": "hard3" })).await;
    bench.value("move", json!({ "source": "a.txt", "destination": "hard4", "overwrite": true })).await;
    assert_eq!((bench.content("hard1"), bench.content("hard2")), ("mine".into(), "mine".into()));
    assert_eq!(fs::read_to_string(bench.outside("elsewhere/secret.txt")).unwrap(), "SECRET");
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_sockets_and_directories_are_not_written() {
    let bench = bench();
    let made = std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    assert!(made.success());
    bench.link("to-pipe", "pipe");
    let _listener = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    let before = bench.world();
    for (path, code) in [
        ("pipe", "NOT_A_REGULAR_FILE"),
        ("to-pipe", "NOT_A_REGULAR_FILE"),
        ("socket", "NOT_A_REGULAR_FILE"),
        ("dir", "IS_A_DIRECTORY"),
        ("dir/", "IS_A_DIRECTORY"),
    ] {
        for (tool, args) in changes_of(path) {
            if ["write", "edit"].contains(&tool) {
                let call = bench.failure(tool, args);
                let (actual, message) =
                    tokio::time::timeout(std::time::Duration::from_secs(10), call).await.expect("it hangs");
                assert_eq!(actual, code, "{tool} {path}: {message}");
            }
        }
    }
    assert_eq!(bench.world(), before);
}
