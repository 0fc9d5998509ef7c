//! What the log is told of approvals: every ask and every decision, as data that can be kept.
//!
//! Told by [`Approvals`](super::Approvals), in this order, before the decision takes effect. Keeping them is somebody
//! else's task.

use serde::{Deserialize, Serialize};
use toolgate::{ApprovalOutcome, HookResult, JsonValue};

use super::GrantId;

/// Something that happened to an approval. The two events of one approval have the same call ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ApprovalEvent {
    /// A policy asks for an approval.
    #[serde(rename = "approval/asked")]
    Asked(ApprovalAsked),
    /// It was decided.
    #[serde(rename = "approval/decided")]
    Decided(ApprovalDecided),
}

/// The event `approval/asked`. Its texts are as the caller gave them, not made for eyes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAsked {
    /// The call.
    pub call_id: String,
    /// The call of the model that it belongs to; the same one for a direct call.
    pub root_call_id: String,
    /// The agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The arguments that an approval covers. Arguments of more than 128 levels can be kept, not serialised.
    pub arguments: JsonValue,
    /// Why the policy asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Remembered answers that do not cover this call, although they nearly do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lapsed: Vec<LapsedGrant>,
}

/// The event `approval/decided`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDecided {
    /// The call.
    pub call_id: String,
    /// The call of the model that it belongs to.
    pub root_call_id: String,
    /// What was decided.
    pub outcome: DecidedOutcome,
    /// By whom.
    pub by: DecidedBy,
    /// What is remembered from now on, and under which id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<(GrantId, String)>,
}

/// The outcome, as it is written in events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedOutcome {
    /// This one call may run.
    AllowedOnce,
    /// No.
    Rejected,
    /// The question was taken back.
    Cancelled,
    /// Nobody could be asked.
    Unavailable,
}

impl From<DecidedOutcome> for ApprovalOutcome {
    fn from(outcome: DecidedOutcome) -> Self {
        match outcome {
            DecidedOutcome::AllowedOnce => Self::AllowedOnce,
            DecidedOutcome::Rejected => Self::Rejected,
            DecidedOutcome::Cancelled => Self::Cancelled,
            DecidedOutcome::Unavailable => Self::Unavailable,
        }
    }
}

/// Who decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DecidedBy {
    /// A person.
    Person {
        /// Through which answerer, or on which page.
        name: String,
    },
    /// An answer that was remembered.
    Grant {
        /// Which.
        grant: GrantId,
        /// What it covers.
        covers: String,
    },
    /// The stance: nobody was asked.
    Stance,
    /// The caller, by cancelling.
    Caller,
    /// Nobody: there was no one to ask, no one answered in time, or the tool was replaced meanwhile.
    Nobody,
}

/// A remembered answer that does not cover a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LapsedGrant {
    /// Which.
    pub grant: GrantId,
    /// What it covers.
    pub covers: String,
    /// Why it does not cover this call.
    pub why: LapsedWhy,
}

/// Why a remembered answer does not cover a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LapsedWhy {
    /// Its time is over.
    Expired,
    /// It was used as often as it may be.
    UsedUp,
    /// It was given for other arguments of the same tool.
    OtherArguments,
    /// It was given for another tool, which has been replaced under its name.
    OtherTool,
}

/// Where the events go. Implemented by closures `Fn(&ApprovalEvent) -> HookResult<()>`.
///
/// Called synchronously, so it hands an event over and does not wait. An error fails the call closed: what cannot be
/// audited does not run.
pub trait ApprovalLog: Send + Sync + 'static {
    /// Takes an event.
    ///
    /// # Errors
    /// The event cannot be kept.
    fn record(&self, event: &ApprovalEvent) -> HookResult<()>;
}

impl<F> ApprovalLog for F
where
    F: Fn(&ApprovalEvent) -> HookResult<()> + Send + Sync + 'static,
{
    fn record(&self, event: &ApprovalEvent) -> HookResult<()> {
        self(event)
    }
}
