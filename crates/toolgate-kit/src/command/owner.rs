//! The owner's side of a supervisor: what it hears, what it makes of the end, and what it does where a supervisor was
//! killed. Used by `run` and by `piped`, whose threads own one supervisor each.

use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use rustix::process::Signal;

use super::descendants::{marked, signal};
use super::wire::{self, News};

/// How long a supervisor may take to say its first word.
pub(super) const BEGINNING: Duration = Duration::from_secs(10);

/// How long it may take to end its command, beyond the time that the command has to end itself. It gives up by itself
/// before.
pub(super) const ENDING: Duration = Duration::from_secs(8);

/// The end of a program and of everything that it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code, if it exited.
    pub code: Option<i32>,
    /// The signal, if one ended it.
    pub signal: Option<i32>,
    /// How many processes outlived it and were ended.
    pub stragglers: usize,
    /// How many processes could not be ended.
    pub left: usize,
}

/// A program did not begin, or nobody saw its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndError {
    /// Its confinement failed when it was entered.
    #[error("it cannot be confined: {0}")]
    Unconfined(String),
    /// It could not be started.
    #[error("{0}")]
    NotStarted(String),
    /// The supervisor was killed before it. What was left of it has been ended.
    #[error("its supervisor was killed; what was left of it has been ended")]
    Unwatched,
    /// It had more processes than it may.
    #[error("it was ended because it had more than {most} processes")]
    TooManyProcesses {
        /// How many it may have.
        most: usize,
    },
}

/// Hears what the supervisor says. False once it has nothing more to say.
pub(super) fn listen(mut socket: &UnixStream, heard: &mut Vec<u8>, news: &mut Option<News>) -> bool {
    /// More than a supervisor says in its life.
    const MOST: usize = 64 << 10;
    let mut block = [0; 4096];
    match socket.read(&mut block) {
        Ok(0) | Err(_) => return false,
        Ok(length) => heard.extend_from_slice(block.get(..length).unwrap_or_default()),
    }
    while let Some(end) = heard.iter().position(|byte| *byte == b'\n') {
        let line: Vec<u8> = heard.drain(..=end).collect();
        match wire::message(&line) {
            Ok(message) => *news = Some(message),
            Err(_) => return false,
        }
    }
    heard.len() <= MOST && !matches!(news, Some(News::Ended { .. } | News::Refused { .. }))
}

/// Buries the supervisor, whose last word was `news`, and says how its program ended. Where the supervisor did not see
/// to that, everything that carries the mark is killed.
pub(super) fn end_of(
    news: Option<News>,
    mut supervisor: Child,
    mark: &str,
    most: usize,
) -> Result<Ended, EndError> {
    if news.is_none() {
        let _ = supervisor.kill();
    }
    let _ = supervisor.wait();
    match news {
        Some(News::Ended { too_many: true, .. }) => Err(EndError::TooManyProcesses { most }),
        Some(News::Ended { code, signal, stragglers, too_many: false, left }) => {
            Ok(Ended { code, signal, stragglers, left })
        }
        Some(News::Refused { why, unconfined: true }) => Err(EndError::Unconfined(why)),
        Some(News::Refused { why, unconfined: false }) => Err(EndError::NotStarted(why)),
        Some(News::Started) => {
            sweep(mark);
            Err(EndError::Unwatched)
        }
        None => {
            sweep(mark);
            Err(EndError::NotStarted("its supervisor did not answer".to_owned()))
        }
    }
}

/// Kills what a supervisor left that was killed itself: every process that still has the command's mark.
fn sweep(mark: &str) {
    /// A process that starts others while it is looked for needs another look.
    const LOOKS: usize = 50;
    for _ in 0..LOOKS {
        let found = marked(mark);
        if found.is_empty() {
            return;
        }
        for process in found {
            signal(process, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
