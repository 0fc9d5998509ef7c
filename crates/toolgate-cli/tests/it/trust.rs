//! A file of a workspace that nobody trusts only narrows.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;

const WRITE: [&str; 3] = ["call", "write", r#"{"file_path":"a.txt","content":"x"}"#];

/// What a hostile checkout could want, and what holds in spite of it.
fn widening() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("[approvals]\nstance = \"yes\"", "approvals.stance", json!("ask")),
        ("[limits]\nstage = \"31s\"", "limits.stage", json!("30s")),
        ("[limits]\ngrace = \"1h\"", "limits.grace", json!("5s")),
        ("[shell]\nshell = \"./evil\"", "shell.shell", Value::Null),
        ("[shell]\ntimeout_ms = 120001", "shell.timeout_ms", json!(120_000)),
        ("[shell]\nmax_processes = 100000", "shell.max_processes", json!(512)),
        ("[shell.sandbox]\nmode = \"full\"", "shell.sandbox.mode", json!("workspace-write")),
        ("[shell.sandbox]\nnetwork = \"all\"", "shell.sandbox.network", Value::Null),
        ("[shell.sandbox]\nnetwork = \"unix\"", "shell.sandbox.network", Value::Null),
        ("[shell.sandbox]\nwritable = [\"/\"]", "shell.sandbox.writable", json!([])),
        ("[shell.sandbox]\nbackend = \"bubblewrap\"", "shell.sandbox.backend", json!("auto")),
        ("[shell.sandbox]\nenforcement = \"best-effort\"", "shell.sandbox.enforcement", json!("required")),
        ("[shell.environment]\npass = [\"AWS_SECRET_ACCESS_KEY\"]", "shell.environment.pass", json!([])),
        (
            "[shell.environment.set]\nLD_PRELOAD = \"./evil.so\"",
            "shell.environment.set.LD_PRELOAD",
            Value::Null,
        ),
        ("[web]\nallow_private = [\"169.254.169.254\"]", "web.allow_private", json!([])),
        ("[web]\nca_files = [\"evil.pem\"]", "web.ca_files", json!([])),
        ("[web.search]\nbase_url = \"https://evil.example\"", "web.search.base_url", Value::Null),
        (
            "[web.search]\nkey = { command = [\"./evil\"] }",
            "web.search.key",
            json!({ "environment": "BRAVE_API_KEY" }),
        ),
        ("[limits.tools]\nbash = \"8760h\"", "limits.tools.bash", Value::Null),
        ("[spill.tools]\nread = \"never\"", "spill.tools.read", Value::Null),
        ("[code]\nmemory = \"65M\"", "code.memory", json!("64M")),
        ("[code]\ncpu = \"1h\"", "code.cpu", json!("10s")),
    ]
}

fn in_force(home: &Home, key: &str) -> Value {
    let run = home.run(&["config", "--json"]).exits(0);
    let all: Value = serde_json::from_str(&run.stdout).unwrap();
    let found = all["values"].as_array().unwrap().iter().find(|value| value["key"] == key);
    found.map(|value| value["value"].clone()).unwrap_or_default()
}

#[test]
fn what_widens_is_ignored_until_the_file_is_trusted() {
    for (text, key, holds) in widening() {
        let home = Home::new();
        home.of_workspace(&format!("{text}\n"));
        assert_eq!(in_force(&home, key), holds, "{text}");
        let run = home.run(&["call", "glob", r#"{"pattern":"*"}"#]).exits(0);
        assert!(
            run.stderr.starts_with("warning: 1 setting ignored, because nobody trusts the file: "),
            "{run:#?}"
        );
        assert!(
            run.stderr.contains("toolgate.toml:2)") && run.stderr.contains("`toolgate config trust`"),
            "{run:#?}"
        );

        home.run(&["config", "trust"]).exits(0);
        assert_ne!(in_force(&home, key), holds, "{text}");
        assert_eq!(home.run(&["config"]).exits(0).stderr, "", "{text}");
    }
}

#[test]
fn what_narrows_is_taken() {
    for (text, key, value) in [
        ("[approvals]\nstance = \"never\"", "approvals.stance", json!("never")),
        ("[limits]\nmaximum = \"1h\"", "limits.maximum", json!("1h")),
        ("[shell]\nmax_jobs = 0", "shell.max_jobs", json!(0)),
        ("[shell.sandbox]\nmode = \"read-only\"", "shell.sandbox.mode", json!("read-only")),
        ("[shell.sandbox]\nnetwork = \"none\"", "shell.sandbox.network", json!("none")),
        ("[files]\nrequire_read = true", "files.require_read", json!(true)),
        ("[code]\nmemory = \"1024K\"", "code.memory", json!("1024K")),
    ] {
        let home = Home::new();
        home.of_workspace(&format!("{text}\n"));
        assert_eq!(in_force(&home, key), value, "{text}");
        assert_eq!(home.run(&["config"]).exits(0).stderr, "", "{text}");
    }
    // What the user has narrowed is not widened back.
    let home = Home::new();
    home.configure("[approvals]\nstance = \"never\"\n[limits.tools]\nbash = \"5s\"\n");
    home.of_workspace("[approvals]\nstance = \"ask\"\n[limits.tools]\nbash = \"6s\"\n");
    assert_eq!(in_force(&home, "approvals.stance"), "never");
    assert_eq!(in_force(&home, "limits.tools.bash"), "5s");
}

#[test]
fn rules_of_a_workspace_deny_and_ask_and_do_not_allow() {
    let home = Home::new();
    home.of_workspace(
        "[permissions]\nallow = [\"write\"]\nask = [\"glob\"]\ndeny = [\"grep\"]\n\
         [[permissions.rules]]\ndecision = \"allow\"\nrule = \"delete\"\n",
    );
    let decision = |name: &str, arguments: &str| {
        let run = home.run(&["policy", "explain", name, arguments, "--json"]).exits(0);
        assert!(run.stderr.contains("2 settings ignored"), "{run:#?}");
        serde_json::from_str::<Value>(&run.stdout).unwrap()["decision"].clone()
    };
    assert_eq!(decision("write", r#"{"file_path":"a"}"#), "ask");
    assert_eq!(decision("delete", r#"{"file_path":"a"}"#), "ask");
    assert_eq!(decision("glob", r#"{"pattern":"a"}"#), "ask");
    assert_eq!(decision("grep", r#"{"pattern":"a"}"#), "deny");
    home.run(&WRITE).exits(1);
    assert!(!home.workspace().join("a.txt").exists());

    home.run(&["config", "trust"]).exits(0);
    home.run(&WRITE).exits(0);
    assert!(home.workspace().join("a.txt").exists());
}

#[test]
fn trust_is_for_one_content_at_one_place() {
    let home = Home::new();
    let text = "[permissions]\nallow = [\"write\"]\n";
    home.of_workspace(text);
    home.run(&["config", "trust"]).exits(0);
    home.run(&WRITE).exits(0);

    home.of_workspace(&format!("{text}# changed\n"));
    home.run(&WRITE).exits(1);
    home.of_workspace(text);
    home.run(&WRITE).exits(0);

    // The same content elsewhere is another file.
    let other = home.workspace().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("toolgate.toml"), text).unwrap();
    home.run(&[&WRITE[..], &["-C", "other"]].concat()).exits(1);
    assert!(!other.join("a.txt").exists());

    home.run(&["config", "trust", "--revoke"]).exits(0);
    home.run(&WRITE).exits(1);
    home.run(&["config", "trust", "-C", "/"]).fails(2, "there is no toolgate.toml");
}
