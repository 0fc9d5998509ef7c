//! [`TodoLists`]: the current list of each agent, in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use toolgate::{Scope, ScopeId};

use super::types::Todo;

/// How many agents have a list at most. The list that was not written for the longest time goes first.
const MOST_LISTS: usize = 256;

/// The lists that `todo_write` keeps, one for each agent. Cheap to clone; all clones show the same lists.
#[derive(Clone, Debug, Default)]
pub struct TodoLists {
    /// In the order in which they were last written.
    lists: Arc<Mutex<VecDeque<(Option<ScopeId>, Arc<[Todo]>)>>>,
}

impl TodoLists {
    /// The list of the agent with this scope, or of calls of nobody's agent; empty where there is none.
    #[must_use]
    pub fn of(&self, scope: Option<&Scope>) -> Arc<[Todo]> {
        let agent = scope.map(Scope::id);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lists.iter().find(|(owner, _)| *owner == agent);
        found.map(|(_, list)| Arc::clone(list)).unwrap_or_default()
    }

    pub(super) fn set(&self, agent: Option<ScopeId>, list: Vec<Todo>) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(owner, _)| *owner != agent);
        if !list.is_empty() {
            lists.push_back((agent, list.into()));
        }
        if lists.len() > MOST_LISTS {
            lists.pop_front();
        }
    }
}
