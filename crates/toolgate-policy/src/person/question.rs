//! A question and its answers, as everybody who carries them sees them: plain data that can be sent and shown.
//!
//! Every text is made for eyes here, once: complete, with everything hidden in it escaped (K63). Whoever shortens one
//! further uses [`toolgate::text::shortened`], which says how much is missing.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};
use toolgate::text::{Line, Text};
use toolgate::{JsonValue, ToolExecution, indented_text};

/// The identity of a question: never used twice by the same [`People`](super::People).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub(super) u64);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A question to a person. Its texts are safe to show, except for `arguments`, which are the call's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What an answer cites.
    pub id: QuestionId,
    /// The call that waits for the answer.
    pub call_id: String,
    /// The call of the model that it belongs to; the same one for a direct call.
    pub root_call_id: String,
    /// The agent on whose behalf it runs.
    pub agent: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// What is asked.
    pub asking: Asking,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Asking {
    /// Whether the call may run. Answered by [`Answer::Allow`] or [`Answer::Reject`].
    Approval {
        /// What the call does, in the words of the tool.
        title: String,
        /// The arguments that will run, whole, as indented JSON.
        shown: String,
        /// The same as data, for those who draw cards.
        arguments: JsonValue,
        /// Why the policy asks.
        reason: Option<String>,
        /// The rules that this call falls under and that a person may allow from now on.
        rules: Vec<String>,
    },
    /// Something that the agent wants to know. Answered by [`Answer::Choose`] where there are options, by
    /// [`Answer::Reply`], or refused by [`Answer::Reject`].
    Choice {
        /// The question.
        question: String,
        /// What can be chosen; none where the answer is free.
        options: Vec<String>,
        /// Whether several of them can be chosen.
        is_multiple: bool,
    },
}

impl Asking {
    /// Whether this call may run, with the reason of the policy and the rules that could be remembered.
    pub(super) fn approval(call: &ToolExecution, reason: Option<&str>, rules: &[&str]) -> Self {
        let title = match call.definition() {
            Some(tool) => line(tool.present_call(call.arguments()).title()),
            None => line(call.name()),
        };
        Self::Approval {
            title,
            shown: Text(&indented_text(call.arguments())).to_string(),
            arguments: call.arguments().clone(),
            reason: reason.map(|reason| Text(reason).to_string()),
            rules: rules.iter().map(|rule| line(rule)).collect(),
        }
    }

    /// A question of an agent, with the options that it offers.
    #[must_use]
    pub fn choice(question: &str, options: &[String], is_multiple: bool) -> Self {
        Self::Choice {
            question: Text(question).to_string(),
            options: options.iter().map(|option| line(option)).collect(),
            is_multiple,
        }
    }

    /// Why an answer is none to this, where it is not.
    pub(super) fn mismatch(&self, answer: &Answer) -> Option<&'static str> {
        match (self, answer) {
            (Self::Approval { .. } | Self::Choice { .. }, Answer::Reject)
            | (Self::Approval { .. }, Answer::Allow { remember: None })
            | (Self::Choice { .. }, Answer::Reply { .. }) => None,
            (Self::Approval { rules, .. }, Answer::Allow { remember: Some(remember) }) => {
                match remember.what {
                    Remembered::Rule(at) if at >= rules.len() => Some("there is no such rule to remember"),
                    Remembered::Rule(_) | Remembered::Arguments => None,
                }
            }
            (Self::Choice { options, is_multiple, .. }, Answer::Choose { options: chosen }) => {
                let is_sound = chosen.iter().all(|at| *at < options.len());
                let fits = if *is_multiple { !chosen.is_empty() } else { chosen.len() == 1 };
                (!is_sound || !fits).then_some("that is not a choice of the options")
            }
            (Self::Approval { .. }, Answer::Choose { .. } | Answer::Reply { .. }) => {
                Some("an approval is allowed or rejected")
            }
            (Self::Choice { .. }, Answer::Allow { .. }) => {
                Some("a question is answered by a choice or a reply")
            }
        }
    }
}

/// One line that is safe to show.
fn line(text: &str) -> String {
    Line(text).to_string()
}

impl Question {
    pub(super) fn new(id: QuestionId, call: &ToolExecution, asking: Asking) -> Self {
        Self {
            id,
            call_id: line(call.call_id().as_str()),
            root_call_id: line(call.root_call_id().as_str()),
            agent: call.scope().map(|agent| line(agent.name())),
            tool: line(call.name()),
            asking,
        }
    }
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Answer {
    /// The call may run, this once; later ones ask again, unless they are covered by what is to be remembered.
    Allow {
        /// What to remember.
        #[serde(default)]
        remember: Option<Remember>,
    },
    /// No; or: no answer to that.
    Reject,
    /// These of the options, counted from 0.
    Choose {
        /// One of them, or several where that was offered.
        options: Vec<usize>,
    },
    /// An answer in the person's own words.
    Reply {
        /// The words.
        text: String,
    },
}

impl Answer {
    /// The call may run, and nothing is remembered.
    #[must_use]
    pub const fn allow_once() -> Self {
        Self::Allow { remember: None }
    }
}

/// For how long an answer is good beyond the call that it was given for. Without limits: as long as the agent's session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// For which calls.
    pub what: Remembered,
    /// For how many of them.
    #[serde(default)]
    pub uses: Option<NonZeroU32>,
    /// For how many seconds.
    #[serde(default)]
    pub seconds: Option<NonZeroU64>,
}

/// The calls that a remembered answer covers: always those of the same agent only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remembered {
    /// Calls of this tool with exactly these arguments.
    Arguments,
    /// Calls that fall under one of the question's rules, counted from 0.
    Rule(usize),
}

/// How a question was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Somebody answered.
    Answered {
        /// Who.
        by: String,
    },
    /// The call does not wait any more, or nobody was left who could answer.
    Withdrawn,
}
