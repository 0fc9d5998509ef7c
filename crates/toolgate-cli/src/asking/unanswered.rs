//! Remembers what could not be asked about, so that the end of a command can name the flag that would have allowed it.

use std::sync::{Arc, Mutex, PoisonError};

use toolgate::{ApprovalOutcome, ApprovalRequest, Approver, HookResult};
use toolgate_policy::Rule;
use toolgate_policy::rules::Permissions;

/// How many flags are named; whoever needs more writes rules.
const MOST: usize = 5;

/// What could not be asked about. Clones remember together.
#[derive(Clone, Debug)]
pub(crate) struct Unanswered {
    permissions: Permissions,
    hints: Arc<Mutex<Vec<String>>>,
}

impl Unanswered {
    /// Nothing yet.
    pub(crate) fn new(permissions: Permissions) -> Self {
        Self { permissions, hints: Arc::default() }
    }

    /// An approver that notes what another one could not ask about.
    pub(crate) fn noting<A: Approver>(&self, approver: A) -> Noting<A> {
        Noting { approver, unanswered: self.clone() }
    }

    /// What to do about it, each thing once.
    pub(crate) fn hints(&self) -> Vec<String> {
        self.hints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, hint: String) {
        let mut hints = self.hints.lock().unwrap_or_else(PoisonError::into_inner);
        if hints.len() < MOST && !hints.contains(&hint) {
            hints.push(hint);
        }
    }
}

/// An approver, watched.
#[derive(Debug)]
pub(crate) struct Noting<A> {
    approver: A,
    unanswered: Unanswered,
}

impl<A: Approver> Approver for Noting<A> {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        let call = request.call;
        let outcome = self.approver.approve(request).await?;
        if outcome == ApprovalOutcome::Unavailable {
            self.unanswered.note(match self.unanswered.permissions.suggest(call).first() {
                Some(rule) => format!("{} allows this call", flag(rule)),
                None => "--yes answers yes to everything that rules ask about".to_owned(),
            });
        }
        Ok(outcome)
    }
}

/// The flag with which a rule is given, as it is typed in a shell.
fn flag(rule: &Rule) -> String {
    format!("--allow '{}'", rule.pattern().to_string().replace('\'', r"'\''"))
}
