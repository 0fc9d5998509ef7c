//! What people and models are told of a decision, and the rules that are offered to people.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{ToolDefinition, registry::RUN_CODE};
use toolgate_policy::rules::{Decision, Origin, Permissions, Rule};

use super::bench::{Bench, builder, lossless};

#[test]
fn an_explanation_names_the_rule_of_every_command_and_what_is_not_understood() {
    let bench = Bench::new(&["allow bash(git status)", "allow bash(cat:*)", "deny bash(rm:*)"]);
    for (tool, arguments, expected) in [
        (
            "bash",
            json!({ "command": "git status" }),
            "allow: the rule `bash(git status)` (--allow) decides\n  `git status`: allow `bash(git status)` (--allow)",
        ),
        (
            "bash",
            json!({ "command": "git status | cat -" }),
            "allow: rules allow every command of the line\n  `git status`: allow `bash(git status)` (--allow)\n  `cat -`: allow `bash(cat:*)` (--allow)",
        ),
        (
            "bash",
            json!({ "command": "cat a; id > b" }),
            "ask: rules do not allow every command of the line\n  `cat a`: allow `bash(cat:*)` (--allow)\n  `id`: no rule\n  `> b`: the shell itself reads or writes a file here",
        ),
        (
            "bash",
            json!({ "command": "cat a; sudo rm b" }),
            "deny: the rule `bash(rm:*)` (--deny) decides\n  `cat a`: allow `bash(cat:*)` (--allow)\n  `sudo rm b`: deny `bash(rm:*)` (--deny)",
        ),
        (
            "bash",
            json!({ "command": "echo '\u{202e}'" }),
            "ask: rules do not allow every command of the line\n  `echo '\\u{202e}'`: no rule",
        ),
        ("read", json!({ "file_path": "a" }), "allow: no rule speaks of it, and `read` changes nothing"),
        ("pay", json!({}), "ask: no rule allows it, and `pay` changes something"),
        (
            RUN_CODE,
            json!({}),
            "allow: no rule speaks of it, and the calls of a program are decided one by one",
        ),
    ] {
        assert_eq!(bench.explain(tool, arguments.clone()).to_string(), expected, "{arguments}");
    }
    let unknown = bench.permissions.explain("nothing", &lossless(json!({})), None, None);
    assert_eq!(unknown.to_string(), "deny: no tool called `nothing` can be called");
    let long = bench.explain("bash", json!({ "command": format!("echo {}", "ä".repeat(300)) })).to_string();
    assert!(long.contains("… (+210 bytes)"), "{long}");
}

/// Runs a call through a runtime and gives what a listener made of it.
async fn seen<T: Send + 'static>(
    name: &str,
    args: Value,
    look: impl Fn(&ToolExecution) -> T + Send + Sync + 'static,
) -> T {
    let tool = ToolDefinition::raw(name, "Nothing.")
        .output_schema(json!({}))
        .body(|args, _| async move { Ok(args) });
    let runtime = ToolRuntime::builder().tool(tool).build().expect("a tool");
    let found = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&found);
    runtime.guard(move |call| {
        *kept.lock().expect("no panic") = Some(look(call));
        None
    });
    runtime.execute(ToolCall::new(name, args, CancellationToken::new())).await;
    let seen = found.lock().expect("no panic").take();
    seen.expect("the guard was asked")
}

#[tokio::test]
async fn what_is_offered_allows_the_call_and_little_else() {
    let folder = tempfile::tempdir().expect("a folder");
    for (tool, args, expected) in [
        ("bash", json!({ "command": "git status" }), &["bash(git status)", "bash(git status:*)"][..]),
        (
            "bash",
            json!({ "command": "cargo test -p 'a b'" }),
            &["bash(cargo test -p 'a b')", "bash(cargo test:*)"],
        ),
        ("bash", json!({ "command": "echo \"it's $((1))\"" }), &[]),
        ("bash", json!({ "command": "echo \"it's\" '' '*' 'a=b'" }), &["bash(echo 'it'\\''s' '' '*' 'a=b')"]),
        ("bash", json!({ "command": "sudo apt install x" }), &["bash(sudo apt install x)"]),
        ("bash", json!({ "command": "git config user.name x" }), &["bash(git config user.name x)"]),
        ("bash", json!({ "command": "tar xf a" }), &["bash(tar xf a)"]),
        ("bash", json!({ "command": "X='a b' cargo test" }), &["bash(X='a b' cargo test)"]),
        ("bash", json!({ "command": "ls; id" }), &[]),
        ("bash", json!({ "command": "ls $X" }), &[]),
        ("bash", json!({ "command": "ls", "env": {} }), &[]),
        (
            "write",
            json!({ "file_path": "src/a[1].rs" }),
            &["write(src/a\\[1\\].rs)", "write(src/**)", "write(**)"],
        ),
        ("write", json!({ "file_path": "/etc/hosts" }), &[]),
        ("web_fetch", json!({ "url": "https://docs.rs:8443/x" }), &["web_fetch(https://docs.rs:8443)"]),
        ("web_fetch", json!({ "url": "https://a@docs.rs/" }), &[]),
        ("mcp__github__search", json!({ "q": 1 }), &["mcp__github__search"]),
        ("odd*name", json!({}), &[]),
    ] {
        let permissions = Permissions::new(builder(folder.path(), &[]).build().expect("no rules"));
        let (texts, all_match) = seen(tool, args.clone(), move |call| {
            let rules = permissions.suggest(call);
            let texts: Vec<String> = rules.iter().map(|rule| rule.pattern().to_string()).collect();
            (texts, rules.iter().all(|rule| rule.matches(call) && rule.decision() == Decision::Allow))
        })
        .await;
        assert_eq!(texts, expected, "{tool} {args}");
        assert!(all_match, "{tool} {args}");
        // What is offered can be written into a configuration and read again.
        for text in texts {
            let rule = Rule::allow(&text, Origin::Person, folder.path()).expect("a rule");
            assert!(seen(tool, args.clone(), move |call| rule.matches(call)).await, "{text}");
        }
    }
}

#[tokio::test]
async fn a_rule_alone_decides_the_whole_call_or_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for (rule, command, expected) in [
        ("bash(git status)", "git status", true),
        ("bash(git status)", "git status; git status", true),
        ("bash(git status)", "git status; id", false),
        ("bash", "git status; id > x", true),
        ("read", "git status", false),
    ] {
        let rule = Rule::allow(rule, Origin::Person, folder.path()).expect("a rule");
        let found = seen("bash", json!({ "command": command }), move |call| rule.matches(call)).await;
        assert_eq!(found, expected, "{command}");
    }
}
