//! The tools with which a model reads what was cut. Their answers are bounded by themselves and never cut again.

mod grep;
mod query;
mod read;

use std::sync::Arc;

use toolgate::{RunContext, ToolError};

pub(super) use grep::SpillGrep;
pub(super) use query::SpillQuery;
pub(super) use read::SpillRead;

use super::access;
use super::blocking::off_thread;
use super::config::Limits;
use super::entry::Entry;
use super::error::SpillError;
use super::store::SpillStore;

pub(super) const READ: &str = "spill_read";
pub(super) const GREP: &str = "spill_grep";
pub(super) const QUERY: &str = "spill_query";

/// Whether a tool of that name reads what was cut.
pub(super) fn is_reader(tool: &str) -> bool {
    [READ, GREP, QUERY].contains(&tool)
}

/// What the tools share.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) store: Arc<SpillStore>,
    pub(super) limits: Arc<Limits>,
}

impl Reader {
    /// Does `work` with what is kept under `handle`, if the caller may read it.
    async fn with<T: Send + 'static>(
        &self,
        handle: &str,
        cx: &RunContext,
        work: impl FnOnce(&SpillStore, &Entry) -> Result<T, SpillError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let entry = access::open(&self.store, handle, cx).await.map_err(SpillError::into_tool_error)?;
        let store = Arc::clone(&self.store);
        let done = off_thread(move || work(&store, &entry)).await;
        done.unwrap_or(Err(SpillError::Stopped)).map_err(SpillError::into_tool_error)
    }

    /// How much an answer may hold: what was asked for, up to the configured size.
    fn answer(&self, asked: Option<u64>) -> Result<usize, SpillError> {
        let most = self.limits.answer;
        match asked.map(usize::try_from) {
            None => Ok(most),
            Some(Ok(asked)) if (4..=most).contains(&asked) => Ok(asked),
            Some(Ok(_) | Err(_)) => Err(SpillError::Arguments {
                what: "`limit` is out of range".to_owned(),
                hint: format!("give 4 to {most} bytes, and go on where the answer ends"),
            }),
        }
    }
}
