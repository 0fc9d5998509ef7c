//! What the ask_user tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `ask_user` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskUserArgs {
    /// The question, in full sentences: the person may not have followed your work.
    pub(crate) question: String,
    /// Answers to choose from, at most 20. The person may still answer in their own words. Leave it out for an open
    /// question.
    pub(crate) options: Option<Vec<String>>,
    /// Whether several options may be chosen. Only one, if left out.
    pub(crate) multi: Option<bool>,
}

/// The answer.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct AskUserOutput {
    /// The options that the person chose, or one answer in their own words.
    pub(crate) answers: Vec<String>,
    /// Whether the answer is in the person's own words.
    pub(crate) own_words: bool,
}
