//! Remembered answers: for which calls of which agent, how often, how long (K61).
//!
//! Kept by [`Approvals`](super::Approvals), in memory only: a grant does not outlive the process, not the scope of the
//! agent that it was given for, and not the tool that the person saw.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use toolgate::registry::ScopeId;
use toolgate::{JsonValue, ToolExecution, ToolIdentity};

use super::{LapsedGrant, LapsedWhy, Remember};

/// How many grants are kept; the oldest goes first, and its calls are asked about again.
const MOST: usize = 1_000;

/// How many lapsed grants an event names.
const MOST_LAPSED: usize = 10;

/// The identity of a remembered answer: never used twice by the same [`Approvals`](super::Approvals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(u64);

/// A grant before it is given.
pub(super) struct Remembering {
    pub(super) id: GrantId,
    pub(super) covers: Covers,
    pub(super) remember: Remember,
}

/// A rule that a person can allow from now on. It decides by the call alone.
pub trait GrantRule: Send + Sync + 'static {
    /// Whether the rule covers a call.
    fn matches(&self, call: &ToolExecution) -> bool;

    /// The rule in words, as the person sees it.
    fn text(&self) -> &str;
}

/// What a grant covers.
#[derive(Clone)]
pub(super) enum Covers {
    /// These arguments of this tool, compared as JSON values.
    Arguments { tool: String, arguments: JsonValue },
    /// What falls under a rule.
    Rule(Arc<dyn GrantRule>),
}

impl Covers {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Arguments { tool, .. } => format!("{tool} with exactly these arguments"),
            Self::Rule(rule) => rule.text().to_owned(),
        }
    }

    fn fit(&self, call: &ToolExecution) -> Fit {
        match self {
            Self::Arguments { tool, .. } if tool != call.name() => Fit::No,
            Self::Arguments { arguments, .. } if arguments == call.arguments() => Fit::Yes,
            Self::Arguments { .. } => Fit::OtherArguments,
            Self::Rule(rule) if rule.matches(call) => Fit::Yes,
            Self::Rule(_) => Fit::No,
        }
    }
}

enum Fit {
    Yes,
    OtherArguments,
    No,
}

/// The tool that a person saw when a grant was given.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Given {
    tool: String,
    definition: Option<ToolIdentity>,
}

impl Given {
    /// What the call means now.
    pub(super) fn of(call: &ToolExecution) -> Self {
        let definition = call.definition().map(|tool| tool.identity());
        Self { tool: call.name().to_owned(), definition }
    }

    /// Whether the tool of this name is another one now. A rule may cover tools of other names as well, of which nobody
    /// saw any.
    fn is_replaced_by(&self, now: &Self) -> bool {
        self.tool == now.tool && self.definition != now.definition
    }
}

#[derive(Clone)]
struct Grant {
    id: GrantId,
    agent: ScopeId,
    given: Given,
    covers: Covers,
    until: Option<Instant>,
    left: Option<u32>,
}

impl Grant {
    fn lapsed(&self) -> Option<LapsedWhy> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Some(LapsedWhy::Expired);
        }
        (self.left == Some(0)).then_some(LapsedWhy::UsedUp)
    }
}

/// All remembered answers.
#[derive(Default)]
pub(super) struct Grants(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    last: u64,
    grants: VecDeque<Grant>,
}

impl Grants {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Every lock is held for plain changes of the list, so a poisoned one still holds whole grants.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of the next grant.
    pub(super) fn reserve(&self) -> GrantId {
        let mut kept = self.kept();
        kept.last = kept.last.wrapping_add(1);
        GrantId(kept.last)
    }

    pub(super) fn keep(&self, remembering: Remembering, agent: ScopeId, given: Given) {
        let Remembering { id, covers, remember } = remembering;
        let lasts = remember.seconds.map(|seconds| Duration::from_secs(seconds.get()));
        // A time too far away to be written down does not come.
        let until = lasts.and_then(|lasts| Instant::now().checked_add(lasts));
        let left = remember.uses.map(std::num::NonZeroU32::get);
        let mut kept = self.kept();
        while kept.grants.len() >= MOST {
            kept.grants.pop_front();
        }
        kept.grants.push_back(Grant { id, agent, given, covers, until, left });
    }

    pub(super) fn forget(&self, agent: ScopeId) {
        self.kept().grants.retain(|grant| grant.agent != agent);
    }

    /// Uses one grant that covers the call, or says which nearly do.
    pub(super) fn take(
        &self,
        agent: ScopeId,
        call: &ToolExecution,
    ) -> Result<(GrantId, String), Vec<LapsedGrant>> {
        // Rules are somebody else's code; they are asked without the lock.
        let candidates: Vec<Grant> =
            self.kept().grants.iter().filter(|grant| grant.agent == agent).cloned().collect();
        let (now, mut lapsed) = (Given::of(call), Vec::new());
        for grant in candidates {
            let why = match grant.covers.fit(call) {
                Fit::No => continue,
                Fit::OtherArguments => LapsedWhy::OtherArguments,
                Fit::Yes if grant.given.is_replaced_by(&now) => LapsedWhy::OtherTool,
                Fit::Yes => match self.use_up(grant.id) {
                    Ok(()) => return Ok((grant.id, grant.covers.text())),
                    Err(why) => why,
                },
            };
            if lapsed.len() < MOST_LAPSED {
                lapsed.push(LapsedGrant { grant: grant.id, covers: grant.covers.text(), why });
            }
        }
        Err(lapsed)
    }

    /// Takes one use of a grant, unless it has lapsed meanwhile.
    fn use_up(&self, id: GrantId) -> Result<(), LapsedWhy> {
        let mut kept = self.kept();
        let grant = kept.grants.iter_mut().find(|grant| grant.id == id).ok_or(LapsedWhy::UsedUp)?;
        if let Some(why) = grant.lapsed() {
            return Err(why);
        }
        grant.left = grant.left.map(|left| left.saturating_sub(1));
        Ok(())
    }
}
