//! Who carries questions to a person: a terminal, an editor, another agent's host.

use std::future::Future;
use std::pin::Pin;

use toolgate::HookResult;

use super::{Answer, Closed, Question};

/// A way to reach a person.
///
/// All answerers get a question at the same time. The first answer counts; the others are then dropped where they wait
/// and told through [`closed`](Self::closed). Several questions may be open at once; one who can show only one makes the
/// others wait.
pub trait Answerer: Send + Sync + 'static {
    /// What it is called in events, such as `terminal`.
    fn name(&self) -> &str;

    /// Puts the question to the person and waits for the answer, for as long as it takes. `None` where nobody can be
    /// reached this way; the question then stays with the others.
    ///
    /// # Errors
    /// The way to the person failed. That is reported, and means the same as `None`.
    fn answer(&self, question: &Question) -> impl Future<Output = HookResult<Option<Answer>>> + Send;

    /// Hears that a question is closed, once, whoever answered it: time to take it off the screen.
    fn closed(&self, question: &Question, how: &Closed) {
        let _ = (question, how);
    }
}

/// The future of an answer.
pub(super) type Answering<'a> = Pin<Box<dyn Future<Output = HookResult<Option<Answer>>> + Send + 'a>>;

/// The same with its future boxed.
pub(super) trait DynAnswerer: Send + Sync {
    fn name(&self) -> &str;
    fn answer<'a>(&'a self, question: &'a Question) -> Answering<'a>;
    fn closed(&self, question: &Question, how: &Closed);
}

impl<A: Answerer> DynAnswerer for A {
    fn name(&self) -> &str {
        Answerer::name(self)
    }

    fn answer<'a>(&'a self, question: &'a Question) -> Answering<'a> {
        Box::pin(Answerer::answer(self, question))
    }

    fn closed(&self, question: &Question, how: &Closed) {
        Answerer::closed(self, question, how);
    }
}
