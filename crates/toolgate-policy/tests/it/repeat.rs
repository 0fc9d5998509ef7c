//! The repeat reminder: equal calls with equal results in a row, of one agent, and nothing else.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_policy::RepeatReminder;

use crate::support::{Counter, build, call, tool};

fn runtime() -> ToolRuntime {
    let runs = Counter::default();
    let count = tool("count").body(move |_, _| {
        runs.add();
        let runs = runs.get();
        async move { Ok(json!(runs)) }
    });
    let same = tool("same").body(|args, _| async move { Ok(args) });
    let fails = tool("fails").body(|_, _| async { Err::<JsonValue, _>(ToolError::new("no such file")) });
    let nested = tool("nested").body(|args: JsonValue, cx: RunContext| async move {
        for _ in 0..6 {
            let result = cx.runtime().execute(cx.nested_call("same", args.clone())).await;
            cx.forward(&result);
        }
        Ok(args)
    });
    let builder = ToolRuntime::builder().on_post_execute(RepeatReminder::default());
    build(builder, [count, same, fails, nested])
}

/// Which of the calls got a reminder, counted from 1.
async fn reminded(runtime: &ToolRuntime, calls: &[(&str, &str, Value)]) -> Vec<usize> {
    let mut reminded = Vec::new();
    for (number, (agent, name, arguments)) in (1..).zip(calls) {
        let result = runtime.scope(agent).execute(call(name, arguments.clone())).await;
        if let [context] = result.additional_contexts() {
            assert_eq!(context.source(), "repeat-reminder");
            let text = context.content()[0].as_text().expect("a text");
            assert!(text.contains(&format!("`{name}`")), "{text}");
            reminded.push(number);
        }
    }
    reminded
}

#[tokio::test]
async fn only_equal_calls_in_a_row_are_reminded_of() {
    let one = json!({ "a": 1 });
    let two = json!({ "a": 2 });
    let times = |count: usize, agent, name, args: &Value| vec![(agent, name, args.clone()); count];
    for (what, calls, expected) in [
        ("equal calls", times(7, "agent", "same", &one), vec![3, 6]),
        ("failing calls", times(4, "agent", "fails", &one), vec![3]),
        ("two are no habit", times(2, "agent", "same", &one), vec![]),
        ("results that differ", times(7, "agent", "count", &one), vec![]),
        ("a program's or a tool's own calls", times(2, "agent", "nested", &one), vec![]),
        (
            "another call in between",
            [
                times(2, "agent", "same", &one),
                times(2, "agent", "same", &two),
                times(2, "agent", "same", &one),
            ]
            .concat(),
            vec![],
        ),
        (
            "another agent in between",
            [
                times(2, "agent", "same", &one),
                times(2, "other", "same", &one),
                times(1, "agent", "same", &one),
            ]
            .concat(),
            vec![5],
        ),
    ] {
        assert_eq!(reminded(&runtime(), &calls).await, expected, "{what}");
    }
}

/// Says something of its own about every result.
struct Comment;

impl PostExecute for Comment {
    async fn post_execute(
        &self,
        _: &ToolExecution,
        _: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        Ok(next.run().await?.with_contexts(vec![UserMessage::text("comment", "first")]))
    }
}

#[tokio::test]
async fn what_others_say_stays() {
    let once = std::num::NonZeroU32::MIN;
    let builder =
        ToolRuntime::builder().on_post_execute(RepeatReminder::after(once)).on_post_execute(Comment);
    let runtime = build(builder, [tool("same").body(|args, _| async move { Ok(args) })]);
    let result = runtime.execute(call("same", json!({}))).await;
    let sources: Vec<_> = result.additional_contexts().iter().map(UserMessage::source).collect();
    assert_eq!(sources, ["comment", "repeat-reminder"]);
}

#[tokio::test]
async fn many_agents_are_many_and_not_too_many() {
    let runtime = runtime();
    for agent in 0..2_500 {
        let calls = vec![("", "same", json!({})); 2];
        let scope = runtime.scope(&format!("agent-{agent}"));
        for (_, name, arguments) in calls {
            assert!(scope.execute(call(name, arguments)).await.additional_contexts().is_empty());
        }
    }
    assert_eq!(reminded(&runtime, &vec![("last", "same", json!({})); 3]).await, [3]);
}
