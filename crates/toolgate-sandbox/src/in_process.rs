//! [`InProcess`]: programs on threads of this process.
//!
//! For embedders. Each program has a thread of its own; loops of the language's own functions cannot be interrupted
//! there, so a run may outlast its deadline by as long as such a loop takes within the program's memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolgate_schema::JsonValue;

use crate::limits::Limits;
use crate::link::{Link, Wake};
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::program::{Answer, Globals, HostCall, Language, Program, Reply, Sandbox};
use crate::threads::Threads;
use crate::{system, typescript};

/// Runs programs on threads of this process.
#[derive(Debug, Clone)]
pub struct InProcess {
    permits: Arc<Semaphore>,
    threads: Arc<Threads>,
}

/// Answers that may wait to be read by a program before no more of its calls are handed over. A program that computes
/// reads none.
const MOST_UNREAD: usize = 64;

/// Programs that run at one time unless told otherwise.
const MOST_PROGRAMS: usize = 256;

impl InProcess {
    /// At most 256 programs at one time; more wait, and their time has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(MOST_PROGRAMS)), threads: Arc::default() }
    }
}

impl Default for InProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox for InProcess {
    async fn run(
        &self,
        program: Program,
        globals: Globals,
        limits: Limits,
        calls: mpsc::Sender<HostCall>,
        cancel: CancellationToken,
    ) -> Outcome {
        if program.language == Language::Python {
            return failed(FailureKind::Crash, "Python runs in worker processes only");
        }
        let permit = tokio::select! {
            biased;
            () = cancel.cancelled() => return failed(FailureKind::Abort, "the run was cancelled"),
            permit = self.permits.clone().acquire_owned() => permit,
        };
        // Dropping this future stops the program, without cancelling anything of the caller's.
        let cancel = cancel.child_token();
        let _stop = cancel.clone().drop_guard();
        let (done, outcome) = oneshot::channel();
        let stack = typescript::stack_size(program.source.len().min(limits.source), limits.stack);
        let started = self.threads.run(stack, move || {
            let outcome = match ChannelLink::new(calls, cancel) {
                Ok(link) => typescript::run(&program.source, &globals, &limits, link),
                Err(_) => failed(FailureKind::Crash, "the program could not be started"),
            };
            if outcome.failure.is_some() {
                system::give_back_memory();
            }
            Box::new(move || {
                drop(permit);
                let _ = done.send(outcome);
            })
        });
        if started.is_err() {
            return failed(FailureKind::Crash, "there is no thread for the program");
        }
        outcome.await.unwrap_or_else(|_| failed(FailureKind::Crash, "the thread of the program is gone"))
    }
}

fn failed(kind: FailureKind, message: &str) -> Outcome {
    Outcome { failure: Some(Failure::new(kind, message)), ..Outcome::default() }
}

/// The link of an engine whose host is another thread.
struct ChannelLink {
    calls: mpsc::Sender<HostCall>,
    /// What was submitted while the channel was full.
    waiting: VecDeque<HostCall>,
    answers: mpsc::UnboundedReceiver<Answer>,
    answer_to: mpsc::UnboundedSender<Answer>,
    cancel: CancellationToken,
    runtime: Runtime,
    gone: bool,
}

impl ChannelLink {
    fn new(calls: mpsc::Sender<HostCall>, cancel: CancellationToken) -> std::io::Result<Self> {
        let (answer_to, answers) = mpsc::unbounded_channel();
        let runtime = Builder::new_current_thread().enable_time().build()?;
        Ok(Self { calls, waiting: VecDeque::new(), answers, answer_to, cancel, runtime, gone: false })
    }

    /// Hands over what the channel takes now, unless the program has many answers to read.
    fn push(&mut self) {
        if self.answers.len() < MOST_UNREAD {
            self.push_all();
        }
    }

    fn push_all(&mut self) {
        while let Some(call) = self.waiting.pop_front() {
            match self.calls.try_send(call) {
                Ok(()) => {}
                Err(TrySendError::Full(call)) => return self.waiting.push_front(call),
                Err(TrySendError::Closed(_)) => self.gone = true,
            }
        }
    }
}

/// What a wait ended with.
enum Event {
    Answer(Option<Answer>),
    Room(bool),
    Cancelled,
    Time,
}

impl Link for ChannelLink {
    fn submit(&mut self, number: u64, name: String, arguments: JsonValue) {
        let reply = Reply::new(number, self.answer_to.clone());
        self.waiting.push_back(HostCall { number, name, arguments, reply });
        self.push();
    }

    fn wait(&mut self, until: Instant) -> Wake {
        loop {
            self.push();
            if self.gone {
                return Wake::Gone;
            }
            if let Ok((number, reply)) = self.answers.try_recv() {
                return Wake::Answer(number, reply);
            }
            if until <= Instant::now() {
                return Wake::Time;
            }
            let Self { calls, waiting, answers, cancel, runtime, .. } = self;
            let event = runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => Event::Cancelled,
                    answer = answers.recv() => Event::Answer(answer),
                    room = calls.reserve(), if !waiting.is_empty() => Event::Room(room.is_ok()),
                    () = calls.closed(), if waiting.is_empty() => Event::Room(false),
                    () = tokio::time::sleep_until(until.into()) => Event::Time,
                }
            });
            match event {
                Event::Answer(Some((number, reply))) => return Wake::Answer(number, reply),
                Event::Room(true) => {}
                Event::Answer(None) | Event::Room(false) => return Wake::Gone,
                Event::Cancelled => return Wake::Cancelled,
                Event::Time => return Wake::Time,
            }
        }
    }

    fn flush(&mut self, until: Instant) {
        self.answers.close();
        self.push_all();
        while !self.waiting.is_empty() && !self.gone && until > Instant::now() {
            let Self { calls, cancel, runtime, .. } = self;
            let room = runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => false,
                    room = calls.reserve() => room.is_ok(),
                    () = tokio::time::sleep_until(until.into()) => false,
                }
            });
            if !room {
                return;
            }
            self.push_all();
        }
    }

    fn log(&mut self, _line: &str) {}

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
