//! [`Worker`]: one worker process, from its start to the moment when the kernel has forgotten it.
//!
//! All processes of a pool are started and awaited by one thread, the nursery: a worker dies with the thread that
//! started it, so that thread lives as long as the pool and its runs.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::oneshot;

use super::pool::WorkerCommand;

/// A worker that runs, with the pipes to it.
#[derive(Debug)]
pub(super) struct Worker {
    child: Option<Child>,
    pub(super) pipes: Option<(OwnedFd, OwnedFd)>,
    nursery: mpsc::Sender<Order>,
}

/// What the nursery is asked for.
#[derive(Debug)]
pub(super) enum Order {
    /// A worker, which keeps this sender: waiting workers have none, so that they do not keep the nursery alive.
    Take(oneshot::Sender<io::Result<Worker>>, mpsc::Sender<Order>),
    /// Wait for a process that was killed.
    Bury(Child, oneshot::Sender<Option<ExitStatus>>),
}

impl Worker {
    /// The process's number, while it is not buried.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Kills the process, with everything in its group, and waits until it is gone.
    pub(super) async fn end(mut self) -> Option<ExitStatus> {
        let gone = self.bury()?;
        gone.await.ok().flatten()
    }

    /// Kills the process and has the nursery wait for it.
    fn bury(&mut self) -> Option<oneshot::Receiver<Option<ExitStatus>>> {
        let child = self.child.take()?;
        kill(&child);
        let (done, gone) = oneshot::channel();
        match self.nursery.send(Order::Bury(child, done)) {
            Ok(()) => Some(gone),
            Err(mpsc::SendError(order)) => {
                // The nursery's thread is gone, and the process with it.
                if let Order::Bury(mut child, _) = order {
                    let _ = child.wait();
                }
                None
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.bury());
    }
}

fn kill(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It fails when the process is gone already.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// Starts the thread that starts workers and keeps `idle` of them.
pub(super) fn nursery(command: WorkerCommand, idle: usize) -> io::Result<mpsc::Sender<Order>> {
    let (orders, inbox) = mpsc::channel();
    std::thread::Builder::new().name("workers".to_owned()).spawn(move || {
        let mut ready: VecDeque<(Child, OwnedFd, OwnedFd)> = VecDeque::new();
        let mut refill = true;
        loop {
            let order = if refill && ready.len() < idle {
                // Whoever asks comes first; between two orders one more is started.
                match inbox.try_recv() {
                    Ok(order) => order,
                    Err(mpsc::TryRecvError::Empty) => {
                        match start(&command) {
                            Ok(worker) => ready.push_back(worker),
                            // Tried again when somebody asks, who is told why.
                            Err(_) => refill = false,
                        }
                        continue;
                    }
                    Err(mpsc::TryRecvError::Disconnected) => break,
                }
            } else {
                match inbox.recv() {
                    Ok(order) => order,
                    Err(mpsc::RecvError) => break,
                }
            };
            match order {
                Order::Take(to, nursery) => {
                    let started = match ready.pop_front() {
                        Some(worker) => Ok(worker),
                        None => start(&command),
                    };
                    refill = started.is_ok();
                    let _ = to.send(started.map(|(child, input, output)| Worker {
                        child: Some(child),
                        pipes: Some((input, output)),
                        nursery,
                    }));
                }
                Order::Bury(mut child, done) => {
                    let _ = done.send(child.wait().ok());
                }
            }
        }
        for (mut child, ..) in ready {
            kill(&child);
            let _ = child.wait();
        }
    })?;
    Ok(orders)
}

/// Starts one process that has nothing: no environment, no folder, no descriptors but two pipes.
fn start(command: &WorkerCommand) -> io::Result<(Child, OwnedFd, OwnedFd)> {
    use std::os::unix::process::CommandExt;

    let mut child = Command::new(&command.program)
        .args(&command.arguments)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(input), Some(output)) => Ok((child, input.into(), output.into())),
        (_, _) => {
            kill(&child);
            let _ = child.wait();
            Err(io::Error::other("the worker has no pipes"))
        }
    }
}
