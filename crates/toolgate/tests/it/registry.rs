//! Scopes, restrictions, presentation (rules R1–R9a), as far as the conformance cases do not say it.

use std::time::Duration;

use serde_json::json;
use toolgate::prelude::*;
use toolgate::registry::DefinitionProblem;
use toolgate::{PresentationError, RestrictionError, ToolDefinition, WireError};

use crate::support::{Counter, call, echo, json_value, nobody};

fn runtime(names: &[&str]) -> ToolRuntime {
    let runtime = ToolRuntime::builder().build().expect("valid");
    for name in names {
        runtime.register(echo(name, &Counter::default())).expect("valid");
    }
    runtime
}

fn names(scope: &Scope) -> Vec<String> {
    scope.schemas().into_iter().map(|schema| schema.name).collect()
}

#[test]
fn every_mistake_of_a_set_up_is_reported_at_once() {
    let nameless = ToolDefinition::raw("", "no name, no time, no output")
        .timeout(Duration::ZERO)
        .body(|args: JsonValue, _| async move { Ok(args) });
    let foreign = ToolDefinition::raw("foreign", "pattern is outside the subset")
        .output_schema(json_value(json!({ "type": "string", "pattern": "x", "format": "y" })))
        .timeout_ms(f64::NAN)
        .body(|args: JsonValue, _| async move { Ok(args) });
    let error = ToolRuntime::builder().tool(nameless).tool(foreign).build().expect_err("R2");
    let text = error.to_string();
    assert_eq!(error.problems().len(), 2, "{text}");
    for part in ["must not be empty", "timeout", "no output schema", "pattern", "format", "NaN"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn names_are_any_text_of_128_bytes_without_control_characters() {
    let accepts = |name: &str| runtime(&[]).register(echo(name, &Counter::default())).map(drop);
    for name in ["a", "ä ö", "my-tool.v2", "__proto__", "🦀", &"x".repeat(128)] {
        assert!(accepts(name).is_ok(), "R2a: {name}");
    }
    for name in ["", "a\nb", "\u{7f}", "\u{9b}", &"x".repeat(129)] {
        let error = accepts(name).expect_err(name);
        assert!(matches!(error.problems(), [DefinitionProblem::InvalidName(_)]), "R2a: {error}");
    }
}

#[test]
fn a_closed_scope_sees_nothing_and_takes_nothing() {
    let runtime = runtime(&["read", "write"]);
    let agent = runtime.scope("agent");
    let child = agent.scope("child");
    agent.restrict(ToolRestriction::allow(["read"])).expect("valid");
    agent.register(echo("own", &Counter::default())).expect("valid");
    assert_eq!(names(&child), ["read", "own"]);

    agent.close();
    // Without its restrictions the old handle would see more than before, so it must see nothing.
    assert_eq!((names(&agent), names(&child)), (vec![], vec![]));
    let refused = agent.register(echo("late", &Counter::default())).expect_err("closed");
    assert_eq!(refused.problems(), [DefinitionProblem::ScopeClosed]);
    assert_eq!(agent.restrict(ToolRestriction::deny(["read"])).err(), Some(RestrictionError::ScopeClosed));
    assert_eq!(agent.present_as(PresentationMode::Code).err(), Some(PresentationError::ScopeClosed));
    assert_eq!(names(&agent.scope("grandchild")), Vec::<String>::new());

    assert_eq!(names(&runtime.scope("agent")), ["read", "write"], "the name makes a new scope");
    assert_eq!(names(&agent), Vec::<String>::new());
}

#[tokio::test]
async fn closing_a_scope_undoes_its_registrations_in_reverse_order() {
    let runtime = runtime(&["read"]);
    let agent = runtime.scope("agent");
    agent.register(echo("own", &Counter::default())).expect("valid");
    agent.guard(|_| Some("no".to_owned()));
    agent.restrict(ToolRestriction::deny(["read"])).expect("valid");
    let changes = Counter::default();
    let heard = changes.clone();
    runtime.on_change(move || heard.add());
    agent.close();
    agent.close();
    assert_eq!(changes.get(), 2, "R8: a tool and a restriction; guards do not notify");
    assert_eq!(agent.execute(call("read", nobody())).await.code(), Some("UNKNOWN_TOOL"));
}

#[test]
fn dropping_a_registration_does_nothing_and_a_guard_undoes_it() {
    let runtime = runtime(&[]);
    drop(runtime.register(echo("stays", &Counter::default())).expect("valid"));
    let guard = runtime.register(echo("goes", &Counter::default())).expect("valid").until_drop();
    assert!(runtime.get("goes").is_some());
    drop(guard);
    assert!(runtime.get("goes").is_none() && runtime.get("stays").is_some());
}

#[test]
fn disposing_twice_over_never_touches_a_later_registration_of_the_same_name() {
    let runtime = runtime(&[]);
    let agent = runtime.scope("agent");
    let first = agent.register(echo("t", &Counter::default())).expect("valid");
    agent.close();
    let again = runtime.scope("agent");
    again.register(echo("t", &Counter::default())).expect("valid");
    first.dispose();
    assert_eq!(names(&again), ["t"]);
}

#[test]
fn presenting_code_without_a_transport_is_an_error_of_the_wire_list() {
    let agent = runtime(&["t"]).scope("agent");
    agent.present_as(PresentationMode::Both).expect("R9a: declaring is fine");
    assert_eq!(agent.wire_schemas(), Err(WireError::NoCodeRuntime));
    assert_eq!(names(&agent), ["t"]);
}

#[tokio::test]
async fn a_collapsed_call_is_told_where_the_tool_is() {
    let agent = runtime(&["t"]).scope("agent");
    agent.present_as(PresentationMode::Code).expect("valid");
    let known = agent.execute(call("t", nobody())).await.text();
    assert!(known.contains("run_code"), "R5: {known}");
    let unknown = agent.execute(call("nope", nobody())).await.text();
    assert!(!unknown.contains("run_code"), "{unknown}");
}

#[tokio::test]
async fn a_long_or_hostile_name_is_escaped_and_shortened_in_messages() {
    let runtime = runtime(&[]);
    let hostile = format!("\u{1b}[2J\u{202e}{}", "x".repeat(100_000));
    let text = runtime.execute(call(&hostile, nobody())).await.text();
    assert!(text.len() < 400 && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn registrations_race_with_reads_and_lose_nothing() {
    let runtime = runtime(&[]);
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let runtime = &runtime;
            threads.spawn(move || {
                let agent = runtime.scope(&format!("agent {thread}"));
                for n in 0..50 {
                    let name = format!("t{thread}-{n}");
                    runtime.register(echo(&name, &Counter::default())).expect("valid");
                    assert!(agent.get(&name).is_some(), "a registration is visible when it returns");
                }
            });
        }
    });
    assert_eq!(runtime.tools().len(), 200);
}

/// Reads the runtime when it is dropped, as a tool with a connection to close might.
struct ReadsOnDrop(ToolRuntime);

impl Drop for ReadsOnDrop {
    fn drop(&mut self) {
        let _ = self.0.schemas();
    }
}

#[test]
fn a_destructor_may_use_the_registry() {
    let runtime = runtime(&["t"]);
    let tool = |name: &str| {
        let held = ReadsOnDrop(runtime.clone());
        ToolDefinition::raw(name, "holds something").output_schema(JsonValue::empty_object()).body(
            move |args, _| {
                let _ = &held;
                async move { Ok(args) }
            },
        )
    };
    assert!(runtime.register(tool("t")).is_err(), "a duplicate");
    let registered = runtime.register(tool("u")).expect("valid");
    assert_eq!(runtime.tools().len(), 2);
    registered.dispose();
    assert_eq!(runtime.tools().len(), 1);
    let agent = runtime.scope("agent");
    agent.close();
    let held = ReadsOnDrop(runtime.clone());
    agent.guard(move |_| {
        let _ = &held;
        None
    });
}

#[test]
fn every_name_of_a_deny_list_is_denied_however_it_was_built() {
    let agent = runtime(&["rm", "mv", "ls"]).scope("agent");
    agent.restrict(ToolRestriction::deny(["rm"]).and_deny(["mv"])).expect("valid");
    assert_eq!(names(&agent), ["ls"], "R3");
}

#[test]
fn patterns_judge_tools_that_come_later() {
    let runtime = runtime(&["read", "write", "s__a"]);
    let agent = runtime.scope("agent");
    let matching = |allow: &[&str], deny: &[&str]| {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        ToolRestriction::matching(Some(texts(allow)), texts(deny))
    };
    agent.restrict(matching(&["read", "s__*"], &["s__rm*"])).expect("a pattern may fit nothing yet");
    assert_eq!(names(&agent), ["read", "s__a"]);
    for late in ["s__rm_all", "s__b", "t__c", "re", "reads"] {
        runtime.register(echo(late, &Counter::default())).expect("valid");
    }
    assert_eq!(names(&agent), ["read", "s__a", "s__b"], "R3, for what comes later as well");
    agent.restrict(ToolRestriction::matching(None, vec!["*".to_owned()])).expect("valid");
    assert_eq!(names(&agent), [""; 0]);
}

#[test]
fn a_restriction_names_what_is_inherited_and_something_at_all() {
    let agent = runtime(&["read"]).scope("agent");
    agent.register(echo("read", &Counter::default())).expect("a shadow");
    let refused = |restriction| agent.restrict(restriction).err();
    assert_eq!(
        refused(ToolRestriction::deny(["read"])),
        Some(RestrictionError::OwnNames(vec!["read".into()]))
    );
    assert_eq!(refused(ToolRestriction::deny(["x"])), Some(RestrictionError::UnknownNames(vec!["x".into()])));
    assert_eq!(refused(ToolRestriction::deny([""; 0])), Some(RestrictionError::EmptyFilter));
    assert_eq!(refused(ToolRestriction::default()), Some(RestrictionError::EmptyFilter));
}
