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

use super::owner::{self, BEGINNING, ENDING, Ended, listen};
use super::wire::{News, Order};
use super::{CommandError, Ender, Place, Shell, Why, handover};

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

/// How much is read at once, and how much the pipe is asked to hold.
const BLOCK: usize = 256 << 10;

/// How often the thread looks whether the command is still wanted.
const ROUND: Duration = Duration::from_millis(250);

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
        let (variables, mark) = self.shell.environment(order.scratch.as_deref());
        let supervisor = self.start(place, variables, theirs, end).map_err(CommandError::not_started)?;
        let news = match handover::send_order(&self.ender, order, None) {
            Ok(()) => self.follow(&mut File::from(pipe)),
            Err(_) => None,
        };
        Ok(owner::end_of(news, supervisor, &mark, self.shell.config.max_processes)?)
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

fn open_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
    // Refused where the user has many pipes already: then it stays a smaller one.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&theirs, BLOCK);
    Ok((ours.into(), theirs.into()))
}
