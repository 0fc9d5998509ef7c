//! The glob tool: patterns, hidden names, links, order.

use serde_json::json;

use crate::bench::{Bench, paths};

fn bench() -> Bench {
    Bench::with(&[
        ("Cargo.toml", ""),
        ("README.md", ""),
        ("src/main.rs", ""),
        ("src/lib.rs", ""),
        ("src/deep/er/mod.rs", ""),
        ("src-other/x.rs", ""),
        ("web/app.ts", ""),
        ("web/app.tsx", ""),
        ("web/app.js", ""),
        (".env", ""),
        (".github/workflows/ci.yml", ""),
        (".git/config", ""),
        (".git/HEAD", ""),
        ("sub/.git/config", ""),
        ("sub/file.rs", ""),
    ])
}

#[tokio::test]
async fn patterns_find_what_they_say() {
    let bench = bench();
    let root = bench.root().to_str().unwrap().to_owned();
    for (args, expected) in [
        (json!({ "pattern": "*" }), &["Cargo.toml", "README.md"][..]),
        (json!({ "pattern": "Cargo.toml" }), &["Cargo.toml"]),
        (json!({ "pattern": "src/*.rs" }), &["src/lib.rs", "src/main.rs"]),
        (json!({ "pattern": "src/**/*.rs" }), &["src/deep/er/mod.rs", "src/lib.rs", "src/main.rs"]),
        (json!({ "pattern": "src/**" }), &["src/deep/er/mod.rs", "src/lib.rs", "src/main.rs"]),
        (
            json!({ "pattern": "**/*.rs" }),
            &["src/deep/er/mod.rs", "src/lib.rs", "src/main.rs", "src-other/x.rs", "sub/file.rs"],
        ),
        (json!({ "pattern": "web/*.{ts,tsx}" }), &["web/app.ts", "web/app.tsx"]),
        (json!({ "pattern": "web/app.[jt]s" }), &["web/app.js", "web/app.ts"]),
        (json!({ "pattern": "web/app.?s" }), &["web/app.js", "web/app.ts"]),
        (json!({ "pattern": "./src/main.rs" }), &["src/main.rs"]),
        (json!({ "pattern": format!("{root}/src/main.rs") }), &["src/main.rs"]),
        (json!({ "pattern": "*.rs", "path": "src" }), &["src/lib.rs", "src/main.rs"]),
        (json!({ "pattern": "*.rs", "path": format!("{root}/src/") }), &["src/lib.rs", "src/main.rs"]),
        (json!({ "pattern": format!("{root}/src/*.rs"), "path": "src" }), &["src/lib.rs", "src/main.rs"]),
        (json!({ "pattern": "**/mod.rs", "path": "src/deep" }), &["src/deep/er/mod.rs"]),
        (json!({ "pattern": "src" }), &[]),
        (json!({ "pattern": "src/../Cargo.toml2" , "path": "." }), &[]),
    ] {
        if args["pattern"].as_str().unwrap().contains("..") {
            let (code, message) = bench.failure("glob", args.clone()).await;
            assert_eq!(code, "INVALID_ARGS", "{args}: {message}");
            continue;
        }
        let value = bench.value("glob", args.clone()).await;
        assert_eq!(paths(&value), expected, "{args}");
        assert_eq!((&value["total"], &value["truncated"]), (&json!(expected.len()), &json!(false)), "{args}");
    }
}

#[tokio::test]
async fn hidden_names_are_found_when_the_pattern_names_them() {
    let bench = bench();
    for (pattern, expected) in [
        ("**/*", 10),
        (".env", 1),
        ("**/.env", 1),
        (".github/**", 1),
        (".github/workflows/*.yml", 1),
        ("**/*.yml", 0),
        ("**/.*", 1),
        (".git/**", 0),
        ("**/.git/*", 0),
        (".*/**", 1),
    ] {
        let value = bench.value("glob", json!({ "pattern": pattern })).await;
        assert_eq!(paths(&value).len(), expected, "{pattern}: {value}");
        assert!(paths(&value).iter().all(|path| !path.contains(".git/")), "{pattern}: {value}");
    }
    let value = bench.value("glob", json!({ "pattern": "**/*.yml", "path": ".github" })).await;
    assert_eq!(paths(&value), [".github/workflows/ci.yml"]);
}

#[tokio::test]
async fn patterns_that_make_no_sense_are_refused() {
    let bench = bench();
    let long = "a".repeat(5000);
    for (pattern, words) in [
        ("", "is empty"),
        ("src/[ab", "is not a valid glob"),
        ("{a,b", "is not a valid glob"),
        ("../**", "leads upwards"),
        ("src/../../x", "leads upwards"),
        ("/etc/*", "is outside the directory to search"),
        ("src/", "ends with `/`"),
        (long.as_str(), "is longer than"),
    ] {
        let (code, message) = bench.failure("glob", json!({ "pattern": pattern })).await;
        assert_eq!(code, "INVALID_ARGS", "{pattern}: {message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{pattern}: {message}");
    }
    let outside = format!("{}/web/*", bench.root().display());
    let (code, _) = bench.failure("glob", json!({ "pattern": outside, "path": "src" })).await;
    assert_eq!(code, "INVALID_ARGS");
    let (code, _) = bench.failure("glob", json!({ "pattern": "*", "include": "*" })).await;
    assert_eq!(code, "INVALID_ARGS");
}

#[tokio::test]
async fn nothing_found_says_what_was_left_out() {
    let text = bench().text("glob", json!({ "pattern": "*.nothing", "path": "src" })).await;
    assert!(text.starts_with("No file matches `*.nothing` in `src`."), "{text}");
    assert!(text.contains(".gitignore"), "{text}");
}

#[tokio::test]
async fn upwards_in_disguise_leads_nowhere() {
    let bench = bench();
    std::fs::write(bench.outside("beside.rs"), "").unwrap();
    for pattern in ["{..,x}/*", "[.][.]/*", "src/{..,x}/*", "{../,}*.rs", r"\.\./*", "?./*", "**/[.][.]/*"] {
        for path in [".", "src"] {
            let value = bench.value("glob", json!({ "pattern": pattern, "path": path })).await;
            let found = paths(&value);
            assert!(found.iter().all(|path| path.starts_with("src/") && !path.contains("..")), "{value}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_to_files_are_listed_and_links_to_directories_not_entered() {
    let bench = bench();
    std::fs::write(bench.outside("secret.rs"), "").unwrap();
    bench.link("good.rs", "src/main.rs");
    bench.link("absolute.rs", bench.path("src/lib.rs"));
    bench.link("bad.rs", bench.outside("secret.rs"));
    bench.link("broken.rs", "nothing");
    bench.link("loop.rs", "loop.rs");
    bench.link("linked", "src");
    bench.link("src/cycle", "..");
    let value = bench.value("glob", json!({ "pattern": "*.rs" })).await;
    assert_eq!(paths(&value), ["absolute.rs", "good.rs"]);
    let value = bench.value("glob", json!({ "pattern": "linked/*.rs" })).await;
    assert_eq!(value["total"], 0);
    let value = bench.value("glob", json!({ "pattern": "*.rs", "path": "linked" })).await;
    assert_eq!(paths(&value), ["src/lib.rs", "src/main.rs"]);
    let value = bench.value("glob", json!({ "pattern": "src/**/*.rs" })).await;
    assert_eq!(value["total"], 3);
}

#[cfg(unix)]
#[tokio::test]
async fn names_that_are_not_utf8_are_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = bench();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.rs");
    if std::fs::write(bench.root().join(name), "needle").is_err() {
        return;
    }
    let value = bench.value("glob", json!({ "pattern": "*.rs" })).await;
    assert_eq!((&value["total"], &value["skipped"]), (&json!(0), &json!(1)));
    let text = bench.text("grep", json!({ "pattern": "needle" })).await;
    assert!(text.contains("names that are not UTF-8"), "{text}");
}

#[tokio::test]
async fn the_answer_is_the_same_every_time() {
    let bench = bench();
    let first = bench.text("glob", json!({ "pattern": "**/*" })).await;
    for _ in 0..5 {
        assert_eq!(bench.text("glob", json!({ "pattern": "**/*" })).await, first);
    }
}
