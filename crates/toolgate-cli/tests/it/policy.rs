//! `toolgate policy`: rules on trial.

use serde_json::Value;

use crate::home::Home;

#[test]
fn a_decision_is_explained_down_to_the_rule_and_its_origin() {
    let home = Home::new();
    home.configure("[permissions]\nallow = [\"bash(git status)\"]\ndeny = [\"bash(rm:*)\"]\n");
    let explain = |arguments: &str, more: &[&str]| {
        let args = [&["policy", "explain", "bash", arguments], more].concat();
        let shown = home.run(&args).exits(0).stdout;
        let json = home.run(&[&args[..], &["--json"]].concat()).exits(0).json();
        (shown, json)
    };
    let (shown, json) = explain(r#"{"command":"git status"}"#, &[]);
    let origin = format!("{}:2", home.user_file().display());
    assert!(
        shown.starts_with(&format!("allow: the rule `bash(git status)` ({origin}) decides\n")),
        "{shown}"
    );
    assert_eq!((&json["decision"], &json["rule"]["origin"]), (&"allow".into(), &origin.into()));

    let (shown, json) = explain(r#"{"command":"git status; id"}"#, &[]);
    assert!(shown.contains("\n  `id`: no rule\n"), "{shown}");
    assert_eq!(json["decision"], "ask");
    assert_eq!(json["commands"][0]["decision"], "allow");
    assert_eq!((&json["commands"][1]["command"], &json["commands"][1]["rule"]), (&"id".into(), &Value::Null));

    // Deny beats allow, whatever the origin.
    let (shown, json) = explain(r#"{"command":"rm a"}"#, &["--allow", "bash"]);
    assert_eq!(json["decision"], "deny", "{shown}");
    let (_, json) = explain(r#"{"command":"git status"}"#, &["--ask", "bash(git:*)"]);
    assert_eq!((&json["decision"], &json["rule"]["origin"]), (&"ask".into(), &"--ask".into()));
    // What cannot be read with certainty could be what is denied.
    let (_, json) = explain(r#"{"command":"cat <<E > /etc/p"}"#, &["--allow", "bash(cat)"]);
    assert_eq!(json["decision"], "deny");
    home.configure("");
    let (_, json) = explain(r#"{"command":"cat <<E > /etc/p"}"#, &["--allow", "bash(cat)"]);
    assert_eq!(json["decision"], "ask");
    assert!(!json["doubts"].as_array().unwrap().is_empty(), "{json}");
}

#[test]
fn what_does_not_exist_is_denied_and_programs_are_not_asked_for() {
    let home = Home::new();
    let shown = home.run(&["policy", "explain", "no_such_tool"]).exits(0).stdout;
    assert!(shown.starts_with("deny: no tool called `no_such_tool`"), "{shown}");
    let shown = home.run(&["policy", "explain", "read", r#"{"file_path":"a"}"#]).exits(0).stdout;
    assert!(shown.starts_with("allow: "), "{shown}");
}

#[test]
fn every_rule_and_example_is_tested() {
    let home = Home::new();
    home.configure(
        "[permissions]\nallow = [\"read\"]\n[[permissions.rules]]\ndecision = \"allow\"\nrule = \"bash(cargo doc:*)\"\n\
         match = [\"cargo doc --open\"]\nno_match = [\"cargo doc; id\"]\n",
    );
    let run = home.run(&["policy", "test", "--deny", "bash(rm:*)"]).exits(0);
    assert_eq!(run.stdout, "3 rules and 2 examples, all sound\n");
    // Rules that do not count are tested as well.
    home.of_workspace("[permissions]\nallow = [\"write(src/**)\"]\n");
    assert_eq!(home.run(&["policy", "test"]).exits(0).stdout, "3 rules and 2 examples, all sound\n");
}

#[test]
fn all_mistakes_are_told_at_once_with_their_lines() {
    let home = Home::new();
    home.configure("[permissions]\nallow = [\n  \"bash(git status\",\n  \"read\",\n]\n");
    home.of_workspace(
        "[permissions]\ndeny = [\"(x)\"]\n[[permissions.rules]]\ndecision = \"deny\"\nrule = \"bash(rm:*)\"\n\
         match = [\"ls\"]\n",
    );
    let file = home.workspace().canonicalize().unwrap().join("toolgate.toml");
    for args in [
        &["policy", "test", "--allow", "web_fetch(a b)"][..],
        &["call", "glob", "{\"pattern\":\"*\"}", "--allow", "web_fetch(a b)"],
    ] {
        let run = home.run(args).fails(2, "the parenthesis is not closed");
        for place in [
            format!("{}:3: ", home.user_file().display()),
            format!("{}:2: ", file.display()),
            format!("{}:3: ", file.display()),
            "--allow: ".to_owned(),
        ] {
            assert!(run.stderr.contains(&place), "{place}: {run:#?}");
        }
        assert!(run.stderr.contains("does not decide `bash {\"command\":\"ls\"}`"), "{run:#?}");
    }
}
