//! `toolgate.toml`: what it may say, who goes before whom, and how mistakes are shown.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::home::Home;

#[test]
fn the_nearer_source_goes_before_the_farther_one() {
    let home = Home::new();
    assert_eq!(home.value("shell.timeout_ms", &[]), (json!(120_000), json!({ "kind": "default" })));

    home.configure("[shell]\ntimeout_ms = 60000\n[limits]\nstage = \"10s\"\n");
    let user = home.user_file();
    let origin = |path: &Path, line: u64| json!({ "kind": "file", "path": path, "line": line });
    assert_eq!(home.value("shell.timeout_ms", &[]), (json!(60_000), origin(&user, 2)));

    home.of_workspace("# narrows\n\n[shell]\ntimeout_ms = 1000\n");
    let file = home.workspace().canonicalize().unwrap().join("toolgate.toml");
    assert_eq!(home.value("shell.timeout_ms", &[]), (json!(1_000), origin(&file, 4)));
    assert_eq!(home.value("limits.stage", &[]), (json!("10s"), origin(&user, 4)));

    let flag = json!({ "kind": "flag", "flag": "--yes" });
    assert_eq!(home.value("approvals.stance", &["--yes"]), (json!("yes"), flag));
}

#[test]
fn the_file_is_found_upwards() {
    let home = Home::new();
    home.of_workspace("[limits]\nmaximum = \"7s\"\n");
    fs::create_dir_all(home.workspace().join("a/b")).unwrap();
    assert_eq!(home.value("limits.maximum", &["-C", "a/b"]).0, "7s");
    // The nearest one counts, and only that.
    fs::write(home.workspace().join("a/toolgate.toml"), "[limits]\nmaximum = \"6s\"\n").unwrap();
    assert_eq!(home.value("limits.maximum", &["-C", "a/b"]).0, "6s");
}

#[test]
fn the_configuration_is_shown_with_its_origins() {
    let home = Home::new();
    home.configure("[permissions]\nallow = [\"bash(git status)\"]\n[code]\nmemory = \"32M\"\n");
    let run = home.run(&["config", "--deny", "bash(rm:*)"]).exits(0);
    let user = home.user_file();
    for line in [
        format!("# {}: yours", user.display()),
        format!("allow bash(git status)  # {}:2", user.display()),
        "deny  bash(rm:*)  # --deny".to_owned(),
    ] {
        assert!(run.stdout.lines().any(|shown| shown == line), "{line}: {run:#?}");
    }
    let memory = run.stdout.lines().find(|line| line.starts_with("code.memory = \"32M\" ")).unwrap();
    assert!(memory.ends_with(&format!("# {}:4", user.display())), "{memory}");
    assert!(run.stdout.contains("\ncode.max_calls = 10000 "), "{run:#?}");
}

#[test]
fn what_the_configuration_says_is_what_happens() {
    let home = Home::new();
    fs::write(
        home.workspace().join("loop.ts"),
        "for (let n = 0; n < 5; n++) await tools.glob({ pattern: '*' })",
    )
    .unwrap();
    home.run(&["run", "loop.ts"]).exits(0);
    home.configure("[code]\nmax_calls = 3\n");
    let run = home.run(&["run", "loop.ts"]).exits(1);
    assert!(run.stderr.contains("failed (limit)"), "{run:#?}");
    // A flag goes before the file.
    home.run(&["run", "loop.ts", "--max-calls", "5"]).exits(0);

    home.configure("[files]\nrequire_read = true\n[approvals]\nstance = \"yes\"\n");
    let run = home.run(&["call", "write", r#"{"file_path":"loop.ts","content":"x"}"#]).exits(1);
    assert!(run.stderr.contains("`toolgate explain FILE_NOT_READ`"), "{run:#?}");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let home = Home::new();
    for (text, place, message, caret, hint) in [
        ("[shel]\n", "1:2", "there is no section `shel`", "  [shel]\n   ^\n", "did you mean `shell`?"),
        (
            "[shell]\ntimeout = 5\n",
            "2:1",
            "`[shell]` has no key `timeout`",
            "  timeout = 5\n  ^\n",
            "did you mean `timeout_ms`",
        ),
        (
            "[shell]\nmode = \"full\"\n",
            "2:1",
            "`[shell]` has no key `mode`",
            "  ^\n",
            "did you mean `shell.sandbox.mode`?",
        ),
        ("[web]\nxyzzy = 1\n", "2:1", "`[web]` has no key `xyzzy`", "  ^\n", "known here: allow_private, "),
        ("[limits]\nstage = 5\n", "2:9", "expected a string", "  stage = 5\n          ^\n", "--schema"),
        (
            "[limits]\nstage = \"5\"\n",
            "2:9",
            "a whole number and a unit",
            "  stage = \"5\"\n          ^\n",
            "--schema",
        ),
        ("[shell]\nmax_jobs = -1\n", "2:12", "-1", "  max_jobs = -1\n             ^\n", "--schema"),
        ("[shell.sandbox]\nmode = \"open\"\n", "2:8", "unknown variant `open`", "         ^\n", "--schema"),
        ("[shell]\nmax_jobs = \n", "2:12", "", "  max_jobs = \n", "--schema"),
        ("[shell]\n[shell]\n", "2:2", "duplicate key", "  [shell]\n   ^\n", "--schema"),
        (
            "[[permissions.rules]]\ndecision = \"allow\"\nrule = \"read\"\nnomatch = []\n",
            "4:1",
            "unknown field `nomatch`",
            "  nomatch = []\n  ^\n",
            "--schema",
        ),
    ] {
        home.configure(text);
        let run = home.run(&["config"]).fails(2, message);
        assert!(run.stderr.contains(&format!("toolgate.toml:{place}: ")), "{text}: {run:#?}");
        assert!(run.stderr.contains(caret), "{text}: {run:#?}");
        assert!(
            run.stderr.contains(&format!("\nhint: {hint}")) || run.stderr.contains(hint),
            "{text}: {run:#?}"
        );
        // Nothing runs under a configuration that is not understood.
        let arguments = r#"{"file_path":"toolgate.toml"}"#;
        home.run(&["call", "read", arguments]).fails(2, message);
    }
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let home = Home::new();
    home.configure("[spill]\nmax_text_bytes = 10\n");
    fs::write(home.workspace().join("one.ts"), "return 1").unwrap();
    let run = home.run(&["run", "one.ts"]).exits(1);
    assert!(run.stderr.contains("the setting `max_text_bytes` of spill is 10"), "{run:#?}");
}

/// The schema that editors get is the one of this binary. To renew it:
/// `cargo run -p toolgate-cli -- config --schema > docs/toolgate.schema.json`
#[test]
fn the_schema_in_the_repository_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/toolgate.schema.json");
    let run = Home::new().run(&["config", "--schema"]).exits(0);
    assert_eq!(fs::read_to_string(path).unwrap(), run.stdout);
    let schema: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(schema["properties"]["shell"]["properties"]["max_jobs"]["default"], 8);
    assert_eq!(schema["additionalProperties"], false);
}
