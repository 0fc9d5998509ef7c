//! One turn: from a message to the moment when the agent has nothing more to do.
//!
//! A step asks the model and makes the calls that it wants. Every event is in the log before the next thing happens; when
//! the log fails, the turn stops where it is and nothing more runs.

use futures_util::future::{Either, select};
use toolgate::{CallId, CancellationToken, ContentBlock};
use toolgate_session::{
    AssistantMessage, Event, LogError, RequestedCall, TurnEnd, TurnOutcome, TurnStart, Usage, UserEntry,
    replay,
};

use crate::agent::{Agent, OpenError};
use crate::model::{Answer, AskedCall, ModelError, ModelRequest, tokens_of};
use crate::step::Step;

/// How a turn ended, which is in the log by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnReport {
    /// The turn, from 1.
    pub turn: u64,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// More, in words.
    pub reason: Option<String>,
    /// How often the model was asked.
    pub steps: u64,
    /// What all requests of the turn cost together, as far as the provider says.
    pub usage: Usage,
    /// What the model said last.
    pub text: String,
}

/// The session can no longer be written. What is in the log stays good: resuming closes the turn.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// An event could not be written, so nothing more was run.
    #[error("the turn was stopped, because nothing may run that is not logged")]
    Log(#[from] LogError),
    /// The turn before this one was left open and could not be closed.
    #[error("the turn that was given up before this one cannot be closed")]
    Close(#[source] OpenError),
}

/// Why an answer stopped that somebody interrupted.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// What the turn does next.
enum Flow {
    Continue,
    End(TurnOutcome, Option<String>),
}

impl Flow {
    fn end(outcome: TurnOutcome, reason: impl Into<String>) -> Self {
        Self::End(outcome, Some(reason.into()))
    }
}

/// What a turn has counted so far.
#[derive(Default)]
struct Progress {
    steps: u64,
    usage: Usage,
    text: String,
    /// How large the last request and its answer were, in the provider's count.
    context: u64,
    /// How large the last request was, by estimate.
    request: u64,
}

impl Agent {
    /// Works on a message until the model has nothing more to do, a tool concludes the turn, a limit is reached, or
    /// `stop` fires.
    ///
    /// To interrupt, fire `stop` and await: what runs is asked to stop and awaited, every call has its result, and the next
    /// turn goes on from there (case K14). Dropping the future instead leaves the turn open; the next turn closes it
    /// first, as after a crash.
    ///
    /// # Errors
    /// [`TurnError`] where the log fails. A failing model ends the turn, which is a report.
    pub async fn turn(
        &mut self,
        content: Vec<ContentBlock>,
        stop: CancellationToken,
    ) -> Result<TurnReport, TurnError> {
        if self.history.is_open {
            self.close_abandoned().await.map_err(TurnError::Close)?;
        }
        let turn = self.history.turns.saturating_add(1);
        let start = TurnStart {
            turn,
            scope: self.scope.name().to_owned(),
            workspace: self.workspace.clone(),
            model: Some(self.model.name().to_owned()),
            parent: self.parent.clone(),
        };
        let said = UserEntry { source: None, content, meta: None };
        // Whatever comes of the append, the turn may be in the log.
        self.history.is_open = true;
        self.log(vec![Event::TurnStart(start), Event::UserMessage(said)]).await?;
        let mut progress = Progress::default();
        self.spent.reset();
        let (outcome, reason) = loop {
            match self.step(&mut progress, &stop).await? {
                Flow::Continue => {}
                Flow::End(outcome, reason) => break (outcome, reason),
            }
        };
        self.log(vec![Event::TurnEnd(TurnEnd { turn, outcome, reason: reason.clone() })]).await?;
        let Progress { steps, usage, text, .. } = progress;
        Ok(TurnReport { turn, outcome, reason, steps, usage, text })
    }

    /// Asks the model once and makes the calls that it wants.
    async fn step(&mut self, progress: &mut Progress, stop: &CancellationToken) -> Result<Flow, LogError> {
        let limits = self.limits;
        if stop.is_cancelled() {
            return Ok(Flow::end(TurnOutcome::Interrupted, "the turn was interrupted"));
        }
        if progress.steps >= limits.steps {
            let reason = format!(
                "the turn reached its limit of {} step{}",
                limits.steps,
                if limits.steps == 1 { "" } else { "s" }
            );
            return Ok(Flow::end(TurnOutcome::LimitReached, reason));
        }
        self.take_in_steering().await?;
        let request = match self.request() {
            Ok(request) => request,
            Err(reason) => return Ok(Flow::end(TurnOutcome::Failed, reason)),
        };
        let tokens = request.estimated_tokens().max(progress.context);
        if tokens > limits.context_tokens {
            let most = limits.context_tokens;
            let reason = format!(
                "the next request would have about {tokens} tokens, and its limit is {most}\nhint: begin a new session \
                 with a summary of this one, or raise the limit"
            );
            return Ok(Flow::end(TurnOutcome::LimitReached, reason));
        }
        let spent = self.spent.so_far();
        if spent >= limits.turn_tokens {
            let most = limits.turn_tokens;
            let reason = format!(
                "the turn has used about {spent} tokens, and its limit is {most}\nhint: go on in another turn, or raise the \
                 limit"
            );
            return Ok(Flow::end(TurnOutcome::LimitReached, reason));
        }
        progress.steps += 1;
        progress.request = request.estimated_tokens();
        let mut answer = Answer::watched(self.recorder.live().clone());
        let asked = self.ask(&request, &mut answer, stop).await;
        match asked {
            Some(Ok(())) => {}
            Some(Err(error)) => return Ok(Flow::end(TurnOutcome::Failed, error.to_string())),
            None => {
                self.keep_what_was_said(answer, progress).await?;
                return Ok(Flow::end(TurnOutcome::Interrupted, "the turn was interrupted"));
            }
        }
        self.act_on(answer, progress, stop).await
    }

    /// Adds what was said meanwhile to the conversation.
    async fn take_in_steering(&mut self) -> Result<(), LogError> {
        let said = self.steering.take();
        if said.is_empty() {
            return Ok(());
        }
        let message = |content| Event::UserMessage(UserEntry { source: None, content, meta: None });
        self.log(said.into_iter().map(message).collect()).await
    }

    /// The next request, which depends on nothing but the log, the scope and the prompt.
    fn request(&self) -> Result<ModelRequest, String> {
        let tools = self.scope.wire_schemas().map_err(|error| error.to_string())?;
        Ok(ModelRequest {
            system: self.prompt.assemble(&self.scope),
            messages: replay::messages(&self.history.events),
            tools,
        })
    }

    /// The answer of the model; none where the turn was interrupted first.
    async fn ask(
        &self,
        request: &ModelRequest,
        answer: &mut Answer,
        stop: &CancellationToken,
    ) -> Option<Result<(), ModelError>> {
        let asking = self.model.answer(request, answer);
        let stopped = std::pin::pin!(stop.cancelled());
        match select(asking, stopped).await {
            Either::Left((outcome, _)) => Some(outcome),
            Either::Right(((), _)) => None,
        }
    }

    /// Keeps the text that somebody has seen already. Calls that were not whole are given up.
    async fn keep_what_was_said(&mut self, answer: Answer, progress: &mut Progress) -> Result<(), LogError> {
        if answer.text.is_empty() {
            return Ok(());
        }
        progress.text.clone_from(&answer.text);
        let message = AssistantMessage {
            content: vec![ContentBlock::text(answer.text)],
            calls: Vec::new(),
            stop: Some(INTERRUPTED.to_owned()),
            usage: answer.usage,
        };
        self.log(vec![Event::AssistantMessage(message)]).await
    }

    /// Logs a whole answer, and makes its calls.
    async fn act_on(
        &mut self,
        answer: Answer,
        progress: &mut Progress,
        stop: &CancellationToken,
    ) -> Result<Flow, LogError> {
        let Answer { text, calls, stop: word, is_cut_off, usage, .. } = answer;
        self.spent.add(match usage {
            Some(usage) => usage.input.saturating_add(usage.output),
            None => progress.request.saturating_add(answer_tokens(&text, &calls)),
        });
        if let Some(usage) = usage {
            progress.usage.input = progress.usage.input.saturating_add(usage.input);
            progress.usage.output = progress.usage.output.saturating_add(usage.output);
            progress.context = usage.input.saturating_add(usage.output);
        }
        progress.text.clone_from(&text);
        let numbers = self.history.calls + 1..;
        let calls: Vec<RequestedCall> = numbers
            .zip(calls)
            .map(|(number, call)| RequestedCall {
                // Models repeat their ids; this one is never given twice, in no session.
                call_id: CallId::new(format!("{}-{number}", self.id)),
                model_id: call.id,
                name: call.name,
                arguments: call.arguments,
            })
            .collect();
        let content = if text.is_empty() { Vec::new() } else { vec![ContentBlock::text(text)] };
        let message = AssistantMessage { content, calls: calls.clone(), stop: word, usage };
        self.log(vec![Event::AssistantMessage(message)]).await?;
        if calls.is_empty() {
            return Ok(if is_cut_off {
                Flow::end(TurnOutcome::LimitReached, "the model's answer reached the limit of its output")
            } else if !self.steering.is_empty() {
                Flow::Continue
            } else {
                Flow::End(TurnOutcome::Completed, None)
            });
        }
        let mut step = Step {
            scope: &self.scope,
            recorder: &self.recorder,
            attempts: &self.attempts,
            recorded: self.recorded.as_deref(),
            root: self.root.as_ref(),
            results: Vec::with_capacity(calls.len()),
        };
        step.run(&calls, is_cut_off, self.limits.parallel, stop).await?;
        let results = step.results;
        let concludes = results.iter().any(|result| result.concludes_turn);
        results.into_iter().for_each(|result| self.history.note(Event::ToolResult(result)));
        Ok(if stop.is_cancelled() {
            Flow::end(TurnOutcome::Interrupted, "the turn was interrupted")
        } else if concludes {
            Flow::End(TurnOutcome::Completed, Some("a tool concluded the turn".to_owned()))
        } else {
            Flow::Continue
        })
    }

    /// Appends events, and takes them in once they are in the log.
    async fn log(&mut self, events: Vec<Event>) -> Result<(), LogError> {
        self.recorder.append_all(events.clone()).await?;
        events.into_iter().for_each(|event| self.history.note(event));
        Ok(())
    }
}

/// How many tokens an answer has, roughly, where its provider does not say.
fn answer_tokens(text: &str, calls: &[AskedCall]) -> u64 {
    let calls: usize = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    tokens_of(text.len() + calls)
}
