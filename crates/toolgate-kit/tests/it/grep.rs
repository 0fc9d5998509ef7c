//! The grep tool: expressions, filters, what is left out, how lines are shown.

use serde_json::json;

use crate::bench::{Bench, matches};

fn bench() -> Bench {
    Bench::with(&[
        ("src/main.rs", "fn main() {\n    run();\n}\n"),
        ("src/lib.rs", "pub fn run() {}\n"),
        ("web/app.ts", "function run() {}\r\nrun();\r\n"),
        ("notes.md", "Run it.\n"),
        (".hidden/run.rs", "run\n"),
        (".git/run", "run\n"),
        ("data.bin", "run\0run\n"),
    ])
}

#[tokio::test]
async fn lines_come_by_file_in_path_order() {
    let bench = bench();
    for (args, expected) in [
        (
            json!({ "pattern": "run" }),
            &[
                "src/lib.rs:1:pub fn run() {}",
                "src/main.rs:2:    run();",
                "web/app.ts:1:function run() {}",
                "web/app.ts:2:run();",
            ][..],
        ),
        (json!({ "pattern": "(?i)^run" }), &["notes.md:1:Run it.", "web/app.ts:2:run();"]),
        (json!({ "pattern": r"run\(\);$" }), &["src/main.rs:2:    run();", "web/app.ts:2:run();"]),
        (json!({ "pattern": "^$" }), &[]),
        (
            json!({ "pattern": "run", "path": "src" }),
            &["src/lib.rs:1:pub fn run() {}", "src/main.rs:2:    run();"],
        ),
        (json!({ "pattern": "run", "path": "src/lib.rs" }), &["src/lib.rs:1:pub fn run() {}"]),
        (json!({ "pattern": "run", "path": "./src/../src/main.rs" }), &["src/../src/main.rs:2:    run();"]),
        (
            json!({ "pattern": "run", "include": "*.rs" }),
            &["src/lib.rs:1:pub fn run() {}", "src/main.rs:2:    run();"],
        ),
        (json!({ "pattern": "(?i)run", "include": "*.{md,txt}" }), &["notes.md:1:Run it."]),
        (
            json!({ "pattern": "run", "include": "web/**" }),
            &["web/app.ts:1:function run() {}", "web/app.ts:2:run();"],
        ),
        (json!({ "pattern": "run", "include": "main.*", "path": "src" }), &["src/main.rs:2:    run();"]),
        (json!({ "pattern": "run", "include": ".hidden/*" }), &[".hidden/run.rs:1:run"]),
        (json!({ "pattern": "run", "include": ".git/*" }), &[]),
    ] {
        let value = bench.value("grep", args.clone()).await;
        assert_eq!(matches(&value), expected, "{args}");
        assert_eq!((&value["total"], &value["truncated"]), (&json!(expected.len()), &json!(false)), "{args}");
    }
}

#[tokio::test]
async fn the_text_groups_lines_by_file() {
    let text = bench().text("grep", json!({ "pattern": "run", "include": "*.ts" })).await;
    assert_eq!(text, "web/app.ts\n1: function run() {}\n2: run();");
    let text = bench().text("grep", json!({ "pattern": "fn " })).await;
    assert_eq!(text, "src/lib.rs\n1: pub fn run() {}\n\nsrc/main.rs\n1: fn main() {");
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let bench = bench();
    for (args, words) in [
        (json!({ "pattern": "" }), "is empty"),
        (json!({ "pattern": "run(" }), "unclosed group, at character 4 of `run(`"),
        (json!({ "pattern": "(?<=x)run" }), "look-around"),
        (json!({ "pattern": r"(x)\1" }), "backreferences"),
        (json!({ "pattern": "a\nb" }), "line break"),
        (json!({ "pattern": "(x{1000}){1000}{1000}" }), "too large"),
        (json!({ "pattern": "[ab]*a[ab]{1000}c$" }), "too large"),
        (json!({ "pattern": "(?:[ab]{0,200}a){20}c" }), "too large"),
        (json!({ "pattern": "x".repeat(5000) }), "longer than 4096 bytes"),
        (json!({ "pattern": "x", "include": "/etc/*" }), "`include` is outside the directory to search"),
        (json!({ "pattern": "x", "include": "" }), "`include` is empty"),
        (json!({ "pattern": "x", "include": "*.{rs" }), "is not a valid glob"),
        (json!({ "pattern": "x", "include": "!*.rs" }), "negation"),
        (json!({ "pattern": "x", "include": "../*.rs" }), "leads upwards"),
        (json!({ "pattern": "x", "glob": "*.rs" }), "glob"),
        (json!({ "pattern": 1 }), "pattern"),
    ] {
        let (code, message) = bench.failure("grep", args.clone()).await;
        assert_eq!(code, "INVALID_ARGS", "{args}: {message}");
        assert!(message.contains(words), "{args}: {message}");
    }
}

#[tokio::test]
async fn binary_files_are_left_out_unless_named() {
    let bench = bench();
    let value = bench.value("grep", json!({ "pattern": "run", "include": "*.bin" })).await;
    assert_eq!((&value["total"], &value["skipped"]), (&json!(0), &json!(0)));
    let (code, message) = bench.failure("grep", json!({ "pattern": "run", "path": "data.bin" })).await;
    assert_eq!(code, "BINARY_FILE", "{message}");
    // A NUL far behind the first match is still a NUL.
    bench.write("late.dat", [&b"run\n".repeat(100_000)[..], b"\0"].concat());
    let value = bench.value("grep", json!({ "pattern": "run", "include": "late.dat" })).await;
    assert_eq!(value["total"], 0);
}

#[tokio::test]
async fn other_encodings_are_searched_as_far_as_possible() {
    let bench = Bench::new();
    let utf16 = "héllo needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    bench.write("utf16.txt", [&b"\xff\xfe"[..], &utf16].concat());
    bench.write("latin1.txt", b"caf\xe9 needle\n");
    bench.write("marked.txt", "\u{feff}needle\n");
    let value = bench.value("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(
        matches(&value),
        ["latin1.txt:1:caf\u{fffd} needle", "marked.txt:1:needle", "utf16.txt:1:héllo needle"]
    );
    let value = bench.value("grep", json!({ "pattern": "^needle", "include": "marked.txt" })).await;
    assert_eq!(value["total"], 1);
}

#[tokio::test]
async fn a_long_line_is_shown_around_the_match() {
    let bench = Bench::new();
    bench.write("minified.js", format!("{}NEEDLE{}\n", "a".repeat(100_000), "b".repeat(20_000)));
    let value = bench.value("grep", json!({ "pattern": "NEEDLE" })).await;
    let shown = &matches(&value)[0];
    assert!(shown.contains("aNEEDLEb") && shown.len() < 700, "{shown}");
    assert!(shown.contains("[99900 bytes …]"), "{shown}");
}

#[tokio::test]
async fn ordinary_expressions_are_not_too_large() {
    let bench = Bench::with(&[("a.txt", "write to someone@example.org of Example 42\n")]);
    let words = (0..50).map(|number| format!("{number:02}keyword")).collect::<Vec<_>>().join("|");
    for pattern in [
        r"\w+\s+\w+",
        r"(?i)\w+\s+\w+\s+[^\s]+\s+\pL+",
        r"(?i)OF EXAMPLE",
        r"\b[\w.+-]+@[\w-]+\.\w{2,10}\b",
        r"\w{1,30}@",
        r"write.{0,200}Example",
        r"(?i)\b(?:\w+\W+){1,6}?example\b",
        r"^(?:[^@]*@){1,3}",
        &format!("{words}|Example"),
        &format!(r"(?i)\b(?:{words}|example)\b"),
    ] {
        let value = bench.value("grep", json!({ "pattern": pattern })).await;
        assert_eq!(value["total"], 1, "{pattern}");
    }
}

#[tokio::test]
async fn a_file_is_searched_up_to_a_line_that_is_too_long() {
    let bench = Bench::new();
    bench.write("long.txt", format!("needle\n{}\nneedle\n", "x".repeat(128 * 1024)));
    bench.write("wide.txt", format!("needle\n{}\nneedle\n", "x".repeat(128 * 1024 - 1)));
    let value = bench.value("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(matches(&value), ["long.txt:1:needle", "wide.txt:1:needle", "wide.txt:3:needle"]);
    assert_eq!((&value["skipped"], &value["truncated"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn nothing_found_says_what_was_left_out() {
    let text = bench().text("grep", json!({ "pattern": "zzz", "path": "src", "include": "*.rs" })).await;
    assert!(text.starts_with("No line matches `zzz` in `src` in files that match `*.rs`."), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed_but_may_be_named() {
    let bench = bench();
    bench.link("again.rs", "src/lib.rs");
    bench.link("directory", "src");
    let value = bench.value("grep", json!({ "pattern": "pub fn" })).await;
    assert_eq!(matches(&value), ["src/lib.rs:1:pub fn run() {}"]);
    let value = bench.value("grep", json!({ "pattern": "pub fn", "path": "again.rs" })).await;
    assert_eq!(matches(&value), ["again.rs:1:pub fn run() {}"]);
    let value = bench.value("grep", json!({ "pattern": "pub fn", "path": "directory" })).await;
    assert_eq!(matches(&value), ["src/lib.rs:1:pub fn run() {}"]);
}
