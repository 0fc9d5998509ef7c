//! K72: an answer that is lost is asked for again only where the declared effect makes that safe.

use std::fs;
use std::path::{Path, PathBuf};

use toolgate::{CancellationToken, RunContext, Tool, ToolEffect, ToolError, ToolRuntime, tool_fn};
use toolgate_policy::LostAnswers;
use toolgate_session::Event;

use crate::support::{Nothing, Session, asks, says, told, turn};
use crate::transcript::is_valid;

/// Adds a line to a file, as the far side of a connection would, and then loses the answer a few times.
fn loses(path: PathBuf, answers_lost: usize, effect: ToolEffect) -> impl Tool {
    tool_fn("increments", "Increments.", move |_: Nothing, cx: RunContext| {
        let path = path.clone();
        async move {
            let mut lines = fs::read_to_string(&path).unwrap_or_default();
            lines.push_str(&format!("{}\n", cx.call().call_id()));
            fs::write(&path, &lines).unwrap();
            match lines.lines().count() {
                done if done <= answers_lost => Err(ToolError::answer_lost("the connection broke")),
                done => Ok(done as u64),
            }
        }
    })
    .effect(effect)
}

async fn outcome(
    path: &Path,
    answers_lost: usize,
    effect: ToolEffect,
) -> (String, Option<String>, Vec<Event>) {
    let tool = loses(path.to_owned(), answers_lost, effect);
    let runtime = ToolRuntime::builder().tool(tool).on_execute(LostAnswers::new()).build().unwrap();
    let session = Session::new();
    let mut agent =
        session.start(runtime.scope("agent"), vec![asks(&[("increments", "{}")]), says("done")]).await;
    turn(&mut agent).await;
    is_valid(&session.events());
    let results = session.results();
    let (text, code) = told(&results[0]);
    (text, code.map(str::to_owned), session.events())
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_only_where_that_is_safe() {
    use ToolEffect::{Idempotent, Keyed, NonIdempotent, Pure};
    for (effect, lost, done, text, code) in [
        (NonIdempotent, 1, 1, "Error: effect unknown: the connection broke", Some("ANSWER_LOST")),
        (NonIdempotent, 0, 1, "1", None),
        (Pure, 1, 2, "2", None),
        (Idempotent, 1, 2, "2", None),
        (Keyed, 1, 2, "2", None),
        (Idempotent, 9, 2, "Error: the connection broke", Some("ANSWER_LOST")),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("count");
        let (said, its_code, events) = outcome(&path, lost, effect).await;
        assert!(said.starts_with(text), "{effect:?}: {said}");
        assert_eq!(its_code.as_deref(), code, "{effect:?}");
        let lines = fs::read_to_string(&path).unwrap();
        let ids: Vec<&str> = lines.lines().collect();
        assert_eq!(ids.len(), done, "{effect:?}: what the file says");
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "every attempt has the same key: {ids:?}");
        // Each attempt is in the log.
        let attempts: Vec<u64> = events
            .iter()
            .filter_map(|event| match event {
                Event::BodyStarted(body) => Some(body.attempt),
                _ => None,
            })
            .collect();
        assert_eq!(attempts, (1..=done as u64).collect::<Vec<_>>(), "{effect:?}");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_not_tried_again() {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let tool = tool_fn("loses", "Loses its answer.", move |_: Nothing, _cx: RunContext| {
        stopping.cancel();
        async { Err::<String, _>(ToolError::answer_lost("the connection broke")) }
    })
    .effect(ToolEffect::Pure);
    let runtime = ToolRuntime::builder().tool(tool).on_execute(LostAnswers::new()).build().unwrap();
    let session = Session::new();
    let mut agent = session.start(runtime.scope("agent"), vec![asks(&[("loses", "{}")])]).await;
    agent.turn(crate::support::hello(), stop).await.unwrap();
    assert_eq!(session.kinds().iter().filter(|kind| **kind == "tool/body-start").count(), 1);
}
