//! The transport: one run from the program's text to the result.

use std::num::NonZeroUsize;

use futures_util::future::{Either, select};
use futures_util::stream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate::schedule::Lane;
use toolgate::{CodeProgram, CodeTransport, ContentBlock, JsonValue, RunContext, ToolDefinition, ToolError};
use toolgate_sandbox::{Failure, FailureKind, Globals, Language, Limits, Outcome, Program, Sandbox};
use toolgate_sdk::DEFAULT_BUDGET;

use crate::bridge::Bridge;
use crate::events::{DispatchSink, NoSink};
use crate::lookup::Lookup;
use crate::prompt::{declared, visible};
use crate::report;
use crate::together::together;

/// How many host calls wait between the sandbox and the lane. The sandbox holds the others back.
const WAITING: usize = 64;

/// What every run of a [`CodeMode`] keeps to.
#[derive(Clone, Debug)]
pub struct CodeModeConfig {
    /// The language of the programs.
    pub language: Language,
    /// What one program may use.
    pub limits: Limits,
    /// How many sub-calls overlap at most; one makes them serial.
    pub parallel: NonZeroUsize,
    /// How many tokens of declarations a prompt carries at most. Where the tools of a program have more, the program
    /// has the functions of [`Discovery`](toolgate_sdk::Discovery). Give [`prompt_sections`](crate::prompt_sections)
    /// the same.
    pub budget: usize,
}

impl CodeModeConfig {
    /// The defaults for programs of a language: those of [`Limits`], ten sub-calls at once, and 10,000 tokens.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self { language, limits: Limits::default(), parallel: Lane::DEFAULT_CAP, budget: DEFAULT_BUDGET }
    }
}

/// The code transport of a runtime: mount it with `ToolRuntime::builder().code_transport(…)` and present tools as
/// `code` or `both`.
///
/// A cancelled run stops its program and its sub-calls, and returns when they have come to rest.
#[derive(Debug)]
pub struct CodeMode<S, K = NoSink> {
    sandbox: S,
    sink: K,
    config: CodeModeConfig,
}

impl<S: Sandbox + Send + Sync + 'static> CodeMode<S> {
    /// Programs in a sandbox, whose sub-calls no log is told of.
    pub fn new(sandbox: S, config: CodeModeConfig) -> Self {
        Self { sandbox, sink: NoSink, config }
    }
}

impl<S, K> CodeMode<S, K> {
    /// The same, telling a log of the sub-calls.
    pub fn with_sink<L: DispatchSink>(self, sink: L) -> CodeMode<S, L> {
        CodeMode { sandbox: self.sandbox, sink, config: self.config }
    }
}

impl<S: Sandbox + Send + Sync + 'static, K: DispatchSink> CodeTransport for CodeMode<S, K> {
    fn language(&self) -> &str {
        declared(self.config.language).as_str()
    }

    async fn run(&self, program: CodeProgram, cx: RunContext) -> Result<JsonValue, ToolError> {
        let abort = CancellationToken::new();
        // Whatever ends this future ends the program and its sub-calls.
        let _guard = abort.clone().drop_guard();
        let mut bridge = Bridge::new(&cx, &self.sink);
        let (outcome, served) = self.serve(program, &cx, &abort, &mut bridge).await;
        if cx.call().scope().is_some() {
            self.sink.ended(cx.call(), &outcome).await;
        }
        served?;
        match &outcome.failure {
            None => {
                let unawaited = outcome.unawaited.iter().filter_map(|number| bridge.fate_of(*number));
                Ok(report::value(&outcome, &report::sub_call_lines(unawaited)))
            }
            Some(failure) => {
                // A program that is gone cannot say what it had done, so its calls do.
                let is_gone = failure.kind == FailureKind::Crash;
                let completed = if is_gone { report::sub_call_lines(bridge.started()) } else { Vec::new() };
                Err(report::failure(failure, &outcome, &completed))
            }
        }
    }

    fn render(&self, value: &JsonValue) -> Option<Vec<ContentBlock>> {
        Some(report::content(value))
    }
}

impl<S: Sandbox + Send + Sync + 'static, K: DispatchSink> CodeMode<S, K> {
    /// Runs the program and serves its calls until both have come to rest.
    async fn serve(
        &self,
        program: CodeProgram,
        cx: &RunContext,
        abort: &CancellationToken,
        bridge: &mut Bridge<'_, K>,
    ) -> (Outcome, Result<(), ToolError>) {
        let (calls, submitted) = mpsc::channel(WAITING);
        let program = Program { language: self.config.language, source: program.code };
        let tools = visible(tools(cx));
        let lookup = &Lookup::of(self.config.language, &tools, self.config.budget);
        let names = tools.iter().map(|tool| tool.name().to_owned()).chain(lookup.names()).collect();
        let globals = Globals { names };
        let limits = self.config.limits.clone();
        let running = async {
            let running = std::pin::pin!(self.sandbox.run(program, globals, limits, calls, abort.clone()));
            let cancelled = std::pin::pin!(cx.cancellation().cancelled());
            let outcome = match select(running, cancelled).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(((), running)) => {
                    abort.cancel();
                    running.await
                }
            };
            // The run has settled: nothing more starts, and what runs is stopped (rule C6).
            abort.cancel();
            if cx.is_cancelled() { stopped(outcome) } else { outcome }
        };
        // What the program has left behind never starts, and is listed all the same.
        let ended = &CancellationToken::new();
        let serving = async {
            let calls = stream::unfold(submitted, |mut submitted| async {
                loop {
                    let call = submitted.recv().await?;
                    if call.is_abandoned() {
                        ended.cancel();
                    }
                    if let Some(call) = lookup.answer(call) {
                        return Some((Bridge::<K>::submitted(cx, abort, call), submitted));
                    }
                }
            });
            let lane = Lane::new(self.config.parallel, cx.cancellation().or(abort.clone()).or(ended.clone()));
            let served = lane.run(calls, bridge).await;
            if served.is_err() {
                abort.cancel();
            }
            served
        };
        together(running, serving).await
    }
}

/// The outcome of a run whose caller has cancelled. A program may see its sub-calls fail before it is stopped itself;
/// what ended it is the cancellation all the same.
fn stopped(mut outcome: Outcome) -> Outcome {
    if let Some(failure) = &mut outcome.failure
        && failure.kind == FailureKind::Exception
    {
        *failure = Failure::new(FailureKind::Abort, "the run was cancelled");
    }
    outcome
}

/// The tools of the calling scope.
fn tools(cx: &RunContext) -> Vec<ToolDefinition> {
    match cx.call().scope() {
        Some(scope) => scope.tools(),
        None => cx.runtime().tools(),
    }
}
