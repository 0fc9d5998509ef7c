//! [`Deadlines`]: the policy, as a wrapper around the body and a listener outside all others.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate::result::code;
use toolgate::{CodeDispatchLog, CodeDispatchLogListener, ToolFailure};

use super::config::DeadlineConfig;
use super::report::{DeadlineCounts, DeadlineReport, DeadlineStage, Report, Tally, count};
use super::watchdog::Watchdog;
use super::within::{Late, within};
use crate::duration::text_of;
use crate::person::PersonClock;

/// Ends what takes too long. Install it as a plugin, before other hooks or after them: it goes outside all that are there.
///
/// - A body past its limit is asked to stop through its cancellation and awaited; what it answers as an abort becomes
///   `TOOL_TIMEOUT`, followed by its own words where it has any. A failure with another code says more and stays, and so does an abort of a caller who was first.
/// - With a grace, a body that does not stop is dropped where it stands. The answer is `TOOL_TIMEOUT` and says that the
///   effect is unknown. Work that the body had moved elsewhere, such as to a thread, goes on.
/// - A listener or approver past the stage deadline is dropped, and the call fails closed with the cause `stage_timeout`.
///   A late listener on a dispatch log costs only its own copy.
/// - While a person is asked, by [`People`](crate::person::People) that share the [`PersonClock`], no time passes for
///   the call that asks, nor for any other under the same root call.
///
/// It needs a tokio runtime with time. It starts no task; one thread per policy looks after bodies that block theirs.
#[derive(Clone)]
pub struct Deadlines {
    config: Arc<DeadlineConfig>,
    clock: PersonClock,
    tally: Arc<Tally>,
    report: Arc<Report>,
    watchdog: Watchdog,
}

impl Deadlines {
    /// The policy with these limits. It reports as `tracing` warnings.
    #[must_use]
    pub fn new(config: DeadlineConfig) -> Self {
        Self::reporting(config, |report| {
            tracing::warn!(target: "toolgate", "{report}");
        })
    }

    /// The same with somebody who hears the reports. It is called from whichever thread noticed, and must be quick.
    #[must_use]
    pub fn reporting(
        config: DeadlineConfig,
        report: impl Fn(&DeadlineReport) + Send + Sync + 'static,
    ) -> Self {
        let tally = Arc::new(Tally::default());
        let report: Arc<Report> = Arc::new(report);
        let watchdog = Watchdog::new(config.blocked, Arc::clone(&report), Arc::clone(&tally));
        Self { config: Arc::new(config), clock: PersonClock::default(), tally, report, watchdog }
    }

    /// The same, standing still while the people of this clock are asked.
    #[must_use]
    pub fn with_clock(mut self, clock: PersonClock) -> Self {
        self.clock = clock;
        self
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> DeadlineCounts {
        self.tally.counts()
    }

    /// An approver that has the stage deadline as well. The time in which it asks a person does not count.
    pub fn approver<A: Approver>(&self, approver: A) -> TimelyApprover<A> {
        TimelyApprover { approver, deadlines: self.clone() }
    }

    /// Runs a stage of a call; an error where its time is up.
    async fn stage<T>(
        &self,
        stage: DeadlineStage,
        call: &ToolExecution,
        work: impl Future<Output = HookResult<T>>,
    ) -> HookResult<T> {
        let limit = self.config.stage;
        // The late stage is dropped before anything is said about it.
        match within(&self.clock, call.root_call_id(), limit, work).await {
            Ok(answer) => answer,
            Err(Late) => {
                count(&self.tally.stages_dropped);
                (self.report)(&DeadlineReport::StageDropped { call: call.clone(), stage, limit });
                Err(ToolError::stage_timeout(late_stage(stage, limit)))
            }
        }
    }

    /// Runs the rest of the wrappers and the body, which must come to rest within `limit`.
    async fn body(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
        limit: Duration,
    ) -> HookResult<ToolExecutionResult> {
        let caller = next.cancellation().clone();
        let too_late = CancellationToken::new();
        let caller_was_first;
        let stopped = {
            let mut body = pin!(self.watchdog.watch(call, next.run_with(too_late.clone())));
            if let Ok(answer) = within(&self.clock, call.root_call_id(), limit, body.as_mut()).await {
                return answer;
            }
            caller_was_first = caller.is_cancelled();
            count(&self.tally.bodies_stopped);
            too_late.cancel();
            match self.config.grace {
                None => Ok(body.await),
                Some(grace) => timeout(grace, body).await.map_err(|_| grace),
            }
        };
        match stopped {
            Ok(answer) => {
                let result = answer?;
                // A failure with another code says more than that time ran out.
                let is_abort = matches!(result.code(), Some(code::ABORTED | code::ABORTED_BEFORE_DISPATCH));
                Ok(if is_abort && !caller_was_first { timed_out(&result, limit) } else { result })
            }
            Err(grace) => {
                count(&self.tally.bodies_dropped);
                (self.report)(&DeadlineReport::BodyDropped { call: call.clone(), limit, grace });
                Ok(ToolExecutionResult::failure(if caller_was_first {
                    ToolError::aborted()
                } else {
                    ToolError::timed_out(dropped(limit, grace))
                }))
            }
        }
    }
}

/// What a late body that stopped becomes. The contexts that it left stay, and so does what it said of its end, such as
/// what a command had printed.
fn timed_out(result: &ToolExecutionResult, limit: Duration) -> ToolExecutionResult {
    let mut message = format!(
        "the tool did not finish within {} and was stopped; what it had done may remain",
        text_of(limit)
    );
    let said = result.error().filter(|failure| failure.code() == Some(code::ABORTED));
    if let Some(said) = said.map(ToolFailure::message).filter(|said| *said != ToolError::aborted().message())
    {
        message.push('\n');
        message.push_str(said);
    }
    let failure = ToolExecutionResult::failure(ToolError::timed_out(message));
    result
        .additional_contexts()
        .iter()
        .fold(failure, |failure, context| failure.with_context(context.clone()))
}

fn dropped(limit: Duration, grace: Duration) -> String {
    format!(
        "the tool did not finish within {}, did not stop within {} more, and was given up; its effect is unknown\n\
         hint: look at what it has changed before you call it again",
        text_of(limit),
        text_of(grace)
    )
}

fn late_stage(stage: DeadlineStage, limit: Duration) -> String {
    let limit = text_of(limit);
    match stage {
        DeadlineStage::PreExecute => {
            format!("the call was refused: a check before the tool did not decide within {limit}")
        }
        DeadlineStage::Approval => {
            format!("the call was refused: its approval was not decided within {limit}")
        }
        DeadlineStage::PostExecute => format!(
            "the result was withheld: a check of it did not decide within {limit}; what the tool had done remains"
        ),
        DeadlineStage::DispatchLog => format!("the content to log was not decided within {limit}"),
    }
}

impl Execute for Deadlines {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        match self.config.limit_of(call) {
            Some(limit) => self.body(call, next, limit).await,
            None => self.watchdog.watch(call, next.run()).await,
        }
    }
}

impl PreExecute for Deadlines {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        self.stage(DeadlineStage::PreExecute, call, next.run()).await
    }
}

impl PostExecute for Deadlines {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        _: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        self.stage(DeadlineStage::PostExecute, call, next.run()).await
    }
}

impl CodeDispatchLogListener for Deadlines {
    async fn log_content(
        &self,
        dispatch: &CodeDispatchLog,
        next: Next<'_, DispatchLog>,
    ) -> HookResult<Vec<ContentBlock>> {
        self.stage(DeadlineStage::DispatchLog, &dispatch.outer, next.run()).await
    }
}

impl Plugin for Deadlines {
    fn name(&self) -> &str {
        "deadlines"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let outside = cx.first();
        outside.on_pre_execute(self.clone());
        outside.on_execute(self.clone());
        outside.on_post_execute(self.clone());
        outside.on_code_dispatch_log(self.clone());
        Ok(())
    }
}

impl fmt::Debug for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadlines").field("config", &self.config).finish_non_exhaustive()
    }
}

/// An approver with a deadline; made by [`Deadlines::approver`].
#[derive(Debug)]
pub struct TimelyApprover<A> {
    approver: A,
    deadlines: Deadlines,
}

impl<A: Approver> Approver for TimelyApprover<A> {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        self.deadlines.stage(DeadlineStage::Approval, request.call, self.approver.approve(request)).await
    }
}
