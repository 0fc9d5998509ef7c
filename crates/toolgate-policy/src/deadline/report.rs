//! What the deadline policy tells its operator: reports as they happen, and counts.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use toolgate::ToolExecution;
use toolgate::text::Line;

use crate::duration::text_of;

/// A stage other than the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeadlineStage {
    /// The listeners before dispatch.
    PreExecute,
    /// The approver.
    Approval,
    /// The listeners after dispatch.
    PostExecute,
    /// The listeners on the log of a program's calls.
    DispatchLog,
}

impl fmt::Display for DeadlineStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PreExecute => "the listeners before dispatch",
            Self::Approval => "the approvers",
            Self::PostExecute => "the listeners after dispatch",
            Self::DispatchLog => "the listeners on the dispatch log",
        })
    }
}

/// Something that an operator should know of.
#[derive(Clone, Debug)]
pub enum DeadlineReport {
    /// A body did not stop when it was asked to, and was dropped. What it had done is unknown.
    BodyDropped {
        /// The call.
        call: ToolExecution,
        /// How long the body might take.
        limit: Duration,
        /// How long it was waited for beyond that.
        grace: Duration,
    },
    /// A body keeps the thread that runs it. Nothing can be done about it from outside: its call stays open, and whatever
    /// else this thread should run waits. Told again each time the length has doubled.
    ThreadBlocked {
        /// The call.
        call: ToolExecution,
        /// For how long already.
        length: Duration,
    },
    /// A stage did not decide within its time and was dropped.
    StageDropped {
        /// The call.
        call: ToolExecution,
        /// The stage.
        stage: DeadlineStage,
        /// How long it might take.
        limit: Duration,
    },
}

impl fmt::Display for DeadlineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |call: &ToolExecution| {
            format!("`{}` (call {})", Line(call.name()), Line(call.call_id().as_str()))
        };
        match self {
            Self::BodyDropped { call, limit, grace } => write!(
                f,
                "the body of {} was dropped: it did not stop {} after its limit of {}",
                name(call),
                text_of(*grace),
                text_of(*limit)
            ),
            Self::ThreadBlocked { call, length } => {
                write!(f, "the body of {} has kept its thread busy for {}", name(call), text_of(*length))
            }
            Self::StageDropped { call, stage, limit } => {
                write!(
                    f,
                    "{stage} did not decide within {} about {} and were dropped",
                    text_of(*limit),
                    name(call)
                )
            }
        }
    }
}

/// Who hears reports.
pub(super) type Report = dyn Fn(&DeadlineReport) + Send + Sync;

/// How often each thing has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeadlineCounts {
    /// Bodies that were asked to stop because their time was up.
    pub bodies_stopped: u64,
    /// Those of them that did not, and were dropped.
    pub bodies_dropped: u64,
    /// Stages that were dropped.
    pub stages_dropped: u64,
    /// Reports of blocked threads.
    pub threads_blocked: u64,
}

/// The counts while they are counted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) bodies_stopped: AtomicU64,
    pub(super) bodies_dropped: AtomicU64,
    pub(super) stages_dropped: AtomicU64,
    pub(super) threads_blocked: AtomicU64,
}

impl Tally {
    pub(super) fn counts(&self) -> DeadlineCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        DeadlineCounts {
            bodies_stopped: read(&self.bodies_stopped),
            bodies_dropped: read(&self.bodies_dropped),
            stages_dropped: read(&self.stages_dropped),
            threads_blocked: read(&self.threads_blocked),
        }
    }
}

/// Counts one more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
