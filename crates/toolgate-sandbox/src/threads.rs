//! [`Threads`]: the threads that programs run on, kept for the next program.
//!
//! Used by the in-process placement. A thread that is used again has its part of the heap already; new threads for
//! each program would each leave one behind.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// What a thread is given to do; it gives back how to tell that it is done.
type Job = Box<dyn FnOnce() -> Told + Send>;

/// Tells that a job is done, when its thread waits again, so that the next job finds it.
type Told = Box<dyn FnOnce() + Send>;

/// The threads that wait, each with the sender of its next job and its number.
type Idle = Arc<Mutex<Vec<(u64, mpsc::Sender<Job>)>>>;

/// Threads of one size of stack. They end when nobody needs them for a while.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    idle: Idle,
}

/// The stack of each, reserved and not touched.
pub(crate) const STACK: usize = 64 << 20;

/// Threads that may wait.
const MOST_IDLE: usize = 8;

/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(10);

impl Threads {
    /// Does a job on a thread of its own with at least so much stack.
    ///
    /// # Errors
    /// When there is no thread.
    pub(crate) fn run(&self, stack: usize, job: impl FnOnce() -> Told + Send + 'static) -> io::Result<()> {
        let builder = Builder::new().name("program".to_owned());
        if stack > STACK {
            return builder.stack_size(stack).spawn(move || job()()).map(drop);
        }
        let mut job: Job = Box::new(job);
        loop {
            // Bound first: the lock must not be held while a job is sent or a thread started.
            let waiting = lock(&self.idle).pop();
            match waiting {
                Some((_, thread)) => match thread.send(job) {
                    Ok(()) => return Ok(()),
                    Err(mpsc::SendError(back)) => job = back,
                },
                None => break,
            }
        }
        let idle = self.idle.clone();
        builder.stack_size(STACK).spawn(move || serve(&idle, job)).map(drop)
    }
}

fn lock(idle: &Idle) -> MutexGuard<'_, Vec<(u64, mpsc::Sender<Job>)>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The life of a thread.
fn serve(idle: &Idle, first: Job) {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let own = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (sender, jobs) = mpsc::channel();
    let mut told = first();
    loop {
        let waits = {
            let mut waiting = lock(idle);
            let room = waiting.len() < MOST_IDLE;
            if room {
                waiting.push((own, sender.clone()));
            }
            room
        };
        told();
        if !waits {
            return;
        }
        match jobs.recv_timeout(PATIENCE) {
            Ok(job) => told = job(),
            Err(RecvTimeoutError::Timeout) => {
                let mut waiting = lock(idle);
                let before = waiting.len();
                waiting.retain(|(number, _)| *number != own);
                if waiting.len() < before {
                    return;
                }
                drop(waiting);
                // Somebody took the sender just now: the job is coming.
                match jobs.recv() {
                    Ok(job) => told = job(),
                    Err(_) => return,
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
