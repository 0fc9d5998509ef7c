//! K10, K11, Q1–Q4: several calls of one step; and what is in the log before what.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolgate::{RunContext, Schema, Tool, ToolError, ToolRuntime, UserMessage, tool_fn};
use toolgate_session::replay::{Message, messages};
use toolgate_session::{Event, TurnOutcome};

use crate::support::{Session, asks, hello, runtime, says, script, told, turn};
use toolgate::CancellationToken;
use toolgate_agent::{Agent, Live};

/// Arguments of a tool that waits for its turn.
#[derive(serde::Deserialize, Schema)]
struct After {
    /// How many other calls must have come to their end.
    after: usize,
    /// What to say.
    name: String,
}

/// A tool that may overlap, and that ends in a given order whatever the machine does.
struct Ordered(Arc<Mutex<Vec<String>>>);

impl Tool for Ordered {
    type Args = After;
    type Output = String;

    fn name(&self) -> Cow<'static, str> {
        "ordered".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Ends in a given order.".into()
    }

    fn is_concurrency_safe(&self, _args: &After) -> bool {
        true
    }

    async fn run(&self, args: After, _cx: RunContext) -> Result<String, ToolError> {
        while self.0.lock().unwrap().len() < args.after {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.0.lock().unwrap().push(args.name.clone());
        Ok(args.name)
    }
}

#[tokio::test]
async fn results_keep_model_order_and_the_log_shows_who_was_first() {
    let ended = Arc::new(Mutex::new(Vec::new()));
    let scope = ToolRuntime::builder().tool(Ordered(Arc::clone(&ended))).build().unwrap().scope("agent");
    let session = Session::new();
    let calls = [
        ("ordered", r#"{"after":2,"name":"a"}"#),
        ("ordered", r#"{"after":0,"name":"b"}"#),
        ("ordered", r#"{"after":1,"name":"c"}"#),
    ];
    let mut agent = session.start(scope, vec![asks(&calls), says("done")]).await;
    turn(&mut agent).await;
    assert_eq!(*ended.lock().unwrap(), ["b", "c", "a"]);
    let texts: Vec<String> = session.results().iter().map(|result| told(result).0).collect();
    assert_eq!(texts, ["a", "b", "c"]);
    let ends: Vec<String> = session
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::BodyEnded(body) => Some(body.call_id.as_str().to_owned()),
            _ => None,
        })
        .collect();
    let order: Vec<char> = ends.iter().filter_map(|id| id.chars().last()).collect();
    assert_eq!(order, ['2', '3', '1'], "the log shows that b finished first");
}

#[tokio::test]
async fn one_failing_call_leaves_its_siblings_alone() {
    let (builder, _) = runtime();
    let fails = tool_fn("fails", "Fails.", |_: crate::support::Nothing, _cx: RunContext| async {
        Err::<String, _>(ToolError::new("no"))
    });
    let scope = builder.tool(fails).build().unwrap().scope("agent");
    let session = Session::new();
    let calls = [("number", r#"{"n":1}"#), ("fails", "{}"), ("number", r#"{"n":3}"#), ("absent", "{}")];
    let mut agent = session.start(scope, vec![asks(&calls), says("done")]).await;
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    let results = session.results();
    let told: Vec<_> = results.iter().map(told).collect();
    assert_eq!(told[0], ("1".to_owned(), None));
    assert_eq!(told[1], ("Error: no".to_owned(), None));
    assert_eq!(told[2], ("3".to_owned(), None));
    assert_eq!(told[3].1, Some("UNKNOWN_TOOL"));
    let effects: Vec<bool> = session.calls().iter().map(|call| call.effect.is_some()).collect();
    assert_eq!(effects, [true, true, true, false]);
}

#[tokio::test]
async fn equal_ids_of_a_model_become_different_calls() {
    let (builder, _) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let step = || asks(&[("number", r#"{"n":1}"#), ("number", r#"{"n":2}"#)]);
    let mut agent = session.start(scope, vec![step(), step(), says("done")]).await;
    turn(&mut agent).await;
    let mut ids: Vec<String> = session.calls().iter().map(|call| call.call_id.to_string()).collect();
    let results: Vec<String> = session.results().iter().map(|result| result.call_id.to_string()).collect();
    assert_eq!(ids, results);
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn each_event_is_in_the_log_before_the_next_thing_happens() {
    let session = Arc::new(Session::new());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let looking = (Arc::clone(&session), Arc::clone(&seen));
    let tool = tool_fn("look", "Looks at the log.", move |_: crate::support::Nothing, cx: RunContext| {
        let (session, seen) = looking.clone();
        async move {
            seen.lock().unwrap().push(("body", session.kinds()));
            cx.defer_context(UserMessage::text("plugin", "remember"));
            Ok::<_, ToolError>("looked".to_owned())
        }
    });
    let before = (Arc::clone(&session), Arc::clone(&seen));
    let runtime = ToolRuntime::builder()
        .tool(tool)
        .guard(move |_| {
            before.1.lock().unwrap().push(("policy", before.0.kinds()));
            None
        })
        .build()
        .unwrap();
    let model = script(vec![asks(&[("look", "{}")]), says("done")]);
    let mut agent = Agent::builder(runtime.scope("agent"), model)
        .start(Arc::clone(&session.backend), session.id)
        .await
        .unwrap();
    let mut live = agent.watch();
    agent.turn(hello(), CancellationToken::new()).await.unwrap();
    let before_policy = ["turn/start", "user/message", "assistant/message", "tool/call"];
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen[0], ("policy", before_policy.to_vec()));
    let before_body = [&before_policy[..], &["tool/body-start"]].concat();
    assert_eq!(seen[1], ("body", before_body.clone()));
    let whole =
        [&before_body[..], &["tool/body-end", "tool/result", "assistant/message", "turn/end"]].concat();
    assert_eq!(session.kinds(), whole);

    // The context follows the batch.
    let said = messages(&session.events());
    let context = said.iter().position(|message| matches!(message, Message::User { source: Some(_), .. }));
    assert_eq!(context, Some(3), "{said:?}");

    // Whoever watches sees the same events, in order, with their places.
    let mut shown = Vec::new();
    while let Ok(item) = live.try_recv() {
        if let Live::Event { seq, event } = item {
            shown.push((seq, event.kind()));
        }
    }
    let places: Vec<_> = (1..).zip(whole).collect();
    assert_eq!(shown, places);
}
