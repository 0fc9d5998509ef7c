//! A script at its place in a call, and the operations that scripts of several kinds have.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{Cancellation, HookResult, ToolExecution};

use super::super::cases::Malformed;
use super::World;
use super::op::{InstantOp, WaitingOp};

/// How long a tick is, on the clock of the scenario.
pub(crate) const TICK: Duration = Duration::from_millis(12);

/// Where in a call a script runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    Pre,
    Approval,
    Guard,
    Around,
    Body,
    Post,
    Finalize,
    Result,
    DispatchLog,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pre => "pre",
            Self::Approval => "approval",
            Self::Guard => "guard",
            Self::Around => "around",
            Self::Body => "body",
            Self::Post => "post",
            Self::Finalize => "finalize",
            Self::Result => "result",
            Self::DispatchLog => "dispatch-log",
        })
    }
}

/// A script at its place in a call.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    pub(super) world: &'a Arc<World>,
    pub(super) call: &'a ToolExecution,
    pub(super) phase: Phase,
    pub(super) actor: &'a str,
}

impl Stage<'_> {
    pub(super) fn trace(&self, event: impl fmt::Display) {
        let Self { world, call, phase, actor } = self;
        world.trace(format!("{} {phase} {actor} {event}", call.call_id()));
    }

    /// Fails the script because the case cannot be played as it is written.
    pub(super) fn malformed<T>(&self, reason: impl Into<String>) -> HookResult<T> {
        Err(self.world.fault(Malformed::new(reason)))
    }

    /// What a script needs of a case that is written well.
    pub(super) fn need<T>(&self, read: Result<T, Malformed>) -> HookResult<T> {
        read.map_err(|malformed| self.world.fault(malformed))
    }

    /// Does what needs no waiting. `signal` is what this stage sees.
    pub(super) fn instant(&self, op: &InstantOp, signal: &Cancellation) -> HookResult<()> {
        match op {
            InstantOp::Cancel { signal } => self.need(self.world.signal(signal.as_deref()))?.cancel(),
            InstantOp::CheckSignal {} => {
                self.trace(if signal.is_cancelled() { "signal cancelled" } else { "signal live" });
            }
            InstantOp::Identity {} => self.trace_identity(),
            InstantOp::Arguments {} => {
                self.trace(format_args!("arguments {}", self.call.arguments().to_text()));
            }
            InstantOp::Unregister { tool } => self.need(self.world.unregister(tool))?,
            InstantOp::Register { definition } => self.need(self.world.register(definition))?,
            InstantOp::Throw(failure) => return Err(failure.to_error()),
        }
        Ok(())
    }

    /// Does what may wait. `signal` is what this stage sees.
    pub(super) async fn waiting(&self, op: &WaitingOp, signal: &Cancellation) -> HookResult<()> {
        match op {
            WaitingOp::CancelLater { signal } => {
                self.world.cancel_later(self.need(self.world.signal(signal.as_deref()))?);
            }
            WaitingOp::Pause {} => self.world.deliver().await,
            WaitingOp::Sleep { ms } => tokio::time::sleep(Duration::from_millis(*ms)).await,
            WaitingOp::Work { ticks, argument, stoppable } => {
                let ticks = self.ticks(*ticks, argument.as_deref())?;
                let work = tokio::time::sleep(TICK.saturating_mul(ticks));
                if *stoppable {
                    tokio::select! {
                        () = work => {}
                        () = signal.cancelled() => {}
                    }
                } else {
                    work.await;
                }
            }
            WaitingOp::AwaitCancel {} => signal.cancelled().await,
        }
        Ok(())
    }

    fn ticks(&self, ticks: Option<u32>, argument: Option<&str>) -> HookResult<u32> {
        let in_argument = |name| {
            let count = self.call.arguments().get(name).and_then(serde_json::Value::as_u64);
            count.and_then(|count| u32::try_from(count).ok())
        };
        match ticks.or_else(|| argument.and_then(in_argument)) {
            Some(ticks) => Ok(ticks),
            None => self.malformed("`work` has no number of ticks"),
        }
    }

    fn trace_identity(&self) {
        let number = |token| format!("#{}", self.world.number_of(token));
        let token = number(self.call.token());
        let parent = self.call.parent().map_or_else(|| "-".to_owned(), number);
        self.trace(format_args!("identity root={} token={token} parent={parent}", self.call.root_call_id()));
    }
}
