//! `edit`: replaces text in place, and says clearly why it does not.

use serde_json::{Value, json};

use crate::bench::Bench;

fn single(old: &str, new: &str) -> Value {
    json!({ "file_path": "f", "old_string": old, "new_string": new })
}

/// Edits a file with this content, and returns what it holds then.
async fn edited(content: &str, mut args: Value) -> String {
    let bench = Bench::changing().and(&[("f", content)]);
    args["file_path"] = json!("f");
    bench.value("edit", args).await;
    bench.content("f")
}

#[tokio::test]
async fn text_is_replaced_and_the_rest_stays() {
    for (content, args, expected) in [
        ("a b c", single("b", "x"), "a x c"),
        ("a\nb\n", single("a\nb\n", ""), ""),
        ("a b a", json!({ "old_string": "a", "new_string": "aa", "replace_all": true }), "aa b aa"),
        ("aaa", json!({ "old_string": "aa", "new_string": "b", "replace_all": true }), "ba"),
        ("no end", single("end", "line end"), "no line end"),
        // Line endings are those of the place, whatever the arguments have.
        ("a\r\nb\r\nc", single("a\nb\nc", "a\nx\ny\nc"), "a\r\nx\r\ny\r\nc"),
        ("a\nb\n", single("a\r\nb", "a\r\nx"), "a\nx\n"),
        ("a\r\nb\r\n", single("b", "b\nc"), "a\r\nb\r\nc\r\n"),
        ("a\nb\r\nc\n", single("b\n", "b\nx\n"), "a\nb\r\nx\r\nc\n"),
        // Lines given for context keep their own.
        ("a\nb\r\nc\n", single("a\nb\nc\n", "a\nB\nc\n"), "a\nB\r\nc\n"),
        ("\u{feff}a\nb", single("a\n", "x\n"), "\u{feff}x\nb"),
        ("ä😀ö", single("😀", "é"), "äéö"),
        ("é", single("é", "è"), "è"),
        (
            "one two three",
            json!({ "edits": [
                { "old_string": "one", "new_string": "two" },
                { "old_string": "two", "new_string": "2", "replace_all": true },
                { "old_string": "2 2 ", "new_string": "" },
            ] }),
            "three",
        ),
    ] {
        assert_eq!(edited(content, args.clone()).await, expected, "{content:?} {args}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_explained_and_changes_nothing() {
    let content = "fn one() {\n\tlet a = 1;\n}\nfn two() {\n\tlet a = 2;\n}\n";
    let bench = Bench::changing().and(&[("f", content)]);
    let edits = |edits: Value| json!({ "file_path": "f", "edits": edits });
    let both = json!({ "file_path": "f", "old_string": "a", "new_string": "b", "edits": [] });
    let fine = json!({ "old_string": "fn one", "new_string": "fn uno" });
    for (args, code, words) in [
        (single("let b", "x"), "TEXT_NOT_FOUND", "`old_string` was not found in `f`"),
        (single("    let a = 1;", "x"), "TEXT_NOT_FOUND", "in line 2 it is there with other white space"),
        (single("     2\t\tlet a = 1;", "x"), "TEXT_NOT_FOUND", "in line 2 without the line numbers"),
        (single("fn two() {\n\tlet b", "x"), "TEXT_NOT_FOUND", "line 5 is `\\tlet a = 2;`, not `\\tlet b`"),
        (single("let a", "x"), "TEXT_NOT_UNIQUE", "is in `f` 2 times, in lines 2, 5"),
        (single("}", "x"), "TEXT_NOT_UNIQUE", "2 times, in lines 3, 6"),
        (single("let a", "let a"), "INVALID_ARGS", "`old_string` and `new_string` are the same"),
        (single("one() {\n", "one() {\r\n"), "INVALID_ARGS", "are the same"),
        (single("", "x"), "INVALID_ARGS", "`old_string` is empty"),
        (both, "INVALID_ARGS", "there are `edits` and a single edit"),
        (json!({ "file_path": "f" }), "INVALID_ARGS", "there is nothing to replace"),
        (json!({ "file_path": "f", "old_string": "a" }), "INVALID_ARGS", "`new_string` is missing"),
        (json!({ "file_path": "f", "new_string": "a" }), "INVALID_ARGS", "`old_string` is missing"),
        (edits(json!([])), "INVALID_ARGS", "`edits` is empty"),
        (edits(Value::Array(vec![fine.clone(); 101])), "INVALID_ARGS", "there are 101 edits"),
        (
            edits(json!([fine, { "old_string": "fn one", "new_string": "x" }])),
            "TEXT_NOT_FOUND",
            "`old_string` of edit 2 was not found",
        ),
        (edits(json!([fine, { "old_string": "let a", "new_string": "x" }])), "TEXT_NOT_UNIQUE", "edit 2"),
        (
            edits(json!([fine, { "old_string": "fn uno", "new_string": "fn one" }])),
            "INVALID_ARGS",
            "the edits undo each other",
        ),
        (
            json!({ "file_path": "f", "replace_all": true, "edits": [fine] }),
            "INVALID_ARGS",
            "`replace_all` stands beside `edits`",
        ),
        (json!({ "file_path": "none", "old_string": "a", "new_string": "b" }), "FILE_NOT_FOUND", "no `none`"),
    ] {
        let (actual, message) = bench.failure("edit", args.clone()).await;
        assert_eq!(actual, code, "{args}: {message}");
        assert!(message.contains(words), "{args}: {message}");
        assert!(message.contains("\nhint: "), "{args}: {message}");
        assert_eq!(bench.content("f"), content, "{args}");
    }
}

#[tokio::test]
async fn overlapping_places_are_not_clear() {
    let bench = Bench::changing().and(&[("f", "aaa")]);
    let (code, message) = bench.failure("edit", single("aa", "b")).await;
    assert_eq!(code, "TEXT_NOT_UNIQUE", "{message}");
    assert!(message.contains("2 times, in line 1,"), "{message}");
    bench.write("f", "x\n".repeat(5000));
    let (_, message) = bench.failure("edit", single("x", "b")).await;
    assert!(
        message.contains("more than 1000 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others"),
        "{message}"
    );
}

#[tokio::test]
async fn only_text_of_a_size_can_be_edited() {
    let bench = Bench::changing();
    for (content, code) in [
        (b"a\xffb".to_vec(), "NOT_UTF8"),
        (b"\xff\xfea\0".to_vec(), "NOT_UTF8"),
        (b"a\0b".to_vec(), "BINARY_FILE"),
        (vec![b'a'; 8 * 1024 * 1024 + 1], "FILE_TOO_LARGE"),
    ] {
        bench.write("f", &content);
        let (actual, message) = bench.failure("edit", single("a", "b")).await;
        assert_eq!(actual, code, "{message}");
        assert!(std::fs::read(bench.path("f")).unwrap() == content);
    }
    bench.write("f", "a".repeat(1_000_000));
    let args =
        json!({ "file_path": "f", "old_string": "a", "new_string": "x".repeat(100), "replace_all": true });
    let (code, message) = bench.failure("edit", args).await;
    assert_eq!(code, "FILE_TOO_LARGE", "{message}");
    assert!(message.contains("100000000 bytes"), "{message}");
}

#[tokio::test]
async fn a_message_is_short_and_on_one_line_whatever_the_text() {
    let bench =
        Bench::changing().and(&[("f", &format!("{}\u{1b}[31m\u{202e}end\n", "word ".repeat(100_000)))]);
    let (_, message) = bench.failure("edit", single(&"word  ".repeat(100_000), "x")).await;
    assert!(message.len() < 2000 && message.lines().count() == 2, "{message}");
    assert!(!message.contains('\u{1b}') && !message.contains('\u{202e}'), "{message}");
}

#[tokio::test]
async fn the_model_reads_what_was_done() {
    let bench = Bench::changing().and(&[("f", "1\n2\n3\n4\n5\nold\n7\n")]);
    let text = bench.text("edit", single("old\n", "new\nnewer\n")).await;
    assert_eq!(text, "Edited `f`: 1 replacement (+2 −1 lines), from line 3 on.");
}

#[cfg(unix)]
#[tokio::test]
async fn permissions_and_links_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::changing().and(&[("real", "old")]);
    std::fs::set_permissions(bench.path("real"), std::fs::Permissions::from_mode(0o751)).unwrap();
    bench.link("link", "real");
    bench.value("edit", json!({ "file_path": "link", "old_string": "old", "new_string": "new" })).await;
    assert_eq!(bench.content("real"), "new");
    assert!(std::fs::symlink_metadata(bench.path("link")).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(bench.path("real")).unwrap().permissions().mode() & 0o777, 0o751);
}
