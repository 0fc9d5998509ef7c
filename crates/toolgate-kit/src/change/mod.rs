//! Changes of files that are whole or did not happen, and never undo what somebody else did meanwhile.
//!
//! Called by the tools `write`, `edit`, `delete` and `move`. New content is written to a temporary file in the same
//! directory, flushed to the disk, compared with what the change was made for, and put in place by one rename. Who
//! kills the process leaves the old content or the new one. Nothing here decides what a file should contain.

mod before;
mod created;
mod error;
mod fingerprint;
mod hunks;
mod litter;
mod names;
mod replace;
mod seen;
mod temporary;
mod turn;

use std::sync::Arc;

use toolgate::{RunContext, Scope};

use crate::failure::FileToolError;
use crate::workspace::{Workspace, shown_text};
pub(crate) use before::{Before, TEXT_LIMIT, check_text_size};
pub(crate) use created::CreatedDirectories;
pub(crate) use error::ChangeError;
pub(crate) use fingerprint::FingerprintedReader;
pub(crate) use hunks::{LineChanges, diff_view, line_changes};
use litter::Swept;
pub(crate) use names::{other_names, other_names_note};
pub(crate) use replace::{put_in_place, rename_without_replacing};
use seen::Sight;
pub(crate) use seen::{Agent, SeenFiles};
pub(crate) use turn::Turn;

/// What the changing tools of one runtime share.
#[derive(Debug)]
pub(crate) struct Changes {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) seen: Arc<SeenFiles>,
    pub(crate) must_have_read: bool,
    swept: Swept,
}

impl Changes {
    pub(crate) fn new(workspace: Arc<Workspace>, seen: Arc<SeenFiles>, must_have_read: bool) -> Self {
        Self { workspace, seen, must_have_read, swept: Swept::default() }
    }

    /// Refuses a change of content that `agent` has not seen as it is now.
    pub(crate) fn check_seen(&self, agent: Agent, path: &str, before: &Before) -> Result<(), FileToolError> {
        match self.seen.compare(agent, path, before.fingerprint) {
            Sight::Current => Ok(()),
            Sight::Never if !self.must_have_read => Ok(()),
            Sight::Never => Err(ChangeError::NotRead { path: shown_text(path) }.into()),
            Sight::Outdated => Err(ChangeError::ChangedSinceRead { path: shown_text(path) }.into()),
        }
    }
}

/// The agent on whose behalf a call runs; `None` for calls of nobody's agent.
pub(crate) fn agent_of(cx: &RunContext) -> Agent {
    cx.call().scope().map(Scope::id)
}
