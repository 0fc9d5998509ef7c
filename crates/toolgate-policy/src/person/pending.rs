//! The open questions: what a page lists, answers by id, and watches.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};
use toolgate::{Cancellation, ToolExecution};

use super::{Answer, Asking, Question, QuestionId};

/// Why an answer was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRefused {
    /// The question was answered already, or its call does not wait any more.
    #[error("nothing is pending under this id: the question was answered or withdrawn")]
    NotPending,
    /// The answer is none to this question, which stays open.
    #[error("{0}")]
    DoesNotFit(&'static str),
}

/// All open questions.
pub(super) struct Pending {
    state: Mutex<State>,
    /// Counts changes: a question came or went, somebody came or went.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    last: u64,
    open: BTreeMap<QuestionId, Open>,
    attending: usize,
}

struct Open {
    question: Arc<Question>,
    cancellation: Cancellation,
    answer: oneshot::Sender<Given>,
}

/// An answer and who gave it.
pub(super) struct Given {
    pub(super) answer: Answer,
    pub(super) by: String,
}

impl Pending {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), changes: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every lock is held for changes of one map, so a poisoned one still holds whole values.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Opens a question. It can be answered until the receiver is dropped and it is closed.
    pub(super) fn open(
        &self,
        call: &ToolExecution,
        asking: Asking,
        cancellation: &Cancellation,
    ) -> (Arc<Question>, oneshot::Receiver<Given>) {
        let (answer, given) = oneshot::channel();
        let question = {
            let mut state = self.state();
            state.last = state.last.wrapping_add(1);
            let id = QuestionId(state.last);
            let question = Arc::new(Question::new(id, call, asking));
            let open = Open { question: Arc::clone(&question), cancellation: cancellation.clone(), answer };
            state.open.insert(id, open);
            question
        };
        self.changed();
        (question, given)
    }

    pub(super) fn close(&self, id: QuestionId) {
        self.state().open.remove(&id);
        self.changed();
    }

    pub(super) fn questions(&self) -> Vec<Arc<Question>> {
        self.state().open.values().map(|open| Arc::clone(&open.question)).collect()
    }

    pub(super) fn answer(&self, id: QuestionId, answer: Answer, by: &str) -> Result<(), AnswerRefused> {
        let open = {
            let mut state = self.state();
            let open = state.open.get(&id).ok_or(AnswerRefused::NotPending)?;
            // The one who asks may not have noticed yet.
            if open.cancellation.is_cancelled() {
                return Err(AnswerRefused::NotPending);
            }
            if let Some(why) = open.question.asking.mismatch(&answer) {
                return Err(AnswerRefused::DoesNotFit(why));
            }
            state.open.remove(&id)
        };
        let given = Given { answer, by: by.to_owned() };
        let open = open.ok_or(AnswerRefused::NotPending)?;
        open.answer.send(given).map_err(|_| AnswerRefused::NotPending)
    }

    pub(super) fn is_attended(&self) -> bool {
        self.state().attending > 0
    }

    pub(super) fn attend(self: &Arc<Self>) -> Attendance {
        let changes = self.watch();
        let mut state = self.state();
        state.attending = state.attending.saturating_add(1);
        drop(state);
        self.changed();
        Attendance { pending: Arc::clone(self), changes }
    }
}

/// Somebody who watches the open questions and may answer them: a page that is open. While one is there, questions wait
/// for an answer; made by [`People::attend`](super::People::attend), and leaves when dropped.
pub struct Attendance {
    pending: Arc<Pending>,
    changes: watch::Receiver<u64>,
}

impl Attendance {
    /// The open questions, oldest first.
    #[must_use]
    pub fn questions(&self) -> Vec<Arc<Question>> {
        self.pending.questions()
    }

    /// Waits until the questions may have changed since this was last called. Dropping the future loses nothing.
    pub async fn changed(&mut self) {
        // The sender lives in what this holds.
        let _ = self.changes.changed().await;
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        let mut state = self.pending.state();
        state.attending = state.attending.saturating_sub(1);
        drop(state);
        self.pending.changed();
    }
}
