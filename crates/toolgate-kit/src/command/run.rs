//! Runs one command: starts its supervisor, reads its output, and waits until nothing of it is left.
//!
//! Called by the `bash` tool and by jobs. A thread of its own does it all, so that a command needs no async driver,
//! and blocks nobody. The thread ends when the supervisor has ended; nobody can let go of a command earlier.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::net::{SendFlags, send};
use rustix::process::Signal;

use super::descendants::{marked, signal};
use super::wire::{self, News, Order};
use super::{CommandError, Ender, Place, Shell, Why};

/// What reads an output while it is written.
pub(crate) trait Sink: Send + 'static {
    /// Takes some more bytes.
    fn write(&mut self, bytes: &[u8]);
}

/// What to run.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The command, for the shell.
    pub(crate) command: String,
    /// Where it begins.
    pub(crate) place: Place,
    /// How long it may take.
    pub(crate) timeout: Option<Duration>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The end of the shell, where it began.
    pub(crate) ended: Result<Ended, CommandError>,
    /// Why it was told to end, if it was.
    pub(crate) why: Option<Why>,
    /// How long it took.
    pub(crate) took: Duration,
}

/// The end of a shell and of everything that it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The exit code, if it exited.
    pub(crate) code: Option<i32>,
    /// The signal, if one ended it.
    pub(crate) signal: Option<i32>,
    /// How many processes outlived it and were ended.
    pub(crate) stragglers: usize,
    /// How many processes could not be ended.
    pub(crate) left: usize,
}

/// How much is read at once, and how much the pipe is asked to hold.
const BLOCK: usize = 256 << 10;

/// How often the thread looks whether the command is still wanted.
const ROUND: Duration = Duration::from_millis(250);

/// How long a supervisor may take to say its first word.
const BEGINNING: Duration = Duration::from_secs(10);

/// How long it may take to end its command. It gives up by itself before.
const ENDING: Duration = Duration::from_secs(8);

/// Starts a command, and gives the way to end it.
///
/// `output` gets everything that it prints. `is_wanted` is asked a few times a second; the command is ended when it
/// says no. `then` is called when nothing of the command is left, from another thread.
///
/// # Errors
/// The command may not run, or there are no resources for it. `then` is not called.
pub(crate) fn launch<S: Sink>(
    shell: &Arc<Shell>,
    launch: Launch,
    output: Arc<Mutex<S>>,
    is_wanted: impl Fn() -> bool + Send + 'static,
    then: impl FnOnce(Finished) + Send + 'static,
) -> Result<Ender, CommandError> {
    let begun = Instant::now();
    let order = shell.order(launch.command)?;
    let (ours, theirs) = UnixStream::pair().map_err(CommandError::not_started)?;
    let ender = Ender::new(ours);
    let drive = Drive {
        shell: Arc::clone(shell),
        ender: ender.clone(),
        begun,
        until: launch.timeout.and_then(|timeout| begun.checked_add(timeout)),
        output,
        is_wanted,
    };
    let work = move || {
        let ender = drive.ender.clone();
        let ended = drive.run(&order, &launch.place, theirs);
        then(Finished { ended, why: ender.why(), took: begun.elapsed() });
    };
    let thread = std::thread::Builder::new().name("command".to_owned()).spawn(work);
    thread.map_err(CommandError::not_started)?;
    Ok(ender)
}

/// What the thread of a command has.
struct Drive<S, W> {
    shell: Arc<Shell>,
    ender: Ender,
    begun: Instant,
    until: Option<Instant>,
    output: Arc<Mutex<S>>,
    is_wanted: W,
}

impl<S: Sink, W: Fn() -> bool> Drive<S, W> {
    fn run(self, order: &Order, place: &Place, theirs: UnixStream) -> Result<Ended, CommandError> {
        let (pipe, end) = open_pipe().map_err(CommandError::not_started)?;
        let (variables, mark) = self.shell.environment(&order.scratch);
        let mut supervisor = self.start(place, variables, theirs, end).map_err(CommandError::not_started)?;
        let news = match self.send(order) {
            Ok(()) => self.follow(&mut File::from(pipe)),
            Err(_) => None,
        };
        if news.is_none() {
            let _ = supervisor.kill();
        }
        let _ = supervisor.wait();
        match news {
            Some(News::Ended { too_many: true, .. }) => {
                Err(CommandError::TooManyProcesses { most: self.shell.config.max_processes })
            }
            Some(News::Ended { code, signal, stragglers, too_many: false, left }) => {
                Ok(Ended { code, signal, stragglers, left })
            }
            Some(News::Refused { why, unconfined: true }) => Err(CommandError::Unconfined(why)),
            Some(News::Refused { why, unconfined: false }) => Err(CommandError::NotStarted(why)),
            Some(News::Started) => {
                sweep(&mark);
                Err(CommandError::Unwatched)
            }
            None => {
                sweep(&mark);
                Err(CommandError::NotStarted("its supervisor did not answer".to_owned()))
            }
        }
    }

    /// Starts the supervisor, whose environment and folder the command inherits.
    fn start(
        &self,
        place: &Place,
        variables: Vec<(std::ffi::OsString, std::ffi::OsString)>,
        socket: UnixStream,
        output: OwnedFd,
    ) -> io::Result<Child> {
        // By its handle, so that the folder is the one that was looked up.
        let folder = if cfg!(target_os = "linux") {
            PathBuf::from(format!("/proc/self/fd/{}", place.folder.as_raw_fd()))
        } else {
            place.path.clone()
        };
        let supervisor = &self.shell.supervisor;
        Command::new(&supervisor.program)
            .args(&supervisor.arguments)
            .env_clear()
            .envs(variables)
            .current_dir(folder)
            .stdin(Stdio::from(OwnedFd::from(socket)))
            .stdout(Stdio::from(output))
            .stderr(Stdio::null())
            .spawn()
    }

    fn send(&self, order: &Order) -> io::Result<()> {
        let socket = self.ender.socket();
        socket.set_write_timeout(Some(BEGINNING))?;
        let line = wire::line(order)?;
        let mut rest = line.as_slice();
        while !rest.is_empty() {
            let sent = send(socket, rest, SendFlags::NOSIGNAL)?;
            rest = rest.get(sent..).unwrap_or_default();
        }
        self.ender.is_ordered();
        Ok(())
    }

    /// Reads until the supervisor has said its last word; gives that.
    fn follow(&self, pipe: &mut File) -> Option<News> {
        let mut block = vec![0; BLOCK];
        let mut heard = Vec::new();
        let mut news = None;
        let mut is_open = true;
        let mut ending_since = None;
        loop {
            let now = Instant::now();
            if self.until.is_some_and(|until| now >= until) {
                self.ender.end(Why::TooLate);
            }
            if !(self.is_wanted)() {
                self.ender.end(Why::Closed);
            }
            let is_late = match (&news, self.ender.why()) {
                (_, Some(_)) => now.duration_since(*ending_since.get_or_insert(now)) > ENDING,
                (None, None) => now.duration_since(self.begun) > BEGINNING,
                (Some(_), None) => false,
            };
            if is_late {
                break;
            }
            let wait = self.until.filter(|_| self.ender.why().is_none());
            let wait = wait.map_or(ROUND, |until| until.saturating_duration_since(now).min(ROUND));
            let mut waiting = vec![PollFd::new(self.ender.socket(), PollFlags::IN)];
            if is_open {
                waiting.push(PollFd::new(pipe, PollFlags::IN));
            }
            let wait = Timespec::try_from(wait).ok();
            let ready = poll(&mut waiting, wait.as_ref()).unwrap_or_default();
            let has_word = ready > 0 && waiting.first().is_some_and(|word| !word.revents().is_empty());
            let has_output = ready > 0 && waiting.get(1).is_some_and(|output| !output.revents().is_empty());
            if has_output {
                is_open = self.read(pipe, &mut block) != Read::End;
            }
            if has_word && !listen(self.ender.socket(), &mut heard, &mut news) {
                break;
            }
        }
        // What was printed before the end is in the pipe. A process elsewhere may still hold it open and write.
        for _ in 0..64 {
            if !is_open || self.read(pipe, &mut block) != Read::Some {
                break;
            }
        }
        news
    }

    fn read(&self, pipe: &mut File, block: &mut [u8]) -> Read {
        match pipe.read(block) {
            Ok(0) => Read::End,
            Ok(length) => {
                let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
                output.write(block.get(..length).unwrap_or_default());
                Read::Some
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Read::Some,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Read::Nothing,
            Err(_) => Read::End,
        }
    }
}

/// What a look into the pipe gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Some,
    Nothing,
    End,
}

/// Hears what the supervisor says. False once it has nothing more to say.
fn listen(mut socket: &UnixStream, heard: &mut Vec<u8>, news: &mut Option<News>) -> bool {
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

fn open_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
    // Refused where the user has many pipes already: then it stays a smaller one.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&theirs, BLOCK);
    Ok((ours.into(), theirs.into()))
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
