//! [`supervisor_main`]: the whole life of a supervisor, from its order to the moment when nothing of the command is
//! left.
//!
//! It has one thread, runs one command, and outlives its owner just long enough to end it. It reads none of the
//! command's output: that goes to the owner directly.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group};

use super::descendants::{descendants, signal};
use super::handover::{self, Handed};
use super::wire::{self, Manner, News, Order};
use super::{scratch, shell};
use crate::confine::Cell;
use crate::system;

/// How often the supervisor looks whether there are too many processes, and buries those that nobody else does.
const ROUND: Duration = Duration::from_millis(200);

/// The same for one that is to run for hours.
const LONG_ROUND: Duration = Duration::from_secs(2);

/// How long what the shell left behind may go on, to end by itself.
const LINGER: Duration = Duration::from_millis(150);

/// How long a process may take to end itself before it is killed.
const GRACE: Duration = Duration::from_millis(250);

/// How long killing may take. What is left then cannot be killed: it belongs to another user, or hangs in a driver.
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two looks at what is left.
const PAUSE: Duration = Duration::from_millis(5);

/// What a binary does when it was started as a supervisor: runs the one command that the owner orders on the standard
/// input, with its output on the standard output, and ends it, with everything that it started, when the shell has
/// ended, when the owner says so, or when the owner is gone.
///
/// A binary whose tools include [`shell_tools`](crate::shell_tools) calls this first thing in `main` when it was given
/// the arguments of its [`SupervisorCommand`](crate::SupervisorCommand), before it starts a thread.
pub fn supervisor_main() -> ! {
    system::close_inherited();
    // So that no `kill` of a parent, and no key of a terminal, leaves a command without a supervisor.
    system::block_signals();
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    exit(match supervise() {
        Ok(()) => 0,
        Err(_) => 70,
    })
}

fn supervise() -> io::Result<()> {
    let owner = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let Handed { line, input, says_more } = handover::receive_order(&owner)?;
    if line.is_empty() {
        // The owner was killed before it said anything. Its folder is known from what the command would have inherited.
        // A piped program has none of its own.
        if !shell::is_piped() {
            std::env::var_os("TMPDIR").iter().for_each(|folder| scratch::remove(folder.as_ref()));
        }
        return Ok(());
    }
    if says_more {
        // The command was to be ended before it began.
        return tell(
            &owner,
            &News::Ended { code: None, signal: None, stragglers: 0, too_many: false, left: 0 },
        );
    }
    let order: Order = wire::message(&line)?;
    let scratch = order.scratch.clone();
    let shell = match start(&order, &null, input) {
        Ok(shell) => shell,
        Err(refused) => return tell(&owner, &refused),
    };
    // From here on only the command holds the output open.
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    let _ = tell(&owner, &News::Started);
    let (round, grace) = match order.manner {
        Manner::Command => (ROUND, GRACE),
        Manner::Piped { grace_ms } => (LONG_ROUND, Duration::from_millis(grace_ms)),
    };
    let most = order.most_processes;
    let mut watch = Watch { shell, status: None, owner, is_owned: true, most, round, grace };
    let news = watch.until_nothing_is_left();
    let told = tell(&watch.owner, &news);
    if !watch.is_owned || told.is_err() {
        scratch.iter().for_each(|folder| scratch::remove(folder));
    }
    Ok(())
}

fn tell(owner: &UnixStream, news: &News) -> io::Result<()> {
    let mut owner = owner;
    owner.write_all(&wire::line(news)?)
}

/// Starts the program: in a session of its own, with nothing to read unless it is piped, confined.
fn start(order: &Order, null: &File, input: Option<OwnedFd>) -> Result<Pid, News> {
    let refuse = |unconfined: bool| {
        move |error: &dyn std::fmt::Display| News::Refused { why: error.to_string(), unconfined }
    };
    let folder = std::env::current_dir().map_err(|error| refuse(false)(&error))?;
    let cell = Cell::prepare(&order.confinement, &folder).map_err(|error| refuse(true)(&error))?;
    let (wrapper, mut enter) = cell.into_parts();
    let own = order.arguments.iter().map(OsString::from);
    let mut words = wrapper.into_iter().chain([order.program.clone().into_os_string()]).chain(own);
    let program: PathBuf = words.next().unwrap_or_default().into();
    let set_up = || -> io::Result<Command> {
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        let errors = match order.manner {
            Manner::Command => output.try_clone()?,
            Manner::Piped { .. } => io::stderr().as_fd().try_clone_to_owned()?,
        };
        let input = input.map_or_else(|| null.try_clone().map(OwnedFd::from), Ok)?;
        let mut command = Command::new(&program);
        command.args(words).stdin(input).stdout(output).stderr(errors);
        Ok(command)
    };
    let mut command = set_up().map_err(|error| refuse(false)(&error))?;
    system::before_exec(&mut command, move || {
        system::reset_signals();
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        enter()
    });
    let child = command
        .spawn()
        .map_err(|error| refuse(false)(&format_args!("{} cannot be started: {error}", program.display())))?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| refuse(false)(&"the shell has no number"))
}

/// What the supervisor knows of its command.
struct Watch {
    shell: Pid,
    status: Option<WaitStatus>,
    owner: UnixStream,
    is_owned: bool,
    most: usize,
    round: Duration,
    grace: Duration,
}

impl Watch {
    /// Waits until the shell has ended, or has to, and sees to it that everything else does.
    fn until_nothing_is_left(&mut self) -> News {
        let mut too_many = false;
        let mut stragglers = 0;
        let mut lingers_until = None;
        while self.bury() {
            if self.status.is_some() {
                let now = Instant::now();
                if now >= *lingers_until.get_or_insert(now + LINGER) {
                    stragglers = alive();
                    break;
                }
            }
            if alive() > self.most {
                too_many = true;
                break;
            }
            if self.hears_end(if self.status.is_some() { LINGER / 5 } else { self.round }) {
                break;
            }
        }
        // A command that multiplies is not asked first.
        let left = self.end_all(if too_many { Duration::ZERO } else { self.grace });
        let status = self.status;
        News::Ended {
            code: status.and_then(WaitStatus::exit_status),
            signal: status.and_then(WaitStatus::terminating_signal),
            stragglers,
            too_many,
            left,
        }
    }

    /// Takes note of every child that has ended. Whether there are any left.
    fn bury(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.shell => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Waits for the owner's word, the end of the shell, or the next round. Whether everything is to end.
    fn hears_end(&mut self, round: Duration) -> bool {
        let shell = Handle::of(self.shell, self.status.is_some());
        let mut waiting = vec![PollFd::new(&self.owner, PollFlags::IN)];
        waiting.extend(shell.descriptor().map(|shell| PollFd::from_borrowed_fd(shell, PollFlags::IN)));
        let round = Timespec::try_from(round).ok();
        let heard = match poll(&mut waiting, round.as_ref()) {
            Ok(0) | Err(_) => false,
            Ok(_) => waiting.first().is_some_and(|owner| !owner.revents().is_empty()),
        };
        if !heard {
            return false;
        }
        let mut word = [0];
        match (&self.owner).read(&mut word) {
            Ok(0) => self.is_owned = false,
            Ok(_) => {}
            Err(error) => self.is_owned = error.kind() == io::ErrorKind::Interrupted,
        }
        true
    }

    /// Ends every process there is: asks first, then kills until nothing is left. Gives how many cannot be killed.
    fn end_all(&mut self, grace: Duration) -> usize {
        let begun = Instant::now();
        let mut asked = false;
        while self.bury() {
            let is_asking = begun.elapsed() < grace;
            if !is_asking && begun.elapsed() > grace + PATIENCE {
                return alive().max(1);
            }
            if !asked || !is_asking {
                let word = if is_asking { Signal::TERM } else { Signal::KILL };
                let living: Vec<_> = descendants().into_iter().filter(|process| !process.is_over).collect();
                if !is_asking {
                    // All of a group at once, so that none of it gets to start another.
                    let groups = living.iter().filter_map(|process| process.group);
                    let own = rustix::process::getpgrp();
                    for group in groups.filter(|group| *group != own).collect::<HashSet<_>>() {
                        let _ = kill_process_group(group, word);
                    }
                }
                for process in living {
                    signal(process, word);
                    // One that is stopped hears it only when it goes on.
                    signal(process, Signal::CONT);
                }
                asked = true;
            }
            let pause = Timespec::try_from(PAUSE).ok();
            let _ = poll(&mut [], pause.as_ref());
        }
        // Where nothing tells what became of the children of children, their group has to do.
        if cfg!(not(target_os = "linux")) {
            let _ = kill_process_group(self.shell, Signal::KILL);
        }
        0
    }
}

/// How many processes there are below this one that have not ended.
fn alive() -> usize {
    descendants().iter().filter(|process| !process.is_over).count()
}

/// Something to wait for the shell with, where the system has it.
struct Handle(Option<OwnedFd>);

impl Handle {
    #[cfg(target_os = "linux")]
    fn of(shell: Pid, is_over: bool) -> Self {
        let open = || rustix::process::pidfd_open(shell, rustix::process::PidfdFlags::empty()).ok();
        Self(if is_over { None } else { open() })
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_shell: Pid, _is_over: bool) -> Self {
        Self(None)
    }

    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.0.as_ref().map(OwnedFd::as_fd)
    }
}
