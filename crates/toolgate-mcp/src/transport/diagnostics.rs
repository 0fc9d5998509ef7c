//! [`Diagnostics`]: what a transport finds out about a server, for messages and for `toolgate mcp doctor`.
//!
//! Filled by the transports and by the judge of messages; everything that is kept is bounded.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::frame::QuarantinedTool;

/// How much of the standard error is kept, in bytes.
const TAIL: usize = 16 << 10;

/// How many lines of noise are kept, and how much of each.
const NOISE_LINES: usize = 5;
const NOISE_BYTES: usize = 200;

/// How many quarantined tools are kept, and how much of each reason.
const QUARANTINED: usize = 1_000;
const REASON_CHARS: usize = 500;

/// What is known of a server beyond its answers. Cheap to clone; it outlives the transport.
#[derive(Clone, Debug)]
pub struct Diagnostics(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    noted: Mutex<Noted>,
    exit: watch::Sender<Option<ServerExit>>,
}

#[derive(Debug, Default)]
struct Noted {
    noise: Noise,
    refused: u64,
    last_refusal: Option<String>,
    stderr: VecDeque<u8>,
    quarantined: Vec<QuarantinedTool>,
    is_session_lost: bool,
}

/// What a server sent that is no message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// How many lines or events.
    pub count: u64,
    /// The first of them that are not blank; at most 5, of 200 bytes.
    pub first: Vec<String>,
}

/// How the process of a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerExit {
    /// It never began.
    NotStarted(String),
    /// It ended, and nothing of it is left but what could not be ended.
    Ended {
        /// The exit code, if it exited.
        code: Option<i32>,
        /// The signal, if one ended it.
        signal: Option<i32>,
        /// How many processes outlived it and were ended.
        stragglers: usize,
        /// How many could not be ended.
        left: usize,
    },
    /// It was ended for a reason that is not its own.
    Broken(String),
}

impl fmt::Display for ServerExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(f, "the server was not started: {why}"),
            Self::Ended { code: Some(code), .. } => write!(f, "the server exited with code {code}"),
            Self::Ended { signal: Some(signal), .. } => write!(f, "the server was ended by signal {signal}"),
            Self::Ended { .. } => f.write_str("the server ended"),
            Self::Broken(why) => write!(f, "the server was ended: {why}"),
        }
    }
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self(Arc::new(Shared { noted: Mutex::default(), exit: watch::Sender::new(None) }))
    }
}

impl Diagnostics {
    /// What it sent that is no message.
    #[must_use]
    pub fn noise(&self) -> Noise {
        self.noted().noise.clone()
    }

    /// How many messages could not be taken, or were answers that nobody waits for, and why the last one was.
    #[must_use]
    pub fn refused_messages(&self) -> (u64, Option<String>) {
        let noted = self.noted();
        (noted.refused, noted.last_refusal.clone())
    }

    /// The end of what a process printed to its standard error; at most 16 KiB.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        let mut noted = self.noted();
        String::from_utf8_lossy(noted.stderr.make_contiguous()).trim().to_owned()
    }

    /// The tools that were taken out of the pages of `tools/list` since this was asked last, at most 1,000.
    ///
    /// One who lists takes them before, to forget those of an earlier list, and after.
    #[must_use]
    pub fn take_quarantined(&self) -> Vec<QuarantinedTool> {
        std::mem::take(&mut self.noted().quarantined)
    }

    /// How the process ended, once it has.
    #[must_use]
    pub fn exit(&self) -> Option<ServerExit> {
        self.0.exit.borrow().clone()
    }

    /// Waits until the process has ended and nothing of it is left. Never, for a server without a process.
    pub async fn exited(&self) -> ServerExit {
        let mut exit = self.0.exit.subscribe();
        loop {
            if let Some(exit) = exit.borrow_and_update().clone() {
                return exit;
            }
            // The sender lives as long as this.
            let _ = exit.changed().await;
        }
    }

    /// Whether the server has said that it does not know the session any more (HTTP 404). The connection is of no more
    /// use then: a new one has to be made. Calls that were under way may have been carried out (K43).
    #[must_use]
    pub fn is_session_lost(&self) -> bool {
        self.noted().is_session_lost
    }

    /// Why the server is gone, with the end of what it complained. Nothing while it is there.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let problem = match self.exit() {
            Some(exit) => exit.to_string(),
            None if self.is_session_lost() => "the server has forgotten the session (HTTP 404)".to_owned(),
            None => return None,
        };
        Some(self.with_stderr(problem))
    }

    /// A message with the last lines of the standard error.
    pub(crate) fn with_stderr(&self, message: String) -> String {
        let tail = self.stderr_tail();
        let lines: Vec<&str> = tail.lines().rev().take(10).collect();
        if lines.is_empty() {
            return message;
        }
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        format!("{message}\nits standard error ends with:\n{}", lines.join("\n"))
    }

    pub(crate) fn noise_line(&self, line: &[u8]) {
        let noise = &mut self.noted().noise;
        noise.count += 1;
        if noise.first.len() < NOISE_LINES && !line.trim_ascii().is_empty() {
            let kept = line.get(..NOISE_BYTES).unwrap_or(line);
            noise.first.push(String::from_utf8_lossy(kept).into_owned());
        }
    }

    pub(crate) fn refused(&self, reason: &str) {
        let mut noted = self.noted();
        noted.refused += 1;
        noted.last_refusal = Some(reason.chars().take(REASON_CHARS).collect());
    }

    pub(crate) fn quarantine(&self, tools: Vec<QuarantinedTool>) {
        let quarantined = &mut self.noted().quarantined;
        for mut tool in tools {
            if quarantined.len() < QUARANTINED {
                tool.reason = tool.reason.chars().take(REASON_CHARS).collect();
                quarantined.push(tool);
            }
        }
    }

    pub(crate) fn stderr(&self, bytes: &[u8]) {
        let stderr = &mut self.noted().stderr;
        let kept = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or_default();
        let over = (stderr.len() + kept.len()).saturating_sub(TAIL);
        stderr.drain(..over.min(stderr.len()));
        stderr.extend(kept);
    }

    pub(crate) fn session_lost(&self) {
        self.noted().is_session_lost = true;
    }

    pub(crate) fn ended(&self, exit: ServerExit) {
        self.0.exit.send_replace(Some(exit));
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
