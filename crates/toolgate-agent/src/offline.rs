//! Replay without a model and without tools: the loop runs again over what a log holds, and has to write the same.
//!
//! Model answers and tool results are the recorded ones. What is made anew is everything between them: how texts of
//! arguments are read, ids, the order of results, contexts, limits, the ends of turns. A difference means that this version
//! would not have acted as the one that wrote the log. Nothing is run, asked or sent.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use toolgate::{CallId, CancellationToken, ContentBlock, Scope};
use toolgate_session::{
    AssistantMessage, Backend, Entries, Entry, Event, MemoryBackend, Record, SessionId, StoreError,
    ToolResultRecorded, TurnEnd, TurnOutcome,
};

use crate::agent::{Agent, OpenError, TurnLimits};
use crate::model::{Answer, Model, ModelError, ModelRequest, is_cut_off};
use crate::steering::Steering;
use crate::turn::{INTERRUPTED, TurnError};

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayReport {
    /// How many turns were run again.
    pub turns: usize,
    /// How many events were compared.
    pub compared: usize,
    /// The first event that is not the same; none where all are.
    pub divergence: Option<Divergence>,
}

/// An event that a replay does not write again.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// Its place in the log; none where the replay writes more than the log holds.
    pub seq: Option<u64>,
    /// What the log holds.
    pub recorded: Option<Event>,
    /// What the replay writes instead.
    pub replayed: Option<Event>,
}

/// The replay itself failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The copy of the session cannot be kept.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The copy of the session cannot be written.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// The copy of the session cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Runs a session again, from its records.
///
/// `scope` says which tools there are; none of them is called. A turn that was interrupted, or whose process died, is compared as far as it
/// came.
///
/// # Errors
/// [`ReplayError`] where the copy, which is kept in memory, fails.
pub async fn replay_offline(
    records: &[Record],
    id: SessionId,
    scope: Scope,
    limits: TurnLimits,
) -> Result<ReplayReport, ReplayError> {
    let turns = turns_of(records);
    let count = turns.len();
    let state = Arc::new(Mutex::new(Current::default()));
    let model = RecordedModel { name: model_name(records), state: Arc::clone(&state) };
    let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let builder = Agent::builder(scope, model).limits(limits).recorded(Arc::new(results_of(records)));
    let mut agent = builder.start(Arc::clone(&backend), id).await?;
    let steering = agent.steering();
    for RecordedTurn { said, mut words, answers, end } in turns {
        let stop = CancellationToken::new();
        steer(&steering, words.pop_front());
        *state.lock().unwrap_or_else(PoisonError::into_inner) =
            Current { steering: steering.clone(), words, answers, end, stop: stop.clone() };
        agent.turn(said, stop).await?;
    }
    agent.close().await;
    let replayed = all_events(&*backend, id)?;
    Ok(compare(records, &replayed, count))
}

/// One turn of the log.
#[derive(Default)]
struct RecordedTurn {
    said: Vec<ContentBlock>,
    /// What was said meanwhile, before each answer and behind the last one.
    words: VecDeque<Words>,
    answers: VecDeque<AssistantMessage>,
    end: Option<TurnEnd>,
}

/// Messages that came before one request.
type Words = Vec<Vec<ContentBlock>>;

fn steer(steering: &Steering, words: Option<Words>) {
    for said in words.into_iter().flatten() {
        // More than may wait was never taken in at once.
        let _ = steering.say(said);
    }
}

fn turns_of(records: &[Record]) -> Vec<RecordedTurn> {
    let mut turns: Vec<RecordedTurn> = Vec::new();
    for record in records {
        match (&record.event, turns.last_mut()) {
            (Event::TurnStart(_), _) => turns.push(RecordedTurn::default()),
            (Event::UserMessage(message), Some(turn)) if turn.said.is_empty() => {
                turn.said.clone_from(&message.content);
                turn.words.push_back(Words::new());
            }
            (Event::UserMessage(message), Some(turn)) => {
                turn.words.back_mut().into_iter().for_each(|words| words.push(message.content.clone()));
            }
            (Event::AssistantMessage(message), Some(turn)) => {
                turn.answers.push_back(message.clone());
                turn.words.push_back(Words::new());
            }
            (Event::TurnEnd(end), Some(turn)) => turn.end = Some(end.clone()),
            _ => {}
        }
    }
    turns
}

fn results_of(records: &[Record]) -> HashMap<CallId, ToolResultRecorded> {
    let results = records.iter().filter_map(|record| {
        let Event::ToolResult(result) = &record.event else { return None };
        Some((result.call_id.clone(), result.clone()))
    });
    results.collect()
}

fn model_name(records: &[Record]) -> String {
    let named = records.iter().find_map(|record| {
        let Event::TurnStart(start) = &record.event else { return None };
        start.model.clone()
    });
    named.unwrap_or_default()
}

/// The turn that is run again now.
#[derive(Default)]
struct Current {
    steering: Steering,
    /// What was said before each further request.
    words: VecDeque<Words>,
    answers: VecDeque<AssistantMessage>,
    end: Option<TurnEnd>,
    stop: CancellationToken,
}

/// A model that says what it said before, and then ends as it ended.
struct RecordedModel {
    name: String,
    state: Arc<Mutex<Current>>,
}

impl RecordedModel {
    fn next(&self) -> (Option<AssistantMessage>, Option<TurnEnd>, CancellationToken) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let words = state.words.pop_front();
        steer(&state.steering, words);
        (state.answers.pop_front(), state.end.clone(), state.stop.clone())
    }
}

impl Model for RecordedModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn answer(&self, _request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        let (said, end, stop) = self.next();
        let Some(said) = said else {
            return match end {
                Some(TurnEnd { outcome: TurnOutcome::Failed, reason, .. }) => {
                    Err(ModelError::Recorded(reason.unwrap_or_default()))
                }
                // The turn went no further: it was interrupted, its process died, or its limit was another one.
                Some(_) | None => {
                    stop.cancel();
                    std::future::pending().await
                }
            };
        };
        for text in said.content.iter().filter_map(ContentBlock::as_text) {
            answer.text(text)?;
        }
        if said.stop.as_deref() == Some(INTERRUPTED) {
            stop.cancel();
            return std::future::pending().await;
        }
        for (key, call) in (0..).zip(&said.calls) {
            answer.call(key, &call.model_id, &call.name, &call.arguments)?;
        }
        if let Some(word) = &said.stop {
            answer.stop(word.as_str(), is_cut_off(word));
        }
        if let Some(usage) = said.usage {
            answer.usage(usage);
        }
        Ok(())
    }
}

/// The streams in which order is promised. Between them a scheduler may choose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Conversation,
    Calls,
    Results,
}

fn stream_of(event: &Event) -> Option<Stream> {
    match event {
        Event::UserMessage(_) | Event::AssistantMessage(_) => Some(Stream::Conversation),
        // How a turn ended by itself follows from the log; what ended it from outside does not.
        Event::TurnEnd(end) => match end.outcome {
            TurnOutcome::Completed | TurnOutcome::Failed => Some(Stream::Conversation),
            TurnOutcome::Interrupted | TurnOutcome::LimitReached | TurnOutcome::Crashed => None,
        },
        Event::ToolCall(_) => Some(Stream::Calls),
        Event::ToolResult(_) => Some(Stream::Results),
        Event::TurnStart(_)
        | Event::BodyStarted(_)
        | Event::BodyEnded(_)
        | Event::SubagentStarted(_)
        | Event::CodeDispatchStart(_)
        | Event::CodeDispatch(_)
        | Event::ApprovalAsked(_)
        | Event::ApprovalDecided(_) => None,
    }
}

fn compare(records: &[Record], replayed: &[Event], turns: usize) -> ReplayReport {
    let recovered: Vec<&CallId> = records
        .iter()
        .filter_map(|record| {
            let Event::ToolResult(result) = &record.event else { return None };
            result.settlement.is_some().then_some(&result.call_id)
        })
        .collect();
    let mut compared = 0;
    let mut first: Option<Divergence> = None;
    for stream in [Stream::Conversation, Stream::Calls, Stream::Results] {
        let mut left = records.iter().filter(|record| stream_of(&record.event) == Some(stream));
        let mut right = replayed.iter().filter(|event| stream_of(event) == Some(stream));
        loop {
            let (recorded, replayed) = (left.next(), right.next());
            if recorded.is_none() && replayed.is_none() {
                break;
            }
            if let (Some(recorded), Some(replayed)) = (recorded, replayed)
                && is_same(&recorded.event, replayed, &recovered)
            {
                compared += 1;
                continue;
            }
            let found = Divergence {
                seq: recorded.map(|record| record.seq),
                recorded: recorded.map(|record| record.event.clone()),
                replayed: replayed.cloned(),
            };
            let place = |divergence: &Divergence| divergence.seq.unwrap_or(u64::MAX);
            if first.as_ref().is_none_or(|first| place(&found) < place(first)) {
                first = Some(found);
            }
            break;
        }
    }
    ReplayReport { turns, compared, divergence: first }
}

/// Whether an event is written again. What a tool declares today is no part of what happened then, and a call that only recovery
/// wrote was never read.
fn is_same(recorded: &Event, replayed: &Event, recovered: &[&CallId]) -> bool {
    match (recorded, replayed) {
        (Event::ToolCall(recorded), Event::ToolCall(replayed)) => {
            let is_recovered = recovered.contains(&&recorded.call_id);
            recorded.call_id == replayed.call_id
                && recorded.name == replayed.name
                && (is_recovered
                    || recorded.arguments == replayed.arguments && recorded.normalized == replayed.normalized)
        }
        (recorded, replayed) => recorded == replayed,
    }
}

fn all_events(backend: &dyn Backend, id: SessionId) -> Result<Vec<Event>, StoreError> {
    let events = Entries::new(backend, id, 1).map(|entry| match entry? {
        Entry::Record(record) => Ok(record.event),
        Entry::Damaged(damage) => Err(StoreError::Damaged { id, reason: damage.reason }),
    });
    events.collect()
}
