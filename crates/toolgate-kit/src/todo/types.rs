//! What the todo tool takes, keeps and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `todo_write` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TodoArgs {
    /// The whole list, in order, at most 100 items: it takes the place of the list before. An empty one clears it.
    pub(crate) todos: Vec<Todo>,
}

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What is to be done, in one sentence of at most 1000 bytes.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The same sentence for the time while it is being done, such as "Running the tests".
    #[serde(rename = "activeForm", skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
}

/// How far a thing to be done is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// The list as it is kept now.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(crate) struct TodoOutput {
    /// The list, in order.
    pub(crate) todos: Vec<Todo>,
}
