//! Words for a turn under way: they join the conversation before the next request, and a log with them can be replayed.

use std::sync::{Arc, OnceLock};

use toolgate::{CancellationToken, ContentBlock, RunContext, ToolError, tool_fn};
use toolgate_agent::{Steering, TurnLimits, replay_offline};
use toolgate_session::{Entry, Event, TurnOutcome};

use crate::support::{Nothing, Session, asks, hello, runtime, says};
use crate::transcript::is_valid;

fn words(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text)]
}

fn conversation(events: &[Event]) -> Vec<String> {
    let text =
        |content: &[ContentBlock]| content.iter().filter_map(ContentBlock::as_text).collect::<String>();
    let said = events.iter().filter_map(|event| match event {
        Event::UserMessage(message) => Some(format!("user: {}", text(&message.content))),
        Event::AssistantMessage(message) => Some(format!("model: {}", text(&message.content))),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn what_is_said_meanwhile_comes_before_the_next_request_and_keeps_the_turn_going() {
    let (builder, _) = runtime();
    let reached: Arc<OnceLock<Steering>> = Arc::default();
    let speaker = Arc::clone(&reached);
    let interrupts = tool_fn("interrupts", "Says something.", move |_: Nothing, _cx: RunContext| {
        speaker.get().unwrap().say(words("look at two")).unwrap();
        async { Ok::<_, ToolError>("said".to_owned()) }
    });
    let runtime = builder.tool(interrupts).build().unwrap();
    let session = Session::new();
    let answers = vec![asks(&[("interrupts", "{}")]), says("one"), says("two")];
    let mut agent = session.start(runtime.scope("agent"), answers).await;
    reached.set(agent.steering()).unwrap();
    let report = agent.turn(hello(), CancellationToken::new()).await;
    assert_eq!(report.unwrap().outcome, TurnOutcome::Completed);
    let events = session.events();
    assert_eq!(conversation(&events), ["user: hello", "model: ", "user: look at two", "model: one"]);
    is_valid(&events);

    // What no turn has taken in waits for the next one.
    agent.steering().say(words("and then")).unwrap();
    agent.turn(hello(), CancellationToken::new()).await.unwrap();
    assert_eq!(conversation(&session.events())[4..], ["user: hello", "user: and then", "model: two"]);
    agent.close().await;

    let records: Vec<_> = session.backend.read(session.id, 1, 1_000).unwrap();
    let records: Vec<_> = records
        .into_iter()
        .filter_map(|entry| if let Entry::Record(record) = entry { Some(*record) } else { None })
        .collect();
    let report =
        replay_offline(&records, session.id, runtime.scope("again"), TurnLimits::default()).await.unwrap();
    assert_eq!(report.divergence, None);
}

#[tokio::test]
async fn too_much_is_refused() {
    let (builder, _) = runtime();
    let session = Session::new();
    let agent = session.start(builder.build().unwrap().scope("agent"), Vec::new()).await;
    let steering = agent.steering();
    let taken = (0..100).filter(|_| steering.say(words("more")).is_ok()).count();
    assert_eq!(taken, 64);
    assert_eq!(steering.take().len(), 64);
}
