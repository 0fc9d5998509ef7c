//! What goes into a run: a [`Program`], the [`Globals`] that it sees, and the [`HostCall`]s that it makes.
//!
//! Used by every placement. Nothing here knows what a call does.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_schema::JsonValue;

use crate::{Limits, Outcome};

/// The languages of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// TypeScript whose types can be erased.
    TypeScript,
    /// Python; only in workers, and only where it was compiled in.
    Python,
}

/// The body of an asynchronous function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What it is written in.
    pub language: Language,
    /// Its text.
    pub source: String,
}

impl Program {
    /// A TypeScript program.
    #[must_use]
    pub fn typescript(source: impl Into<String>) -> Self {
        Self { language: Language::TypeScript, source: source.into() }
    }

    /// A Python program.
    #[must_use]
    pub fn python(source: impl Into<String>) -> Self {
        Self { language: Language::Python, source: source.into() }
    }
}

/// What exists for a program besides the language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Globals {
    /// The names that exist on `tools`. Any other is undefined there; any text is a legal name.
    pub names: Vec<String>,
}

/// One call that a program makes to its host.
#[derive(Debug)]
pub struct HostCall {
    /// The place in the order of submission, counted from 1.
    pub number: u64,
    /// One of the names of [`Globals`].
    pub name: String,
    /// The argument; `{}` when the program gave none.
    pub arguments: JsonValue,
    /// Where the answer goes.
    pub reply: Reply,
}

impl HostCall {
    /// Whether its program has ended before it was handed over, so that nobody reads the answer.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.reply.answers.as_ref().is_none_or(mpsc::UnboundedSender::is_closed)
    }

    /// Ready when the program has ended, whatever becomes of the call: nobody reads its answer from then on, nor that of
    /// any other call of the program.
    pub fn abandoned(&self) -> impl Future<Output = ()> + Send + use<> {
        let answers = self.reply.answers.clone();
        async move {
            if let Some(answers) = answers {
                answers.closed().await;
            }
        }
    }
}

/// The host's answer to one call.
#[derive(Debug, Clone)]
pub enum HostReply {
    /// The value that the program awaits.
    Ok(JsonValue),
    /// The message of the `ToolCallError` that the program catches.
    Err(String),
}

/// Takes the answer to one call. Dropped without one, the program gets an error that says so.
#[derive(Debug)]
pub struct Reply {
    number: u64,
    answers: Option<mpsc::UnboundedSender<Answer>>,
}

/// An answer on its way back.
pub(crate) type Answer = (u64, HostReply);

impl Reply {
    /// The channel is unbounded, and what it holds is bounded by the calls in flight: each sends one answer.
    pub(crate) fn new(number: u64, answers: mpsc::UnboundedSender<Answer>) -> Self {
        Self { number, answers: Some(answers) }
    }

    /// Answers the call. The answer is lost without a word when the program has ended.
    pub fn send(mut self, reply: HostReply) {
        if let Some(answers) = self.answers.take() {
            let _ = answers.send((self.number, reply));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(answers) = self.answers.take() {
            let lost = HostReply::Err("the call ended without an answer".to_owned());
            let _ = answers.send((self.number, lost));
        }
    }
}

/// A place where programs run.
pub trait Sandbox {
    /// Runs one program to its end.
    ///
    /// Host calls arrive on `calls` in the order of their submission; the receiver must be read while the run goes
    /// on, and closing it ends the run as `abort`. Calls that were submitted before the program returned are handed
    /// over before the outcome is. After `cancel`, and when the future is dropped, the program is stopped; the
    /// future is ready when nothing of it runs any more.
    fn run(
        &self,
        program: Program,
        globals: Globals,
        limits: Limits,
        calls: mpsc::Sender<HostCall>,
        cancel: CancellationToken,
    ) -> impl Future<Output = Outcome> + Send;
}
