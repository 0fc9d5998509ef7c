//! [`PipedProcess`]: a program that talks over three pipes for as long as its owner likes, such as a server of tools.
//!
//! It has a supervisor as every command has, so that nothing of it is left when it has ended, when it was told to, or when
//! this process is gone. A thread of its own waits for the end. It is not confined: what is started here was chosen by
//! whoever configures this, not by a model.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::owner::{self, BEGINNING, ENDING, EndError, Ended, listen};
use super::shell::{PIPED, marked_environment};
use super::wire::{Manner, News, Order};
use super::{Ender, EnvironmentConfig, SupervisorCommand, Why, handover};
use crate::confine::Confinement;

/// How often the thread looks whether the supervisor is late.
const ROUND: Duration = Duration::from_secs(1);

/// What to start.
#[derive(Clone)]
pub struct PipedCommand {
    /// The program: a path, or a name to look for in `PATH` as the program itself will see it.
    pub program: String,
    /// What it is given.
    pub arguments: Vec<String>,
    /// Which variables it inherits: those that do not look like credentials, and what this says.
    pub environment: EnvironmentConfig,
    /// Where it begins; the folder of this process if nowhere.
    pub folder: Option<PathBuf>,
    /// How long it and what it started may take to end, once they are told to, before they are killed.
    pub grace: Duration,
    /// How many processes it may have at one time; when it has more, it is ended.
    pub max_processes: usize,
}

impl fmt::Debug for PipedCommand {
    /// Without the arguments, which may be credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipedCommand")
            .field("program", &self.program)
            .field("environment", &self.environment)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// A program that was started. Dropping it tells the program to end and waits for nothing.
#[derive(Debug)]
pub struct PipedProcess {
    /// What it reads.
    pub stdin: OwnedFd,
    /// What it prints.
    pub stdout: OwnedFd,
    /// What it complains.
    pub stderr: OwnedFd,
    /// How it is told to end.
    pub ender: PipedEnder,
}

/// Tells a program to end, and everything that it started: with SIGTERM first and, after its grace, with SIGKILL. Dropping
/// it tells that too.
#[derive(Debug)]
pub struct PipedEnder(Ender);

impl PipedEnder {
    /// Tells it now, from any thread and without waiting.
    pub fn end(&self) {
        self.0.end(Why::Closed);
    }
}

impl Drop for PipedEnder {
    fn drop(&mut self) {
        self.end();
    }
}

impl PipedCommand {
    /// Starts the program under a supervisor.
    ///
    /// `then` is called once, from another thread, when nothing of the program is left, or with why it did not begin.
    ///
    /// # Errors
    /// The system has no pipes or threads left, or the folder cannot be entered; `then` is not called.
    pub fn start(
        self,
        supervisor: &SupervisorCommand,
        then: impl FnOnce(Result<Ended, EndError>) + Send + 'static,
    ) -> io::Result<PipedProcess> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{PIPED}{}.{number}", std::process::id());
        let (variables, mark) = marked_environment(&self.environment, None, &mark);
        let (control, theirs) = UnixStream::pair()?;
        let (input, stdin) = io::pipe()?;
        let (stdout, output) = io::pipe()?;
        let (stderr, errors) = io::pipe()?;
        let mut command = Command::new(&supervisor.program);
        command
            .args(&supervisor.arguments)
            .env_clear()
            .envs(variables)
            .current_dir(self.folder.as_deref().unwrap_or_else(|| Path::new(".")))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(output))
            .stderr(Stdio::from(errors));
        let child = command.spawn()?;
        // The command holds this process's ends of what is the supervisor's.
        drop(command);
        let ender = Ender::new(control);
        let watch = Watch { ender: ender.clone(), grace: self.grace, most: self.max_processes, mark };
        let order = self.order();
        let input = OwnedFd::from(input);
        let work = move || then(watch.until_the_end(child, &order, input));
        std::thread::Builder::new().name("piped".to_owned()).spawn(work)?;
        let (stdin, stdout, stderr) = (stdin.into(), stdout.into(), stderr.into());
        Ok(PipedProcess { stdin, stdout, stderr, ender: PipedEnder(ender) })
    }

    fn order(self) -> Order {
        Order {
            program: self.program.into(),
            arguments: self.arguments,
            confinement: Confinement::none(),
            most_processes: self.max_processes,
            scratch: None,
            manner: Manner::Piped { grace_ms: u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX) },
        }
    }
}

/// What the thread of a program has.
struct Watch {
    ender: Ender,
    grace: Duration,
    most: usize,
    mark: String,
}

impl Watch {
    fn until_the_end(self, child: Child, order: &Order, input: OwnedFd) -> Result<Ended, EndError> {
        let sent = handover::send_order(&self.ender, order, Some(&input));
        drop(input);
        let news = sent.ok().and_then(|()| self.follow());
        owner::end_of(news, child, &self.mark, self.most)
    }

    /// Hears until the supervisor has said its last word; gives that.
    fn follow(&self) -> Option<News> {
        let begun = Instant::now();
        let (mut heard, mut news, mut ending_since) = (Vec::new(), None, None);
        loop {
            let now = Instant::now();
            let is_late = match (&news, self.ender.why()) {
                (_, Some(_)) => now.duration_since(*ending_since.get_or_insert(now)) > self.grace + ENDING,
                (None, None) => now.duration_since(begun) > BEGINNING,
                (Some(_), None) => false,
            };
            if is_late {
                return news;
            }
            let mut waiting = [PollFd::new(self.ender.socket(), PollFlags::IN)];
            let ready = poll(&mut waiting, Timespec::try_from(ROUND).ok().as_ref()).unwrap_or_default();
            if ready > 0 && !listen(self.ender.socket(), &mut heard, &mut news) {
                return news;
            }
        }
    }
}
