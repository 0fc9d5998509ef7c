//! [`Session`]: one program in one worker, seen from the host, which distrusts what it hears.
//!
//! A frame that is too long, that is no frame, or that no worker of ours would send ends the run as `crash`. So does a
//! worker that dies. One that computes past its time is killed as `timeout`, one that says nothing past it as `crash`.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::future::pending;
use std::io::ErrorKind;
use std::pin::pin;
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_schema::{JsonValue, ParseLimits};

use crate::json_text::weight;
use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind, Outcome, Printed};
use crate::output::Output;
use crate::program::{Answer, Globals, HostCall, HostReply, Language, Program, Reply};

use super::frame::{self, Frames, FromWorker, ToWorker};
use super::patience::Patience;
use super::process::Worker;

/// How long a worker may take beyond the wall time to say so itself.
const GRACE: Duration = Duration::from_millis(500);

/// What a frame may have besides its payload.
const HEAD: usize = 64 << 10;

/// How much may wait to be read by the worker before no more of its calls are handed over. A program that computes
/// reads nothing, and the answers are kept in this process.
const MOST_UNREAD: usize = 8 << 20;

/// A worker that is ready for a program.
pub(super) struct Session {
    worker: Worker,
    input: pipe::Sender,
    output: pipe::Receiver,
    frames: Frames,
    buffer: Vec<u8>,
}

impl Session {
    /// Waits until the worker is ready; the error says why it is not.
    pub(super) async fn open(mut worker: Worker) -> Result<Self, String> {
        let lost = |error: std::io::Error| format!("a worker could not be reached: {error}");
        let (input, output) = worker.pipes.take().ok_or("a worker has no pipes")?;
        let input = pipe::Sender::from_owned_fd(input).map_err(lost)?;
        let output = pipe::Receiver::from_owned_fd(output).map_err(lost)?;
        let buffer = vec![0; 32 << 10];
        let mut session = Self { worker, input, output, frames: Frames::default(), buffer };
        loop {
            match session.frames.next(HEAD, ParseLimits::default()) {
                Ok(Some((FromWorker::Ready, None))) => return Ok(session),
                Ok(Some(_)) | Err(_) => return Err("a worker began with what it must not say".to_owned()),
                Ok(None) => {}
            }
            match session.output.read(&mut session.buffer).await {
                Ok(0) | Err(_) => return Err("a worker ended before it was ready".to_owned()),
                Ok(length) => session.frames.push(session.buffer.get(..length).unwrap_or_default()),
            }
        }
    }

    /// Runs the program; the worker is gone when this is ready.
    pub(super) async fn run(
        self,
        program: Program,
        globals: Globals,
        limits: Limits,
        calls: mpsc::Sender<HostCall>,
        cancel: CancellationToken,
    ) -> Outcome {
        let Self { worker, mut input, mut output, mut frames, mut buffer } = self;
        let mut out = Vec::new();
        let names: HashSet<String> = globals.names.iter().cloned().collect();
        let run = ToWorker::Run {
            python: program.language == Language::Python,
            source: program.source,
            names: globals.names,
            limits: (&limits).into(),
        };
        frame::write(&mut out, &run, None);
        let mut heard = Hearing::new(names, &limits);
        let (answer_to, mut answers) = mpsc::unbounded_channel::<Answer>();
        let end = Instant::now() + limits.wall.min(Duration::from_secs(30 * 86_400)) + GRACE;
        let most = HEAD + limits.output.max(limits.memory / 4);
        let mut written = 0;
        let mut patience = Patience::default();
        let mut cancelled = pin!(cancel.cancelled());
        let mut late = pin!(tokio::time::sleep_until(end));
        let verdict = loop {
            // Everything that is possible now, before anything is waited for.
            match heard.take(&mut frames, most, &answer_to) {
                Ok(false) => {}
                Ok(true) => break Verdict::Done,
                Err(message) => break Verdict::Failed(FailureKind::Crash, message),
            }
            let is_read = out.len() - written < MOST_UNREAD;
            if is_read {
                heard.hand_over(&calls);
            }
            while let Ok((number, reply)) = answers.try_recv() {
                heard.answer(&mut out, number, reply);
            }
            let is_its_turn = heard.open.is_empty();
            tokio::select! {
                biased;
                () = &mut cancelled => break Verdict::Failed(FailureKind::Abort, "the run was cancelled"),
                length = input.write(out.get(written..).unwrap_or_default()), if written < out.len() => match length {
                    Ok(length) => {
                        written += length;
                        if written == out.len() || written > MOST_UNREAD {
                            out.drain(..written);
                            written = 0;
                        }
                    }
                    // Its last words may still be in the other pipe.
                    Err(_) => {
                        out.clear();
                        written = 0;
                    }
                },
                Some((number, reply)) = answers.recv() => heard.answer(&mut out, number, reply),
                sent = room(&calls, is_read && !heard.waiting.is_empty()) => match (sent, heard.waiting.pop_front()) {
                    (Ok(permit), Some(call)) => permit.send(call),
                    (Ok(_), None) => {}
                    (Err(_), _) => break Verdict::Failed(
                        FailureKind::Abort,
                        "nobody answers the calls of the program any more",
                    ),
                },
                length = arrived(&mut output, &mut buffer, &mut patience, is_its_turn), if heard.waiting.len() < limits.in_flight => match length {
                    Ok(0) | Err(_) => break Verdict::Dead,
                    Ok(length) => {
                        patience.is_rewarded();
                        frames.push(buffer.get(..length).unwrap_or_default());
                    }
                },
                () = &mut late => break if computes(&worker) {
                    Verdict::Late
                } else {
                    Verdict::Failed(FailureKind::Crash, "the worker of the program fell silent")
                },
            }
        };
        let status = worker.end().await;
        let has_returned = heard.done.as_ref().is_some_and(|outcome| outcome.failure.is_none());
        drop(answers);
        if has_returned {
            // Calls that were submitted before that are handed over, unless nobody takes them.
            for call in heard.waiting.drain(..) {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => break,
                    sent = calls.send(call) => if sent.is_err() { break },
                    () = tokio::time::sleep_until(end) => break,
                }
            }
        }
        heard.outcome(verdict, status, &limits)
    }
}

/// What the worker says next. Where it is its turn to say something, that may be worth looking for; everybody else goes
/// on meanwhile.
async fn arrived(
    output: &mut pipe::Receiver,
    buffer: &mut [u8],
    patience: &mut Patience,
    is_its_turn: bool,
) -> std::io::Result<usize> {
    while is_its_turn && patience.looks_again() {
        tokio::task::consume_budget().await;
        match output.try_read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::task::yield_now().await,
            read => return read,
        }
    }
    output.read(buffer).await
}

async fn room(
    calls: &mpsc::Sender<HostCall>,
    waiting: bool,
) -> Result<mpsc::Permit<'_, HostCall>, mpsc::error::SendError<()>> {
    if waiting {
        return calls.reserve().await;
    }
    calls.closed().await;
    if calls.is_closed() { Err(mpsc::error::SendError(())) } else { pending().await }
}

/// How a run ended, seen from outside.
enum Verdict {
    /// The worker said so.
    Done,
    /// The worker is gone.
    Dead,
    /// The worker computed past its time.
    Late,
    Failed(FailureKind, &'static str),
}

/// What was heard of a program.
struct Hearing {
    names: HashSet<String>,
    limits: Limits,
    made: u64,
    /// The calls without an answer, and what their arguments take.
    open: BTreeMap<u64, usize>,
    bytes: usize,
    waiting: VecDeque<HostCall>,
    output: Output,
    done: Option<Outcome>,
}

impl Hearing {
    fn new(names: HashSet<String>, limits: &Limits) -> Self {
        Self {
            names,
            limits: limits.clone(),
            made: 0,
            open: BTreeMap::new(),
            bytes: 0,
            waiting: VecDeque::new(),
            output: Output::new(limits.output),
            done: None,
        }
    }

    /// Takes the frames that have arrived; true is the last one.
    fn take(
        &mut self,
        frames: &mut Frames,
        most: usize,
        answer_to: &mpsc::UnboundedSender<Answer>,
    ) -> Result<bool, &'static str> {
        const GARBAGE: &str = "the worker of the program said what it must not say";
        while let Some((head, payload)) = frames.next(most, ParseLimits::default()).map_err(|_| GARBAGE)? {
            match (head, payload) {
                (FromWorker::Log { line }, None) => {
                    if self.output.is_overflown() {
                        return Err(GARBAGE);
                    }
                    self.output.line(line);
                }
                (FromWorker::Call { number, name }, Some(arguments)) => {
                    let weight = weight(arguments.as_value());
                    let bytes = self.bytes.saturating_add(weight);
                    let refusal = self.limits.refuse_call(self.made, self.open.len(), bytes);
                    if number != self.made + 1 || refusal.is_some() || !self.names.contains(&name) {
                        return Err(GARBAGE);
                    }
                    self.made = number;
                    self.bytes = bytes;
                    self.open.insert(number, weight);
                    let reply = Reply::new(number, answer_to.clone());
                    self.waiting.push_back(HostCall { number, name, arguments, reply });
                }
                (FromWorker::Done { lines, bytes, failure, mut unawaited }, result) => {
                    let failure = match failure {
                        Some(failure) => Some(failure.read().ok_or(GARBAGE)?),
                        None => None,
                    };
                    unawaited.retain(|number| *number > 0 && *number <= self.made);
                    unawaited.sort_unstable();
                    unawaited.dedup();
                    self.done = Some(Outcome {
                        logs: Vec::new(),
                        printed: Printed { lines, bytes },
                        result: result.filter(|_| failure.is_none()),
                        failure,
                        unawaited,
                    });
                    return Ok(true);
                }
                (FromWorker::Ready | FromWorker::Log { .. } | FromWorker::Call { .. }, _) => {
                    return Err(GARBAGE);
                }
            }
        }
        Ok(false)
    }

    /// Hands over what the channel takes now.
    fn hand_over(&mut self, calls: &mpsc::Sender<HostCall>) {
        while !self.waiting.is_empty()
            && let Ok(permit) = calls.try_reserve()
        {
            if let Some(call) = self.waiting.pop_front() {
                permit.send(call);
            }
        }
    }

    /// Passes an answer on, once.
    fn answer(&mut self, out: &mut Vec<u8>, number: u64, reply: HostReply) {
        if let Some(weight) = self.open.remove(&number) {
            self.bytes = self.bytes.saturating_sub(weight);
            match reply {
                HostReply::Ok(value) => frame::write(out, &ToWorker::Value { number }, Some(&value)),
                HostReply::Err(message) => {
                    frame::write::<ToWorker>(out, &ToWorker::Error { number, message }, None::<&JsonValue>);
                }
            }
        }
    }

    fn outcome(
        mut self,
        verdict: Verdict,
        status: Option<std::process::ExitStatus>,
        limits: &Limits,
    ) -> Outcome {
        let failure = match verdict {
            Verdict::Done => {
                let mut outcome = self.done.take().unwrap_or_default();
                outcome.logs = self.output.take_logs();
                return outcome;
            }
            Verdict::Dead => dead(status, limits),
            Verdict::Late => Failure::new(
                FailureKind::Timeout,
                format!("the program ran for longer than {:?}", limits.wall),
            ),
            Verdict::Failed(kind, message) => Failure::new(kind, message),
        };
        let printed = self.output.printed();
        Outcome {
            logs: self.output.take_logs(),
            printed,
            result: None,
            failure: Some(failure),
            unawaited: self.open.into_keys().collect(),
        }
    }
}

/// Why a worker is gone that did not say so.
fn dead(status: Option<std::process::ExitStatus>, limits: &Limits) -> Failure {
    use std::os::unix::process::ExitStatusExt;

    let signal = status.and_then(|status| status.signal());
    if signal == Some(Signal::XCPU.as_raw()) {
        let message = format!("the program computed for longer than {:?}", limits.cpu);
        return Failure::new(FailureKind::Timeout, message);
    }
    if status.and_then(|status| status.code()) == Some(super::OUT_OF_MEMORY) {
        return Failure::new(FailureKind::Memory, "the program used up its memory");
    }
    Failure::new(FailureKind::Crash, "the worker of the program died")
}

/// Whether the worker is busy rather than stuck.
fn computes(worker: &Worker) -> bool {
    let Some(id) = worker.id() else { return false };
    let Ok(state) = std::fs::read_to_string(format!("/proc/{id}/stat")) else {
        // Where there is no such file, being late is all that is known.
        return !std::path::Path::new("/proc/self/stat").exists();
    };
    let state = state.rsplit_once(')').map(|(_, state)| state.trim_start());
    // The main thread waits for the one that computes, so the state is that of the whole group's threads.
    state.is_some_and(|state| !state.starts_with(['T', 't', 'Z', 'X'])) && threads_run(id)
}

/// Whether one of the process's threads is running.
fn threads_run(id: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return false };
    threads.flatten().any(|thread| {
        std::fs::read_to_string(thread.path().join("stat"))
            .ok()
            .and_then(|state| {
                state.rsplit_once(')').map(|(_, state)| state.trim_start().starts_with(['R', 'D']))
            })
            .unwrap_or_default()
    })
}
