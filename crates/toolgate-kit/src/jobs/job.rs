//! [`Job`]: one command in the background.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};
use toolgate::{Cancellation, Scope, WeakScope};

use super::ring::{Ring, Taken};
use crate::bash::{length, signal_name};
use crate::command::{CommandError, Ended, Ender, Finished, Sink, Why};

/// A command in the background.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) command: String,
    pub(super) description: Option<String>,
    pub(super) workdir: PathBuf,
    timeout: Option<Duration>,
    owner: Option<WeakScope>,
    begun: Instant,
    ender: OnceLock<Ender>,
    output: Arc<Mutex<JobSink>>,
    end: OnceLock<End>,
    /// Told of every output, and of the end.
    changed: Arc<Notify>,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) at: Instant,
    pub(super) took: Duration,
    pub(super) code: Option<i32>,
    pub(super) signal: Option<String>,
    /// Why it did not end by itself.
    pub(super) because: Option<String>,
}

/// What a job prints goes here.
#[derive(Debug)]
pub(super) struct JobSink {
    ring: Ring,
    changed: Arc<Notify>,
}

impl Sink for JobSink {
    fn write(&mut self, bytes: &[u8]) {
        self.ring.write(bytes);
        self.changed.notify_waiters();
    }
}

impl Job {
    pub(super) fn new(
        id: String,
        command: (String, Option<String>),
        place: (PathBuf, Option<Duration>),
        owner: Option<&Scope>,
        most: usize,
    ) -> Self {
        let changed = Arc::new(Notify::new());
        let sink = JobSink { ring: Ring::new(most), changed: Arc::clone(&changed) };
        Self {
            id,
            command: command.0,
            description: command.1,
            workdir: place.0,
            timeout: place.1,
            owner: owner.map(Scope::downgrade),
            begun: Instant::now(),
            ender: OnceLock::new(),
            output: Arc::new(Mutex::new(sink)),
            end: OnceLock::new(),
            changed,
        }
    }

    /// Whether a caller may see it: one of the scope that began it, or nobody's where that was nobody's.
    pub(super) fn belongs_to(&self, scope: Option<&Scope>) -> bool {
        match (&self.owner, scope) {
            (None, None) => true,
            (Some(owner), Some(scope)) => owner.id() == scope.id(),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether whoever began it is still there.
    pub(super) fn is_wanted(&self) -> bool {
        self.owner.as_ref().is_none_or(WeakScope::is_open)
    }

    pub(super) fn sink(&self) -> Arc<Mutex<JobSink>> {
        Arc::clone(&self.output)
    }

    pub(super) fn runs(&self, ender: Ender) {
        let _ = self.ender.set(ender);
    }

    pub(super) fn end_it(&self, why: Why) {
        if let Some(ender) = self.ender.get() {
            ender.end(why);
        }
    }

    /// Takes note of the end.
    pub(super) fn has_ended(&self, finished: Finished) {
        let Finished { ended, why, took } = finished;
        let (code, signal, mut because) = match ended {
            Ok(Ended { code, signal, stragglers: _, left }) => {
                let left = (left > 0).then(|| format!("{left} of its processes could not be ended"));
                (code, signal.map(signal_name), left)
            }
            Err(error) => (None, None, Some(in_words(&error))),
        };
        match why {
            Some(Why::TooLate) => {
                let time = self.timeout.map(length).unwrap_or_default();
                because = Some(format!("it did not finish within {time}"));
            }
            Some(Why::Killed) => because = Some("it was killed with job_kill".to_owned()),
            Some(Why::Closed | Why::Cancelled) => because = Some("its session was closed".to_owned()),
            None => {}
        }
        let _ = self.end.set(End { at: Instant::now(), took, code, signal, because });
        self.changed.notify_waiters();
    }

    pub(super) fn end(&self) -> Option<&End> {
        self.end.get()
    }

    pub(super) fn age(&self) -> Duration {
        self.end().map_or_else(|| self.begun.elapsed(), |end| end.took)
    }

    pub(super) fn unread(&self) -> u64 {
        self.lock().ring.unread()
    }

    pub(super) fn take(&self, most: usize) -> Taken {
        // The end is looked at first: what was printed before it is there by then.
        let is_over = self.end().is_some();
        self.lock().ring.take(most, is_over)
    }

    /// Waits until there is something to read, the job has ended, the time is over, or nobody wants to know any more.
    pub(super) async fn wait(&self, at_most: Duration, cancellation: &Cancellation) {
        self.wait_until(|job| job.end().is_some() || job.unread() > 0, at_most, cancellation).await;
    }

    /// Waits until the job has ended, the time is over, or nobody wants to know any more. Whether it has ended.
    pub(super) async fn wait_for_end(&self, at_most: Duration, cancellation: &Cancellation) -> bool {
        self.wait_until(|job| job.end().is_some(), at_most, cancellation).await;
        self.end().is_some()
    }

    async fn wait_until(
        &self,
        is_there: impl Fn(&Self) -> bool,
        at_most: Duration,
        cancellation: &Cancellation,
    ) {
        if at_most.is_zero() {
            return;
        }
        let (mut alarm, _stop) = alarm(at_most);
        loop {
            let mut change = std::pin::pin!(self.changed.notified());
            // Before the look, so that no change falls between the two.
            change.as_mut().enable();
            if is_there(self) {
                return;
            }
            tokio::select! {
                () = change => {}
                _ = &mut alarm => return,
                () = cancellation.cancelled() => return,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, JobSink> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_words(error: &CommandError) -> String {
    error.to_string()
}

/// A clock that needs no async driver: the receiver hears when the time is over. Dropping the sender stops it.
fn alarm(after: Duration) -> (oneshot::Receiver<()>, std::sync::mpsc::Sender<()>) {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let (ring, alarm) = oneshot::channel();
    let work = move || {
        let _ = stopped.recv_timeout(after);
        let _ = ring.send(());
    };
    // Without a thread the sender is dropped, and the alarm rings at once.
    let _ = std::thread::Builder::new().name("alarm".to_owned()).stack_size(64 << 10).spawn(work);
    (alarm, stop)
}
