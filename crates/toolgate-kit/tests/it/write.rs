//! `write`: creates and replaces whole files.

use std::fs;

use serde_json::json;
use toolgate::{CancellationToken, ToolCall};

use crate::bench::Bench;

#[tokio::test]
async fn a_file_is_created_with_its_directories_and_replaced() {
    let bench = Bench::changing();
    let value = bench.value("write", json!({ "file_path": "a/b/new.txt", "content": "one\ntwo" })).await;
    assert_eq!(
        value,
        json!({ "path": "a/b/new.txt", "outcome": "created", "bytes": 7, "lines": 2, "other_names": 0 })
    );
    assert_eq!(bench.content("a/b/new.txt"), "one\ntwo");
    let value = bench.value("write", json!({ "file_path": "./a//b/new.txt", "content": "one\r\n" })).await;
    assert_eq!((&value["outcome"], &value["path"]), (&json!("replaced"), &json!("a/b/new.txt")));
    assert_eq!((&value["changes"]["added"], &value["changes"]["removed"]), (&json!(1), &json!(2)));
    assert_eq!(bench.content("a/b/new.txt"), "one\r\n");
    let text = bench.text("write", json!({ "file_path": "empty", "content": "" })).await;
    assert_eq!(text, "Created `empty`: 0 lines, 0 bytes.");
    assert_eq!(bench.content("empty"), "");
    let absolute = bench.path("absolute.txt").to_str().unwrap().to_owned();
    bench.value("write", json!({ "file_path": absolute, "content": "x" })).await;
    assert_eq!(bench.content("absolute.txt"), "x");
    let names: Vec<_> =
        fs::read_dir(bench.path("a/b")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["new.txt"], "a temporary file was left");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_replaced_as_a_whole_and_never_written_in_place() {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt as _;

    let bench = Bench::changing().and(&[("f", "old\n")]);
    for (tool, args, new) in [
        ("write", json!({ "file_path": "f", "content": "new\n" }), "new\n"),
        ("edit", json!({ "file_path": "f", "old_string": "new", "new_string": "newer" }), "newer\n"),
    ] {
        let before = bench.content("f");
        let mut open = fs::File::open(bench.path("f")).unwrap();
        bench.value(tool, args).await;
        // Whoever has it open reads on in what was there; the name has another file.
        let mut read = String::new();
        open.read_to_string(&mut read).unwrap();
        assert_eq!((read, bench.content("f").as_str()), (before, new), "{tool}");
        let now = fs::metadata(bench.path("f")).unwrap();
        assert_ne!(open.metadata().unwrap().ino(), now.ino(), "{tool}");
    }
}

#[tokio::test]
async fn the_same_content_again_leaves_the_file_alone() {
    let bench = Bench::changing().and(&[("a.txt", "same")]);
    let before = fs::metadata(bench.path("a.txt")).unwrap().modified().unwrap();
    let value = bench.value("write", json!({ "file_path": "a.txt", "content": "same" })).await;
    assert_eq!(value["outcome"], "unchanged");
    assert_eq!(fs::metadata(bench.path("a.txt")).unwrap().modified().unwrap(), before);
}

#[tokio::test]
async fn what_is_no_text_can_be_replaced_but_not_shown() {
    let bench = Bench::changing();
    for (path, old) in [("latin", &b"\xff\xfe"[..]), ("binary", b"nul\0")] {
        bench.write(path, old);
        let result = bench.call("write", json!({ "file_path": path, "content": "text" })).await;
        assert!(result.text().contains("What it held before was no text"), "{}", result.text());
        assert_eq!(bench.content(path), "text");
    }
    bench.write("large", "x".repeat(9 * 1024 * 1024));
    let result = bench.call("write", json!({ "file_path": "large", "content": "small" })).await;
    assert!(result.text().contains("too large to compare"), "{}", result.text());
    assert_eq!(bench.content("large"), "small");
}

#[tokio::test]
async fn a_text_has_a_most() {
    let bench = Bench::changing();
    let (code, message) = bench
        .failure("write", json!({ "file_path": "dir/large.txt", "content": "x".repeat(8 * 1024 * 1024 + 1) }))
        .await;
    assert_eq!(code, "FILE_TOO_LARGE", "{message}");
    assert!(!bench.path("dir").exists());
    bench.value("write", json!({ "file_path": "most.txt", "content": "x".repeat(8 * 1024 * 1024) })).await;
}

#[tokio::test]
async fn a_cancelled_call_leaves_nothing() {
    let new = "x".repeat(8 << 20);
    for path in ["new/deep/file.txt", "old.txt"] {
        let bench = Bench::changing().and(&[("old.txt", "old")]);
        let before = bench.world();
        let token = CancellationToken::new();
        let args = json!({ "file_path": path, "content": new });
        let call = ToolCall::new("write", args, token.clone());
        let cancel = async {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            token.cancel();
        };
        let (result, ()) = tokio::join!(bench.runtime.execute(call), cancel);
        assert!(matches!(result.code(), None | Some("ABORTED")), "{}", result.text());
        // It may have been quicker than its cancellation, whatever is said then (P14): so it is wholly there.
        let is_there = fs::read_to_string(bench.path(path)).is_ok_and(|content| content == new);
        assert!(is_there || result.is_error(), "{path}");
        if is_there {
            let names = fs::read_dir(bench.path(path).parent().unwrap()).unwrap();
            assert_eq!(names.count(), 1, "{path}: a temporary file was left");
        } else {
            assert_eq!(bench.world(), before, "{path}");
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;
    use crate::bench::is_privileged;

    #[tokio::test]
    async fn permissions_are_kept_and_new_files_follow_the_mask() {
        let bench = Bench::changing().and(&[("script", "old"), ("secret", "old")]);
        let mode = |path: &str| fs::metadata(bench.path(path)).unwrap().mode() & 0o7777;
        let set = |path: &str, mode| {
            fs::set_permissions(bench.path(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        set("script", 0o4755);
        set("secret", 0o600);
        for path in ["script", "secret", "new"] {
            bench.value("write", json!({ "file_path": path, "content": "new" })).await;
        }
        fs::write(bench.path("plain"), "").unwrap();
        assert_eq!((mode("script"), mode("secret"), mode("new")), (0o755, 0o600, mode("plain")));
    }

    #[tokio::test]
    async fn a_file_that_may_not_be_written_is_left_alone() {
        if is_privileged() {
            return;
        }
        let bench = Bench::changing().and(&[("read-only", "old"), ("closed/a", "old")]);
        fs::set_permissions(bench.path("read-only"), fs::Permissions::from_mode(0o444)).unwrap();
        fs::set_permissions(bench.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
        for (tool, args) in [
            ("write", json!({ "file_path": "read-only", "content": "new" })),
            ("edit", json!({ "file_path": "read-only", "old_string": "old", "new_string": "new" })),
            ("write", json!({ "file_path": "closed/a", "content": "new" })),
            ("write", json!({ "file_path": "closed/b", "content": "new" })),
            ("delete", json!({ "file_path": "closed/a" })),
        ] {
            let (code, message) = bench.failure(tool, args).await;
            assert_eq!(code, "PERMISSION_DENIED", "{message}");
        }
        assert_eq!((bench.content("read-only"), bench.content("closed/a")), ("old".into(), "old".into()));
        fs::set_permissions(bench.path("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[tokio::test]
    async fn a_link_inside_is_followed_and_stays_a_link() {
        let bench = Bench::changing().and(&[("real/target.txt", "old")]);
        bench.link("link", "real/target.txt");
        bench.link("directory", "real");
        let value = bench.value("write", json!({ "file_path": "link", "content": "new" })).await;
        assert_eq!(value["path"], "real/target.txt");
        assert_eq!(bench.content("real/target.txt"), "new");
        assert!(fs::symlink_metadata(bench.path("link")).unwrap().is_symlink());
        let value = bench.value("write", json!({ "file_path": "directory/more.txt", "content": "x" })).await;
        assert_eq!(value["path"], "real/more.txt");
    }

    #[tokio::test]
    async fn other_names_of_a_file_keep_the_old_content() {
        let bench = Bench::changing().and(&[("a.txt", "old")]);
        fs::hard_link(bench.path("a.txt"), bench.outside("other.txt")).unwrap();
        let text = bench.text("write", json!({ "file_path": "a.txt", "content": "new" })).await;
        assert!(text.contains("1 other name (hard link), which keeps the old content"), "{text}");
        assert_eq!(fs::read_to_string(bench.outside("other.txt")).unwrap(), "old");
        assert_eq!(bench.content("a.txt"), "new");
    }
}
