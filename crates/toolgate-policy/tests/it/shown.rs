//! What a person sees is complete, and nothing in it hides (K63).

use std::sync::Arc;

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{ToolCallView, ToolDefinition};
use toolgate_policy::person::{Answer, Asking, GrantRule, Question};

use crate::support::{AskAlways, Person, approvals, build, call, people, tool};

/// The question that a call makes.
async fn question(tool: ToolDefinition, call: ToolCall, agent: &str) -> Question {
    let person = Person::who_says(Answer::Reject);
    let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals(&people(&person)).0);
    build(builder, [tool]).scope(agent).execute(call).await;
    person.saw.entries().first().cloned().expect("asked")
}

const HIDDEN: [(&str, &str); 8] = [
    ("\r", "\\r"),
    ("\u{1b}[2K", "\\x1b[2K"),
    ("\u{202e}", "\\u{202e}"),
    ("\u{2066}", "\\u{2066}"),
    ("\u{200b}", "\\u{200b}"),
    ("\u{feff}", "\\u{feff}"),
    ("\u{9b}31m", "\\x9b31m"),
    ("\u{e0041}", "\\u{e0041}"),
];

#[tokio::test(start_paused = true)]
async fn hidden_characters_are_escaped_everywhere() {
    for (hidden, _) in HIDDEN {
        let titled = hidden.to_owned();
        let tool = tool("write")
            .present_call(move |_| {
                Some(ToolCallView::Generic {
                    title: format!("Write {titled} it\nand more"),
                    kind: None,
                    raw_input: None,
                    content: None,
                    locations: None,
                })
            })
            .body(|_, _| async { Ok(json!(null)) });
        let id = format!("id{hidden}");
        let call = call("write", json!({ format!("na{hidden}me"): format!("va{hidden}lue") })).with_id(id);
        let question = question(tool, call, &format!("agent{hidden}")).await;
        let Asking::Approval { title, shown, arguments, .. } = &question.asking else {
            unreachable!("an approval")
        };
        let texts = [title, shown, &question.call_id, &question.root_call_id];
        for text in texts.into_iter().chain(&question.agent) {
            let seen: Vec<char> =
                text.chars().filter(|c| *c != '\n' && toolgate::text::is_hidden(*c)).collect();
            assert!(seen.is_empty(), "K63: {hidden:?} in {text:?}");
        }
        assert!(!title.contains('\n'), "K63: a title forges no line");
        assert_eq!(
            arguments[format!("na{hidden}me").as_str()],
            json!(format!("va{hidden}lue")),
            "data is data"
        );
    }
}

/// Asks with what it was given as its reason.
struct AskWith(String);

impl PreExecute for AskWith {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Ok(PreToolDecision::ask(self.0.clone()))
    }
}

/// A rule with such a text.
struct Named(String);

impl GrantRule for Named {
    fn matches(&self, _: &ToolExecution) -> bool {
        true
    }

    fn text(&self) -> &str {
        &self.0
    }
}

#[tokio::test(start_paused = true)]
async fn reasons_and_rules_are_escaped_as_well() {
    for (hidden, escaped) in HIDDEN {
        let person = Person::who_says(Answer::Reject);
        let rule = format!("pay{hidden}\nall");
        let approvals = approvals(&people(&person)).0.with_rules(move |_| {
            let rule: Arc<dyn GrantRule> = Arc::new(Named(rule.clone()));
            vec![rule]
        });
        let builder = ToolRuntime::builder()
            .on_pre_execute(AskWith(format!("it is{hidden} a test\nof two lines")))
            .approver(approvals);
        build(builder, []).scope("agent").execute(call("pay", json!({}))).await;
        let question = person.saw.entries().first().cloned().expect("asked");
        let Asking::Approval { reason, rules, .. } = question.asking else { unreachable!("an approval") };
        assert_eq!(reason.expect("a reason"), format!("it is{escaped} a test\nof two lines"), "K63");
        assert_eq!(rules, [format!("pay{escaped}\\nall")], "K63");
    }
}

#[tokio::test(start_paused = true)]
async fn escapes_are_those_of_the_library() {
    for (hidden, escaped) in HIDDEN {
        let name = format!("na{hidden}me");
        let person = Person::who_says(Answer::Reject);
        let builder =
            ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals(&people(&person)).0);
        // Nothing has this name; policy is asked about it all the same.
        build(builder, []).scope("agent").execute(call(&name, json!({}))).await;
        let question = person.saw.entries().first().cloned().expect("asked");
        assert_eq!(question.tool, format!("na{escaped}me"), "K63");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_argument_is_shown_whole() {
    let long = "x".repeat(1_000_000);
    let tool = tool("write").body(|_, _| async { Ok(json!(null)) });
    let question = question(tool, call("write", json!({ "content": format!("{long}END") })), "agent").await;
    let Asking::Approval { shown, .. } = &question.asking else { unreachable!("an approval") };
    assert!(shown.contains(&format!("{long}END")), "K63");
    assert_eq!(toolgate::text::shortened(shown, 5), format!("{{\n  \"… (+{} bytes)", shown.len() - 5), "K63");
}

#[test]
fn questions_of_agents_are_escaped_as_well() {
    let asking = Asking::choice("which\u{202e}\none?", &["a\u{1b}\nb".to_owned()], false);
    let Asking::Choice { question, options, .. } = asking else { unreachable!("a choice") };
    assert_eq!(
        (question.as_str(), options.as_slice()),
        ("which\\u{202e}\none?", &["a\\x1b\\nb".to_owned()][..])
    );
}
