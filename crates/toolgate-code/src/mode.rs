//! The transport: one run from the program's text to the result.

use std::fmt;
use std::future::{Future, pending};
use std::num::NonZeroUsize;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, select};
use futures_util::stream;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolgate::schedule::Lane;
use toolgate::{
    CodeProgram, CodeTransport, ContentBlock, JsonValue, RunContext, ToolDefinition, ToolError, ToolExecution,
};
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
pub struct CodeMode<S, K = NoSink> {
    sandbox: S,
    sink: K,
    config: CodeModeConfig,
    clock: Option<Box<Clock>>,
}

/// Waits until so much time has passed for a call.
type Clock = dyn Fn(&ToolExecution, Duration) -> BoxFuture<'static, ()> + Send + Sync;

impl<S: Sandbox + Send + Sync + 'static> CodeMode<S> {
    /// Programs in a sandbox, whose sub-calls no log is told of.
    pub fn new(sandbox: S, config: CodeModeConfig) -> Self {
        Self { sandbox, sink: NoSink, config, clock: None }
    }
}

impl<S, K> CodeMode<S, K> {
    /// The same, telling a log of the sub-calls.
    pub fn with_sink<L: DispatchSink>(self, sink: L) -> CodeMode<S, L> {
        CodeMode { sandbox: self.sandbox, sink, config: self.config, clock: self.clock }
    }

    /// The same with somebody else's clock for the wall time of programs, such as one that stands still while a person is
    /// asked about a sub-call. The clock gets the call of the program and the limit, and is ready when so much time has
    /// passed; its time begins when the sandbox is asked to run the program. The processor time has a clock of its own.
    #[must_use]
    pub fn with_clock<F: Future<Output = ()> + Send + 'static>(
        mut self,
        clock: impl Fn(&ToolExecution, Duration) -> F + Send + Sync + 'static,
    ) -> Self {
        self.clock = Some(Box::new(move |call, limit| Box::pin(clock(call, limit))));
        self
    }
}

impl<S: fmt::Debug, K: fmt::Debug> fmt::Debug for CodeMode<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sandbox, sink, config, clock } = self;
        f.debug_struct("CodeMode")
            .field("sandbox", sandbox)
            .field("sink", sink)
            .field("config", config)
            .field("has_clock", &clock.is_some())
            .finish()
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
        let mut limits = self.config.limits.clone();
        let wall = limits.wall;
        let is_late = match &self.clock {
            Some(clock) => {
                limits.wall = Duration::MAX;
                clock(cx.call(), wall)
            }
            None => Box::pin(pending()),
        };
        let running = async {
            let running = std::pin::pin!(self.sandbox.run(program, globals, limits, calls, abort.clone()));
            let cancelled = std::pin::pin!(cx.cancellation().cancelled());
            let outcome = match select(running, select(cancelled, is_late)).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right((end, running)) => {
                    abort.cancel();
                    let outcome = running.await;
                    match end {
                        Either::Left(_) => outcome,
                        Either::Right(_) => late(outcome, wall),
                    }
                }
            };
            // The run has settled: nothing more starts, and what runs is stopped (rule C6).
            abort.cancel();
            if cx.is_cancelled() { stopped(outcome) } else { outcome }
        };
        // Whatever a program that has ended left behind is stopped or never starts (rule C6), also while calls that
        // nobody takes yet hold back its outcome. It is listed all the same.
        let ended = &abort.child_token();
        let (first, submitted_first) = oneshot::channel();
        let serving = async {
            let calls = stream::unfold((submitted, Some(first)), |(mut submitted, mut first)| async {
                loop {
                    let call = submitted.recv().await?;
                    if call.is_abandoned() {
                        ended.cancel();
                    }
                    if let Some(first) = first.take() {
                        // The watch goes on as long as the serving does.
                        let _ = first.send(call.abandoned());
                    }
                    if let Some(call) = lookup.answer(call) {
                        return Some((Bridge::<K>::submitted(cx, ended, call), (submitted, first)));
                    }
                }
            });
            let lane = Lane::new(self.config.parallel, cx.cancellation().or(ended.clone()));
            let serving = std::pin::pin!(lane.run(calls, bridge));
            let watching = std::pin::pin!(async {
                match submitted_first.await {
                    Ok(abandoned) => abandoned.await,
                    Err(_) => pending().await,
                }
                ended.cancel();
            });
            let served = match select(serving, watching).await {
                Either::Left((served, _)) => served,
                Either::Right(((), serving)) => serving.await,
            };
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

/// The outcome of a run that was stopped because its wall time was used up, unless it ended by itself just then.
fn late(mut outcome: Outcome, wall: Duration) -> Outcome {
    if let Some(failure) = &mut outcome.failure
        && matches!(failure.kind, FailureKind::Exception | FailureKind::Abort)
    {
        *failure = Failure::new(FailureKind::Timeout, format!("the program ran for longer than {wall:?}"));
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
