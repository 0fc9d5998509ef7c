//! [`Approvals`]: the service behind an `ask` of a policy.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use serde::Deserialize;
use tokio::time::timeout;
use toolgate::text::Line;
use toolgate::{ApprovalOutcome, ApprovalRequest, Approver, HookResult, Scope, ToolError, ToolExecution};

use super::grant::{Covers, Given, Grants, Remembering};
use super::{
    Answer, Answered, ApprovalAsked, ApprovalDecided, ApprovalEvent, ApprovalLog, Asking, DecidedBy,
    DecidedOutcome, GrantId, GrantRule, People, Remember, Remembered,
};

/// Who answers where no remembered answer does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stance {
    /// The people.
    #[default]
    Ask,
    /// Nobody: an unattended run, in which every ask is unavailable and its call denied.
    Never,
    /// Yes, to everything that a policy asks about. What it denies stays denied.
    Yes,
}

impl Stance {
    const fn number(self) -> u8 {
        match self {
            Self::Ask => 0,
            Self::Never => 1,
            Self::Yes => 2,
        }
    }

    /// What is no number of a stance denies.
    const fn numbered(number: u8) -> Self {
        match number {
            0 => Self::Ask,
            2 => Self::Yes,
            1 | 3.. => Self::Never,
        }
    }
}

/// Finds the rules that a call falls under.
type Rules = dyn Fn(&ToolExecution) -> Vec<Arc<dyn GrantRule>> + Send + Sync;

/// Answers the asks of policies: from what a person said before, by its stance, or by asking people. Mount it with
/// `ToolRuntime::builder().approver(…)`. Cheap to clone; clones remember together.
///
/// An answer covers one call, with the arguments that were shown. A person may have it remembered, for the same agent's
/// scope and the same tool only: for exactly these arguments, or for a rule that was offered; with an end in time or in
/// uses (K61). An answer to a question about a tool that was replaced meanwhile does not count. Each ask
/// and each decision is an event, told before it takes effect; what cannot be told is refused.
///
/// A cancelled call gets [`ApprovalOutcome::Cancelled`] at once, and its question is withdrawn.
#[derive(Clone)]
pub struct Approvals {
    people: People,
    /// Shared by all clones, so that a person can change it while calls are made.
    stance: Arc<AtomicU8>,
    patience: Option<Duration>,
    log: Arc<dyn ApprovalLog>,
    rules: Arc<Rules>,
    grants: Arc<Grants>,
}

impl Approvals {
    /// Approvals by these people, which wait as long as it takes, tell no log and offer no rules.
    #[must_use]
    pub fn new(people: People) -> Self {
        Self {
            people,
            stance: Arc::new(AtomicU8::new(Stance::default().number())),
            patience: None,
            log: Arc::new(|_: &ApprovalEvent| Ok(())),
            rules: Arc::new(|_: &ToolExecution| Vec::new()),
            grants: Arc::default(),
        }
    }

    /// The same with another stance.
    #[must_use]
    pub fn with_stance(self, stance: Stance) -> Self {
        self.set_stance(stance);
        self
    }

    /// Changes the stance of this one and its clones, for asks from now on. Questions that are open stay open.
    pub fn set_stance(&self, stance: Stance) {
        self.stance.store(stance.number(), Ordering::Release);
    }

    /// The stance in force.
    #[must_use]
    pub fn stance(&self) -> Stance {
        Stance::numbered(self.stance.load(Ordering::Acquire))
    }

    /// The same, taking nobody's answer for unavailable after this time.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// The same with a log.
    #[must_use]
    pub fn with_log(mut self, log: impl ApprovalLog) -> Self {
        self.log = Arc::new(log);
        self
    }

    /// The same, offering the rules that a call falls under, so that a person can allow one of them from now on.
    #[must_use]
    pub fn with_rules(
        mut self,
        rules: impl Fn(&ToolExecution) -> Vec<Arc<dyn GrantRule>> + Send + Sync + 'static,
    ) -> Self {
        self.rules = Arc::new(rules);
        self
    }

    /// Forgets every answer that was remembered for an agent: its session is over.
    pub fn forget(&self, agent: &Scope) {
        self.grants.forget(agent.id());
    }

    async fn decide(&self, request: ApprovalRequest<'_>) -> HookResult<Decision> {
        let ApprovalRequest { call, agent, reason } = request;
        let granted = self.grants.take(agent.id(), call);
        let lapsed = granted.as_ref().err().cloned().unwrap_or_default();
        self.log.record(&ApprovalEvent::Asked(ApprovalAsked {
            call_id: call.call_id().to_string(),
            root_call_id: call.root_call_id().to_string(),
            agent: agent.name().to_owned(),
            tool: call.name().to_owned(),
            arguments: call.arguments().clone(),
            reason: reason.map(str::to_owned),
            lapsed,
        }))?;
        if let Ok((grant, covers)) = granted {
            return Ok(Decision::new(DecidedOutcome::AllowedOnce, DecidedBy::Grant { grant, covers }));
        }
        let undecided = Undecided { log: self.log.as_ref(), call, is_decided: false };
        let decision = match self.stance() {
            Stance::Yes => Decision::new(DecidedOutcome::AllowedOnce, DecidedBy::Stance),
            Stance::Never => Decision::new(DecidedOutcome::Unavailable, DecidedBy::Stance),
            Stance::Ask => self.ask_people(call, reason).await,
        };
        undecided.decided();
        Ok(decision)
    }

    async fn ask_people(&self, call: &ToolExecution, reason: Option<&str>) -> Decision {
        let rules = (self.rules)(call);
        let texts: Vec<&str> = rules.iter().map(|rule| rule.text()).collect();
        let asked = self.people.ask(call, Asking::approval(call, reason, &texts), call.cancellation());
        let answered = match self.patience {
            None => asked.await,
            Some(patience) => timeout(patience, asked).await.unwrap_or(Answered::Unavailable),
        };
        match answered {
            Answered::Cancelled => Decision::new(DecidedOutcome::Cancelled, DecidedBy::Caller),
            Answered::Unavailable => Decision::new(DecidedOutcome::Unavailable, DecidedBy::Nobody),
            Answered::By { answer: Answer::Allow { remember }, by } => {
                let mut decision = Decision::new(DecidedOutcome::AllowedOnce, DecidedBy::Person { name: by });
                decision.remember = remember.and_then(|remember| self.remembered(call, &rules, remember));
                decision
            }
            Answered::By { answer: Answer::Reject | Answer::Choose { .. } | Answer::Reply { .. }, by } => {
                Decision::new(DecidedOutcome::Rejected, DecidedBy::Person { name: by })
            }
        }
    }

    /// What there is to remember; nothing where the rule is none of those that were offered.
    fn remembered(
        &self,
        call: &ToolExecution,
        rules: &[Arc<dyn GrantRule>],
        remember: Remember,
    ) -> Option<Remembering> {
        let covers = match remember.what {
            Remembered::Arguments => {
                Covers::Arguments { tool: call.name().to_owned(), arguments: call.arguments().clone() }
            }
            Remembered::Rule(at) => Covers::Rule(Arc::clone(rules.get(at)?)),
        };
        Some(Remembering { id: self.grants.reserve(), covers, remember })
    }
}

impl Approver for Approvals {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        let shown = Given::of(request.call);
        let mut decision = self.decide(request).await?;
        let is_replaced = decision.outcome == DecidedOutcome::AllowedOnce && Given::of(request.call) != shown;
        if is_replaced {
            decision = Decision::new(DecidedOutcome::Cancelled, DecidedBy::Nobody);
        }
        let Decision { outcome, by, remember } = decision;
        let remembered = remember.as_ref().map(|grant| (grant.id, grant.covers.text()));
        self.log.record(&decided(request.call, outcome, by, remembered))?;
        if is_replaced {
            return Err(replaced(request.call));
        }
        if let Some(grant) = remember {
            self.grants.keep(grant, request.agent.id(), shown);
        }
        Ok(outcome.into())
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("stance", &self.stance()).finish_non_exhaustive()
    }
}

/// What was shown is not what would run.
fn replaced(call: &ToolExecution) -> ToolError {
    ToolError::new(format!(
        "the tool `{}` was replaced or removed while somebody was asked about it, so the answer does not count\n\
         hint: call it again to have the new one shown",
        Line(call.name())
    ))
}

fn decided(
    call: &ToolExecution,
    outcome: DecidedOutcome,
    by: DecidedBy,
    remembered: Option<(GrantId, String)>,
) -> ApprovalEvent {
    ApprovalEvent::Decided(ApprovalDecided {
        call_id: call.call_id().to_string(),
        root_call_id: call.root_call_id().to_string(),
        outcome,
        by,
        remembered,
    })
}

/// A decision before it takes effect.
struct Decision {
    outcome: DecidedOutcome,
    by: DecidedBy,
    remember: Option<Remembering>,
}

impl Decision {
    fn new(outcome: DecidedOutcome, by: DecidedBy) -> Self {
        Self { outcome, by, remember: None }
    }
}

/// An ask that has no decision yet. A call that is dropped meanwhile has cancelled it, which the log hears as well.
struct Undecided<'a> {
    log: &'a dyn ApprovalLog,
    call: &'a ToolExecution,
    is_decided: bool,
}

impl Undecided<'_> {
    fn decided(mut self) {
        self.is_decided = true;
    }
}

impl Drop for Undecided<'_> {
    fn drop(&mut self) {
        // While a panic unwinds, nothing of others may run here; the call fails anyway.
        if self.is_decided || std::thread::panicking() {
            return;
        }
        let event = decided(self.call, DecidedOutcome::Cancelled, DecidedBy::Caller, None);
        if let Err(error) = self.log.record(&event) {
            tracing::error!(target: "toolgate", "the end of an approval could not be logged: {error}");
        }
    }
}
