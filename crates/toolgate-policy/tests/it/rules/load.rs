//! Loading rules: every mistake is named with its place, and rules of which one is wrong are no rules.

use std::path::Path;

use toolgate_policy::PermissionsConfig;
use toolgate_policy::rules::{Decision, Rules, RulesError};

use super::bench::builder;

fn load(source: &str) -> Result<Rules, RulesError> {
    let config: PermissionsConfig = toml::from_str(source).expect("TOML of this form");
    let folder = tempfile::tempdir().expect("a folder");
    Rules::builder(folder.path()).config(&config, Path::new("toolgate.toml"), source).build()
}

#[test]
fn a_configuration_becomes_rules_with_their_lines() {
    let rules = load(
        r#"
allow = ["read", "bash(cargo test:*)"]
deny = [
  "bash(rm:*)",
]

[[rules]]
decision = "ask"
rule = "pay"
reason = "money"
arguments = { "/currency" = "EUR" }
match = [{ arguments = { currency = "EUR" } }]
no_match = [{ arguments = { currency = "USD" } }, { tool = "payback", arguments = { currency = "EUR" } }]

[[rules]]
decision = "allow"
rule = "bash(git log:*)"
match = ["git log -p"]
no_match = ["git log; id", "git logx"]
"#,
    )
    .expect("good rules");
    let shown: Vec<String> = rules.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "deny `bash(rm:*)` (toolgate.toml:4)",
            "allow `read` (toolgate.toml:2)",
            "allow `bash(cargo test:*)` (toolgate.toml:2)",
            "ask `pay` (toolgate.toml:7)",
            "allow `bash(git log:*)` (toolgate.toml:15)",
        ]
    );
    assert_eq!(rules.examples(), 6);
    let paying = rules.iter().find(|rule| rule.decision() == Decision::Ask).expect("the rule");
    assert_eq!(paying.reason(), Some("money"));
}

#[test]
fn all_mistakes_are_told_at_once_each_with_its_place() {
    let source = r#"
allow = ["bash(git *)", "read(", "", "pay(now)"]

[[rules]]
decision = "deny"
rule = "bash(rm:*)"
match = ["rm a", "ls"]
no_match = ["sudo rm a"]

[[rules]]
decision = "deny"
rule = "*"
urls = { "url" = "docs.rs/x" }
"#;
    let error = load(source).expect_err("bad rules");
    let found: Vec<(String, Option<usize>)> =
        error.problems.iter().map(|problem| (problem.origin.to_string(), problem.at)).collect();
    let expected = [
        ("2", Some(9)),
        ("2", Some(5)),
        ("2", Some(0)),
        ("2", Some(4)),
        ("4", None),
        ("4", None),
        ("10", None),
        ("10", None),
    ];
    let expected = expected.map(|(line, at)| (format!("toolgate.toml:{line}"), at));
    assert_eq!(found, expected, "{error}");
    let text = error.to_string();
    for part in [
        "bash(git *)\n           ^",
        "hint: ",
        "does not decide `bash {\"command\":\"ls\"}`",
        "decides `bash {\"command\":\"sudo rm a\"}`",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn what_no_rule_can_mean_is_no_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in [
        "bash()",
        "bash(a; b)",
        "bash(a > b)",
        "bash($X)",
        "bash(a $(b))",
        "bash('a)",
        "bash(a|b)",
        "bash(X=1)",
        "bash(if a; then b; fi)",
        "bash(a 2>&1)",
        "bash(a &)",
        "bash(# a)",
        "bash(:*)",
        "bash",
        "read()",
        "read(a/../b)",
        "read(a//b)",
        "read([)",
        "read(a/./b)",
        "web_fetch(ftp://a)",
        "web_fetch(a/b)",
        "web_fetch(a*b)",
        "web_fetch(a:x)",
        "web_fetch(u@a)",
        "web_fetch()",
        "web_fetch(*.1.2.3.4)",
        "git status",
        "pay(@/amount)",
        "mcp__*(src)",
        "(a)",
        "a)",
        "read(a) b",
    ] {
        let rule = format!("allow {text}");
        let built = builder(folder.path(), &[&rule]).build();
        assert_eq!(built.is_ok(), text == "bash", "{text}: {built:?}");
        if let Err(error) = built {
            assert!(error.to_string().contains("hint: "), "{error}");
        }
    }
    let nowhere = Rules::builder(&folder.path().join("nowhere")).build();
    assert!(nowhere.is_err());
    for source in [
        "alow = []",
        "[[rules]]\ndecision = \"maybe\"\nrule = \"a\"",
        "[[rules]]\nrule = \"a\"\ndecision = \"ask\"\nmatches = []",
    ] {
        assert!(toml::from_str::<PermissionsConfig>(source).is_err(), "{source}");
    }
}
