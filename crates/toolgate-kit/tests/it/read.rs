//! The read tool: windows, line endings, and what is not text.

use serde_json::json;

use crate::bench::{Bench, texts};

#[tokio::test]
async fn windows_say_what_they_are() {
    let whole = (1..=10).map(|number| format!("line {number}\n")).collect::<String>();
    let bench = Bench::with(&[("ten.txt", &whole)]);
    for (args, first, count, truncated, note) in [
        (json!({}), Some("line 1"), 10, false, ""),
        (json!({ "limit": 3 }), Some("line 1"), 3, true, "Lines 1 to 3 of 10. Continue with offset 4."),
        (
            json!({ "offset": 9 }),
            Some("line 9"),
            2,
            true,
            "Lines 9 to 10 of 10; this is the end of the file.",
        ),
        (
            json!({ "offset": 4, "limit": 2 }),
            Some("line 4"),
            2,
            true,
            "Lines 4 to 5 of 10. Continue with offset 6.",
        ),
        (json!({ "offset": 11 }), None, 0, true, "has 10 lines, and line 11 is past its end"),
        (json!({ "offset": u64::MAX, "limit": u64::MAX }), None, 0, true, "is past its end"),
        (json!({ "limit": 1000 }), Some("line 1"), 10, false, ""),
    ] {
        let mut args = args;
        args["file_path"] = json!("ten.txt");
        let value = bench.value("read", args.clone()).await;
        assert_eq!(texts(&value).first().copied(), first, "{args}");
        assert_eq!(texts(&value).len(), count, "{args}");
        assert_eq!((&value["total_lines"], &value["truncated"]), (&json!(10), &json!(truncated)), "{args}");
        assert_eq!(value["offset"], args.get("offset").cloned().unwrap_or(json!(1)));
        let text = bench.text("read", args.clone()).await;
        assert!(text.contains(note), "{args}: {text}");
        if !truncated {
            assert!(!text.contains("Lines "), "{args}: {text}");
        }
    }
}

#[tokio::test]
async fn the_text_is_the_numbered_lines() {
    let bench = Bench::with(&[("a.rs", "fn main() {\n\n}\n")]);
    assert_eq!(
        bench.text("read", json!({ "file_path": "a.rs" })).await,
        "     1\tfn main() {\n     2\t\n     3\t}"
    );
    let value = bench.value("read", json!({ "file_path": "a.rs" })).await;
    assert_eq!(value["language"], "rust");
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let bench = Bench::with(&[("a.txt", "x\n")]);
    for args in [
        json!({ "file_path": "a.txt", "offset": 0 }),
        json!({ "file_path": "a.txt", "limit": 0 }),
        json!({ "file_path": "a.txt", "offset": -1 }),
        json!({ "file_path": "a.txt", "offset": "1" }),
        json!({ "file_path": "a.txt", "offset": null }),
        json!({ "file_path": "a.txt", "line": 1 }),
        json!({ "file_path": 5 }),
        json!({ "path": "a.txt" }),
        json!({}),
        json!("a.txt"),
    ] {
        let (code, message) = bench.failure("read", args.clone()).await;
        assert_eq!(code, "INVALID_ARGS", "{args}: {message}");
    }
}

#[tokio::test]
async fn line_endings_and_marks_are_told_and_not_shown() {
    let bench = Bench::new();
    for (content, lines, endings, final_newline, mark, note) in [
        ("a\nb\n", &["a", "b"][..], json!("lf"), true, false, ""),
        ("a\nb", &["a", "b"], json!("lf"), false, false, "The last line has no line ending."),
        ("a\r\nb\r\n", &["a", "b"], json!("crlf"), true, false, "The lines end with CRLF."),
        ("a\r\nb", &["a", "b"], json!("crlf"), false, false, "The lines end with CRLF."),
        ("a\r\nb\n", &["a", "b"], json!("mixed"), true, false, "Some of these lines end with CRLF"),
        ("\u{feff}a\n", &["a"], json!("lf"), true, true, "byte order mark"),
        ("\u{feff}", &[], json!(null), false, true, "is empty"),
        ("", &[], json!(null), false, false, "`f.txt` is empty."),
        ("\n", &[""], json!("lf"), true, false, ""),
        ("a\rb\n", &["a\rb"], json!("lf"), true, false, ""),
    ] {
        bench.write("f.txt", content);
        let value = bench.value("read", json!({ "file_path": "f.txt" })).await;
        assert_eq!(texts(&value), lines, "{content:?}");
        assert_eq!(value.get("line_endings").cloned().unwrap_or_default(), endings, "{content:?}");
        assert_eq!(value["final_newline"], final_newline, "{content:?}");
        assert_eq!(value["byte_order_mark"], mark, "{content:?}");
        assert_eq!(value["truncated"], false, "{content:?}");
        assert_eq!(value["total_lines"], lines.len(), "{content:?}");
        let text = bench.text("read", json!({ "file_path": "f.txt" })).await;
        assert!(text.contains(note), "{content:?}: {text}");
    }
}

#[tokio::test]
async fn what_is_not_text_is_told_apart() {
    let bench = Bench::new();
    for (content, code, words) in [
        (&b"\x7fELF\x02\0\0"[..], "BINARY_FILE", "NUL byte at byte 5"),
        (b"text then \0", "BINARY_FILE", "NUL byte at byte 10"),
        (b"caf\xe9\n", "NOT_UTF8", "line 1 holds an invalid byte at byte 3"),
        (b"one\ntwo\nthree \xff\n", "NOT_UTF8", "line 3 holds an invalid byte at byte 14"),
        (b"ends within \xe2\x82", "NOT_UTF8", "line 1"),
        (b"\xff\xfeh\0i\0", "NOT_UTF8", "UTF-16"),
        (b"\xfe\xff\0h\0i", "NOT_UTF8", "UTF-16"),
    ] {
        bench.write("f", content);
        let (actual, message) = bench.failure("read", json!({ "file_path": "f" })).await;
        assert_eq!(actual, code, "{content:?}: {message}");
        assert!(message.contains(words), "{content:?}: {message}");
    }
    bench.write("f", b"good\nbad \xff\ngood again\n");
    let value = bench.value("read", json!({ "file_path": "f", "offset": 3 })).await;
    assert_eq!(texts(&value), ["good again"]);
}

#[tokio::test]
async fn a_long_line_is_cut_and_said_to_be() {
    let bench = Bench::new();
    bench.write("long.txt", format!("{}\nshort\n", "é".repeat(3000)));
    let value = bench.value("read", json!({ "file_path": "long.txt" })).await;
    assert_eq!(texts(&value)[0], format!("{} [… 2000 more bytes]", "é".repeat(2000)));
    assert_eq!((texts(&value)[1], &value["truncated"]), ("short", &json!(true)));
    let text = bench.text("read", json!({ "file_path": "long.txt" })).await;
    assert!(text.contains("very long lines are cut"), "{text}");
}
