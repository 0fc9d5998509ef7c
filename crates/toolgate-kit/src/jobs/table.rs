//! [`Jobs`]: the jobs of one session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolgate::{ChangeObserver, Scope};

use super::job::Job;
use crate::command::{CommandError, Launch, Shell, Why, launch};
use crate::workspace::shown_text;

/// How long a job is remembered after its end, and how many of those there are.
const MEMORY: Duration = Duration::from_secs(3600);
const MOST_ENDED: usize = 32;

/// The jobs of one session. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct Jobs {
    shell: Arc<Shell>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    begun: u64,
    jobs: Vec<Arc<Job>>,
}

impl Jobs {
    pub(crate) fn new(shell: Arc<Shell>) -> Self {
        Self { shell, state: Mutex::default() }
    }

    /// Starts a job for a scope, and gives its id.
    pub(crate) fn start(
        &self,
        order: Launch,
        description: Option<String>,
        owner: Option<&Scope>,
    ) -> Result<String, CommandError> {
        // Held until the job is in the table, so that closing does not miss it.
        let mut state = self.lock();
        if state.is_closed {
            return Err(CommandError::Closed);
        }
        state.forget();
        let most = self.shell.config.max_jobs;
        if state.jobs.iter().filter(|job| job.end().is_none()).count() >= most {
            return Err(CommandError::TooManyJobs { most });
        }
        let id = format!("job-{}", state.begun + 1);
        let command = (order.command.clone(), description);
        let place = (order.place.path.clone(), order.timeout);
        let job = Arc::new(Job::new(id.clone(), command, place, owner, self.shell.config.job_buffer_bytes));
        let (watched, ended) = (Arc::clone(&job), Arc::clone(&job));
        let is_wanted = move || watched.is_wanted();
        let then = move |finished| ended.has_ended(finished);
        job.runs(launch(&self.shell, order, job.sink(), is_wanted, then)?);
        state.begun += 1;
        state.jobs.push(job);
        Ok(id)
    }

    /// A job that the scope may see.
    pub(super) fn find(&self, id: &str, scope: Option<&Scope>) -> Result<Arc<Job>, CommandError> {
        let state = self.lock();
        let job = state.jobs.iter().find(|job| job.id == id && job.belongs_to(scope)).cloned();
        job.ok_or_else(|| CommandError::UnknownJob { id: shown_text(id) })
    }

    /// Every job that the scope may see, in the order in which they began.
    pub(super) fn of(&self, scope: Option<&Scope>) -> Vec<Arc<Job>> {
        let mut state = self.lock();
        state.forget();
        state.jobs.iter().filter(|job| job.belongs_to(scope)).cloned().collect()
    }

    /// Ends every job, and lets no other begin. Does not wait for them.
    fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        for job in &state.jobs {
            job.end_it(Why::Closed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    /// Forgets the jobs that ended long ago, and the oldest of too many.
    fn forget(&mut self) {
        let ended = self.jobs.iter().filter(|job| job.end().is_some()).count();
        let mut excess = ended.saturating_sub(MOST_ENDED);
        self.jobs.retain(|job| {
            let Some(end) = job.end() else { return true };
            let stays = excess == 0 && end.at.elapsed() < MEMORY;
            excess = excess.saturating_sub(1);
            stays
        });
    }
}

/// Ends the jobs when it is taken out of the registry. It hears of changes and does nothing about them: what it is
/// registered for is its own end, which comes at once when the plugin is unplugged or its scope closes, whoever still
/// holds a tool.
#[derive(Debug)]
pub(crate) struct EndJobs(pub(crate) Arc<Jobs>);

impl ChangeObserver for EndJobs {
    fn changed(&self) {}
}

impl Drop for EndJobs {
    fn drop(&mut self) {
        self.0.close();
    }
}
