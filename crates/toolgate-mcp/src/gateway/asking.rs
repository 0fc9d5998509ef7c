//! Questions about the calls of clients, on their way to the client that made the call.
//!
//! One [`Answerer`] stands for all clients of a gateway. It knows the calls under way by the id of their root call, and
//! says nothing of calls that are not the gateway's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use toolgate::HookResult;
use toolgate_policy::person::{Answer, Answerer, Asking, Question};

use super::session::Unanswered;

/// How many questions of one call wait for its client to be asked.
const WAITING: usize = 16;

/// A question for the client that made the call.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) question: Question,
    /// Takes the answer; none where the client gave none. Closed when the question is.
    pub(super) answer: oneshot::Sender<Option<Answer>>,
}

/// The calls under way, and how their clients are asked. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes(Arc<Mutex<HashMap<String, Route>>>);

#[derive(Clone, Debug)]
enum Route {
    Client(mpsc::Sender<Ask>),
    /// The client has no way to ask a person.
    Deaf,
}

/// A call that questions can be asked about, until it is dropped.
#[derive(Debug)]
pub(super) struct Routed {
    routes: Routes,
    call: String,
}

impl Routes {
    /// Routes the questions about a call, where its client can be asked.
    pub(super) fn open(&self, call: &str, can_ask: bool) -> (Routed, mpsc::Receiver<Ask>) {
        let (sender, asks) = mpsc::channel(WAITING);
        let route = if can_ask { Route::Client(sender) } else { Route::Deaf };
        self.lock().insert(call.to_owned(), route);
        (Routed { routes: self.clone(), call: call.to_owned() }, asks)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Route>> {
        // Every lock is held for plain inserts and look-ups, so a poisoned one still holds whole values.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        self.routes.lock().remove(&self.call);
    }
}

/// All clients of a gateway, as one way to reach a person.
pub(super) struct Clients {
    pub(super) routes: Routes,
    pub(super) unanswered: Unanswered,
}

impl Clients {
    /// The answer to a question that the client cannot be asked.
    fn default_answer(&self, question: &Question) -> Option<Answer> {
        match (self.unanswered, &question.asking) {
            (Unanswered::Allow, Asking::Approval { .. }) => Some(Answer::allow_once()),
            (Unanswered::Allow, Asking::Choice { .. }) | (Unanswered::Leave, _) => None,
        }
    }
}

impl Answerer for Clients {
    fn name(&self) -> &str {
        "mcp-client"
    }

    async fn answer(&self, question: &Question) -> HookResult<Option<Answer>> {
        let route = self.routes.lock().get(&question.root_call_id).cloned();
        Ok(match route {
            None => None,
            Some(Route::Deaf) => self.default_answer(question),
            Some(Route::Client(asks)) => {
                let (answer, answered) = oneshot::channel();
                let ask = Ask { question: question.clone(), answer };
                if asks.send(ask).await.is_err() { None } else { answered.await.unwrap_or(None) }
            }
        })
    }
}
