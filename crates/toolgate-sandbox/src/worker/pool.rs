//! [`WorkerPool`]: programs in processes that were started before they are needed.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc as channel, oneshot};
use tokio_util::sync::CancellationToken;

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::program::{Globals, HostCall, Language, Program, Sandbox};

use super::process::{Order, Worker, nursery};
use super::session::Session;

/// How a worker is started. It must call [`worker_main`](crate::worker_main).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The binary.
    pub program: PathBuf,
    /// What it is given.
    pub arguments: Vec<OsString>,
}

impl Default for WorkerCommand {
    /// This binary again, with the one argument `sandbox-worker`.
    fn default() -> Self {
        // The link stays right when the file was replaced while this process runs.
        let link = PathBuf::from("/proc/self/exe");
        let program =
            if link.exists() { link } else { std::env::current_exe().unwrap_or_else(|_| "toolgate".into()) };
        Self { program, arguments: vec!["sandbox-worker".into()] }
    }
}

/// Runs each program in a process of its own, which can only compute, and kills it afterwards.
///
/// Cheap to clone; the last clone's end, and the end of the runs, ends all processes.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    nursery: Mutex<mpsc::Sender<Order>>,
    permits: Semaphore,
}

/// Processes that run programs at one time.
const MOST_PROGRAMS: usize = 64;

/// How long a worker may take to be ready.
const START: Duration = Duration::from_secs(10);

impl WorkerPool {
    /// Starts `idle` workers, and keeps as many waiting. At most 64 programs run at one time; more wait, and their
    /// time has not begun.
    ///
    /// # Errors
    /// When there is no thread for the pool. A command that cannot be started is the failure of a run.
    pub fn new(command: WorkerCommand, idle: usize) -> io::Result<Self> {
        let nursery = Mutex::new(nursery(command, idle)?);
        Ok(Self { inner: Arc::new(Inner { nursery, permits: Semaphore::new(MOST_PROGRAMS) }) })
    }

    /// A worker that is ready, or the words for why there is none.
    async fn take(&self) -> Result<Session, String> {
        let mut why = String::new();
        // A worker that waited may have died meanwhile; the next one is new.
        for _ in 0..3 {
            let (to, worker) = oneshot::channel();
            {
                let nursery = self.inner.nursery.lock().unwrap_or_else(PoisonError::into_inner);
                let own = nursery.clone();
                if nursery.send(Order::Take(to, own)).is_err() {
                    return Err("the thread of the workers is gone".to_owned());
                }
            }
            let worker: Worker = match worker.await {
                Ok(Ok(worker)) => worker,
                Ok(Err(error)) => return Err(format!("a worker could not be started: {error}")),
                Err(_) => return Err("the thread of the workers is gone".to_owned()),
            };
            match tokio::time::timeout(START, Session::open(worker)).await {
                Ok(Ok(session)) => return Ok(session),
                Ok(Err(message)) => why = message,
                Err(_) => return Err(format!("a worker was not ready after {START:?}")),
            }
        }
        Err(why)
    }
}

impl Sandbox for WorkerPool {
    async fn run(
        &self,
        program: Program,
        globals: Globals,
        limits: Limits,
        calls: channel::Sender<HostCall>,
        cancel: CancellationToken,
    ) -> Outcome {
        if program.language == Language::Python && !cfg!(feature = "python") {
            let message = "this build runs no Python\nhint: build it with `--features python`";
            return failed(FailureKind::Crash, message.to_owned());
        }
        let session = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                return failed(FailureKind::Abort, "the run was cancelled".to_owned());
            }
            session = async {
                let permit = self.inner.permits.acquire().await;
                self.take().await.map(|session| (session, permit))
            } => session,
        };
        match session {
            Ok((session, _permit)) => session.run(program, globals, limits, calls, cancel).await,
            Err(message) => failed(FailureKind::Crash, message),
        }
    }
}

fn failed(kind: FailureKind, message: String) -> Outcome {
    Outcome { failure: Some(Failure::new(kind, message)), ..Outcome::default() }
}
