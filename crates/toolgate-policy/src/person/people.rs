//! [`People`]: everybody who can be asked, and the one way to ask them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use toolgate::{Cancellation, ToolExecution};

use super::answerer::DynAnswerer;
use super::pending::{Given, Pending};
use super::{Answer, AnswerRefused, Answerer, Asking, Attendance, Closed, PersonClock, Question, QuestionId};

/// Everybody who can be asked. Cheap to clone; clones are the same people.
///
/// A question goes to all [`Answerer`]s at once, and stands in the list that those who [`attend`](Self::attend) see. The
/// first answer that fits counts. While it is open, the [`clock`](Self::clock) of its call tree stands still.
#[derive(Clone)]
pub struct People(Arc<Shared>);

struct Shared {
    answerers: Mutex<Vec<Arc<dyn DynAnswerer>>>,
    pending: Arc<Pending>,
    clock: PersonClock,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Somebody answered.
    By {
        /// The answer, which fits the question.
        answer: Answer,
        /// Who: the name of an answerer, or of the page.
        by: String,
    },
    /// The call was cancelled first.
    Cancelled,
    /// There was nobody who could answer.
    Unavailable,
}

impl People {
    /// Nobody yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Shared {
            answerers: Mutex::default(),
            pending: Arc::new(Pending::new()),
            clock: PersonClock::default(),
        }))
    }

    /// Adds a way to reach a person, for questions from now on.
    pub fn join(&self, answerer: impl Answerer) {
        self.0.answerers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(answerer));
    }

    /// Watches the open questions, as somebody who can answer them.
    #[must_use = "who does not hold the attendance is gone"]
    pub fn attend(&self) -> Attendance {
        self.0.pending.attend()
    }

    /// The open questions, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<Arc<Question>> {
        self.0.pending.questions()
    }

    /// Answers an open question in the name of `by`.
    ///
    /// # Errors
    /// Nothing is pending under this id any more, or the answer does not fit the question.
    pub fn answer(&self, id: QuestionId, answer: Answer, by: &str) -> Result<(), AnswerRefused> {
        self.0.pending.answer(id, answer, by)
    }

    /// The clock that stands still while somebody is asked: give it to the deadlines.
    #[must_use]
    pub fn clock(&self) -> PersonClock {
        self.0.clock.clone()
    }

    /// Asks on behalf of a call, and waits for the answer: until somebody gives one, until `cancellation` fires, or until
    /// nobody is left who could. Dropping the future withdraws the question.
    pub async fn ask(&self, call: &ToolExecution, asking: Asking, cancellation: &Cancellation) -> Answered {
        let _stopped = self.0.clock.stop(call.root_call_id());
        let answerers = self.0.answerers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (question, mut given) = self.0.pending.open(call, asking, cancellation);
        let mut open =
            OpenQuestion { pending: &self.0.pending, question: &question, answerers: &answerers, by: None };
        let mut changes = self.0.pending.watch();
        let mut answering: FuturesUnordered<_> =
            answerers.iter().map(|answerer| ask_one(answerer.as_ref(), &question)).collect();
        let answered = loop {
            if answering.is_empty() && !self.0.pending.is_attended() {
                break Answered::Unavailable;
            }
            tokio::select! {
                biased;
                // What was accepted counts, also where the caller has cancelled since.
                Ok(Given { answer, by }) = &mut given => break Answered::By { answer, by },
                () = cancellation.cancelled() => break Answered::Cancelled,
                Some(answer) = answering.next() => if let Some((answer, by)) = answer {
                    break Answered::By { answer, by };
                },
                _ = changes.changed() => {}
            }
        };
        if let Answered::By { by, .. } = &answered {
            open.by = Some(by.clone());
        }
        // Who has not answered stops waiting before hearing that the question is closed.
        drop(answering);
        drop(open);
        answered
    }
}

impl Default for People {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("People").field("pending", &self.pending().len()).finish_non_exhaustive()
    }
}

/// Asks through one answerer. Gives nothing where nobody is reached this way.
async fn ask_one(answerer: &dyn DynAnswerer, question: &Question) -> Option<(Answer, String)> {
    let failed = |why: &dyn fmt::Display| {
        tracing::warn!(target: "toolgate", answerer = answerer.name(), "a question was not answered: {why}");
        None
    };
    match answerer.answer(question).await {
        Ok(None) => None,
        Ok(Some(answer)) => match question.asking.mismatch(&answer) {
            None => Some((answer, answerer.name().to_owned())),
            Some(why) => failed(&why),
        },
        Err(error) => failed(&error),
    }
}

/// A question until it is closed, however that comes about.
struct OpenQuestion<'a> {
    pending: &'a Pending,
    question: &'a Question,
    answerers: &'a [Arc<dyn DynAnswerer>],
    by: Option<String>,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.pending.close(self.question.id);
        let how = match self.by.take() {
            Some(by) => Closed::Answered { by },
            None => Closed::Withdrawn,
        };
        for answerer in self.answerers {
            // This may run while an answerer's panic unwinds; a second one must not leave it.
            let told = catch_unwind(AssertUnwindSafe(|| answerer.closed(self.question, &how)));
            if told.is_err() {
                tracing::error!(target: "toolgate", "an answerer panicked when it was told that a question is closed");
            }
        }
    }
}
