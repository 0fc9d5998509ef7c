//! [`StdioTransport`]: a server that is a child process and talks in lines.
//!
//! The process has a supervisor, so that everything it starts ends with it (K05). Its standard output is read only as
//! fast as messages are taken, its standard error always. What is no message is counted and ignored.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use toolgate_kit::{EndError, Ended, EnvironmentConfig, PipedCommand, PipedEnder, SupervisorCommand};

use super::answers::Answers;
use super::writer::Writer;
use super::{Connected, Diagnostics, ServerExit};
use crate::frame::{FrameLimits, Frames, Ledger, Line, Lines, Verdict, to_rmcp};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// How long the process of a server that has closed its standard output may take to tell how it ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long the supervisor may take beyond the times that a server is given.
const SUPERVISOR: Duration = Duration::from_secs(15);

/// A server that is started as a child process.
#[derive(Clone, Default)]
pub struct StdioServer {
    /// The program: a path, or a name to look for in `PATH`.
    pub command: String,
    /// What it is given.
    pub args: Vec<String>,
    /// Variables that are set for it, credentials included.
    pub env: BTreeMap<String, String>,
    /// Names of variables that it inherits although they look like credentials.
    pub pass_env: Vec<String>,
    /// Where it begins; the folder of this process if nowhere.
    pub cwd: Option<PathBuf>,
    /// How much it may do.
    pub limits: StdioLimits,
}

impl fmt::Debug for StdioServer {
    /// Without arguments and values of variables, which may be credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.env.keys().collect();
        f.debug_struct("StdioServer")
            .field("command", &self.command)
            .field("env", &names)
            .field("pass_env", &self.pass_env)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// How much a child process may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdioLimits {
    /// How large its messages may be.
    pub frame: FrameLimits,
    /// How long it may take to end once its standard input is closed, before it is told to. 2 seconds.
    pub close: Duration,
    /// How long it may take to end once it is told to, before it is killed with everything that it started. 2 seconds.
    pub grace: Duration,
    /// How many processes it may have at one time. 512.
    pub max_processes: usize,
}

impl Default for StdioLimits {
    fn default() -> Self {
        Self {
            frame: FrameLimits::default(),
            close: Duration::from_secs(2),
            grace: Duration::from_secs(2),
            max_processes: 512,
        }
    }
}

/// A server's process cannot be set up, or not be written to.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The folder is not there.
    #[error("the server {command} was not started: there is no folder {folder}\nhint: check its `cwd`")]
    NoFolder {
        /// The program.
        command: String,
        /// The folder.
        folder: String,
    },
    /// The system refuses to start its supervisor.
    #[error("the server {command} was not started: {source}\nhint: check that the system has resources left")]
    NotStarted {
        /// The program.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// A message cannot be written as JSON.
    #[error("the message cannot be written: {0}")]
    Message(#[from] serde_json::Error),
    /// The server does not read any more.
    #[error("the server takes no more messages{}", .0.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Closed(Option<String>),
}

/// Starts a server. What happens to it later, such as that there is no such program, is in the diagnostics, and every
/// request that waits then fails with it.
///
/// # Errors
/// The system does not start processes, or the folder is not there.
pub fn connect_stdio(
    server: StdioServer,
    supervisor: &SupervisorCommand,
) -> Result<Connected<StdioTransport>, StdioError> {
    let StdioServer { command, args, env, pass_env, cwd, limits } = server;
    if let Some(folder) = cwd.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(StdioError::NoFolder { command, folder: folder.display().to_string() });
    }
    let diagnostics = Diagnostics::default();
    let piped = PipedCommand {
        program: command.clone(),
        arguments: args,
        environment: EnvironmentConfig { pass: pass_env, set: env },
        folder: cwd,
        grace: limits.grace,
        max_processes: limits.max_processes,
    };
    let notes = diagnostics.clone();
    let not_started = |source| StdioError::NotStarted { command: command.clone(), source };
    let process = piped.start(supervisor, move |end| notes.ended(exit_of(end))).map_err(not_started)?;
    let stdin = pipe::Sender::from_owned_fd(process.stdin).map_err(not_started)?;
    let stdout = pipe::Receiver::from_owned_fd(process.stdout).map_err(not_started)?;
    let stderr = pipe::Receiver::from_owned_fd(process.stderr).map_err(not_started)?;
    let (writer, writing) = Writer::new(stdin);
    let (mut writers, mut drains) = (JoinSet::new(), JoinSet::new());
    writers.spawn(writing);
    drains.spawn(drain(stderr, diagnostics.clone()));
    let ledger = Ledger::default();
    let answers = ledger.answers();
    let transport = StdioTransport {
        frames: Frames { limits: limits.frame, ledger, notes: diagnostics.clone() },
        limits,
        writer: Some(writer),
        answers: Answers::new(),
        writers,
        drains,
        stdout,
        block: vec![0; BLOCK],
        lines: Lines::new(limits.frame.max_bytes),
        ready: VecDeque::new(),
        reading: Reading::Open,
        ender: process.ender,
    };
    Ok(Connected { transport, diagnostics, answers })
}

/// A child process, as a transport for `rmcp`. Dropping it ends the process with everything that it started, without
/// waiting for that; [`close`](Transport::close) waits.
#[derive(Debug)]
pub struct StdioTransport {
    frames: Frames,
    limits: StdioLimits,
    writer: Option<Writer>,
    answers: Answers,
    writers: JoinSet<()>,
    drains: JoinSet<()>,
    stdout: pipe::Receiver,
    block: Vec<u8>,
    lines: Lines,
    ready: VecDeque<ServerJsonRpcMessage>,
    reading: Reading,
    ender: PipedEnder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Open,
    /// The output has ended; the process may tell how it ends until then.
    Ended {
        until: Instant,
    },
    /// Everybody who waited has been told.
    Over,
}

impl Transport<RoleClient> for StdioTransport {
    type Error = StdioError;

    fn name() -> std::borrow::Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), StdioError>> + Send + 'static {
        self.frames.ledger.sends(&message);
        let is_answer = matches!(message, ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_));
        let (writer, answers) = (self.writer.clone(), self.answers.clone());
        let notes = self.frames.notes.clone();
        async move {
            let line = line_of(&message)?;
            let closed = || StdioError::Closed(notes.problem());
            let writer = writer.ok_or_else(closed)?;
            if answers.send(is_answer, writer.write(line)).await.is_ok() {
                return Ok(());
            }
            // That it has ended, and how, is known a moment after the pipe breaks.
            let _ = timeout(FAREWELL, notes.exited()).await;
            Err(closed())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            // A server that asks and does not read its answers is not listened to until it does.
            if self.reading == Reading::Open {
                self.answers.room().await;
            }
            if let Some(line) = self.lines.next() {
                self.take(line);
                continue;
            }
            match self.reading {
                Reading::Open => match self.stdout.read(&mut self.block).await {
                    Ok(0) | Err(_) => {
                        self.lines.end();
                        self.reading = Reading::Ended { until: Instant::now() + FAREWELL };
                    }
                    Ok(length) => self.lines.push(self.block.get(..length).unwrap_or_default()),
                },
                Reading::Ended { until } => {
                    let exit = timeout_at(until, self.frames.notes.exited()).await;
                    let why = exit.map_or_else(
                        |_| "the server has closed its standard output".to_owned(),
                        |exit| exit.to_string(),
                    );
                    // Its last words are in the pipe.
                    let _ = timeout_at(until, self.drains.join_next()).await;
                    self.ready.extend(self.frames.abandon(&self.frames.notes.with_stderr(why)));
                    self.reading = Reading::Over;
                }
                Reading::Over => return None,
            }
        }
    }

    /// Closes the server's standard input, and when it does not end by that, tells it to, and then kills it. Returns when
    /// nothing of it is left; dropping the future leaves the rest to the supervisor, as soon as the transport is dropped.
    async fn close(&mut self) -> Result<(), StdioError> {
        self.writer = None;
        let notes = self.frames.notes.clone();
        let closing = async {
            // A server that does not read keeps what was sent to it from being written.
            if timeout(self.limits.close / 2, self.writers.join_next()).await.is_err() {
                self.writers.abort_all();
                while self.writers.join_next().await.is_some() {}
            }
            // What it says now is for nobody, but it may not get to its end unless somebody reads.
            let reading = async {
                while self.stdout.read(&mut self.block).await.is_ok_and(|length| length > 0) {}
                std::future::pending::<()>().await;
            };
            tokio::select! {
                _ = notes.exited() => {}
                () = reading => {}
            }
        };
        if timeout(self.limits.close, closing).await.is_err() {
            self.ender.end();
            let _ = timeout(self.limits.grace + SUPERVISOR, notes.exited()).await;
        }
        // What it printed last is in the pipe; a process that could not be ended may hold it open.
        let _ = timeout(Duration::from_millis(100), self.drains.join_next()).await;
        self.drains.abort_all();
        self.reading = Reading::Over;
        Ok(())
    }
}

impl StdioTransport {
    fn take(&mut self, line: Line) {
        let verdict = match line {
            Line::Whole(line) => self.frames.judge(&line),
            Line::TooLong(skimmed) => self.frames.too_long(skimmed),
        };
        match verdict {
            Verdict::Sent(message) | Verdict::Mended(message) => match to_rmcp(&message) {
                Ok(message) => self.ready.push_back(message),
                Err(error) => self.frames.notes.refused(&error.to_string()),
            },
            Verdict::Refused(answer) => {
                if let (Some(writer), Ok(line)) = (&self.writer, line_of(&answer)) {
                    writer.write_later(line);
                }
            }
            Verdict::Nothing => {}
        }
    }
}

fn line_of(message: &ClientJsonRpcMessage) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Keeps the end of what a server complains, for as long as it does.
async fn drain(mut stderr: pipe::Receiver, notes: Diagnostics) {
    let mut block = vec![0; 8 << 10];
    while let Ok(length) = stderr.read(&mut block).await {
        if length == 0 {
            return;
        }
        notes.stderr(block.get(..length).unwrap_or_default());
    }
}

fn exit_of(end: Result<Ended, EndError>) -> ServerExit {
    match end {
        Ok(Ended { code, signal, stragglers, left }) => ServerExit::Ended { code, signal, stragglers, left },
        Err(EndError::NotStarted(why) | EndError::Unconfined(why)) => ServerExit::NotStarted(why),
        Err(error @ (EndError::Unwatched | EndError::TooManyProcesses { .. })) => {
            ServerExit::Broken(error.to_string())
        }
    }
}
