//! [`TodoLists`]: the current list of each agent, in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use toolgate::Scope;

use super::types::Todo;
use crate::change::Agent;

/// How many agents have a list at most. The list that was not written for the longest time goes first.
const MOST_LISTS: usize = 256;

/// The lists that `todo_write` keeps, one for each agent. Cheap to clone; all clones show the same lists.
#[derive(Clone, Debug, Default)]
pub struct TodoLists {
    /// In the order in which they were last written.
    lists: Arc<Mutex<VecDeque<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    agent: Agent,
    list: Arc<[Todo]>,
}

impl TodoLists {
    /// The list of the agent with this scope, or of calls of nobody's agent; empty where there is none.
    #[must_use]
    pub fn of(&self, scope: Option<&Scope>) -> Arc<[Todo]> {
        let agent = scope.map(Scope::id);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lists.iter().find(|kept| kept.agent == agent);
        found.map(|kept| Arc::clone(&kept.list)).unwrap_or_default()
    }

    pub(super) fn set(&self, agent: Agent, list: Vec<Todo>) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|kept| kept.agent != agent);
        if !list.is_empty() {
            lists.push_back(Kept { agent, list: list.into() });
        }
        if lists.len() > MOST_LISTS {
            lists.pop_front();
        }
    }
}
