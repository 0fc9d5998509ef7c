//! [`Spill`]: the plugin that cuts oversized results and lets models read what was cut.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use toolgate::{Plugin, PluginContext, Registrar as _};

use super::config::{Limits, SpillConfig};
use super::listener::Cutter;
use super::store::{Clock, SpillStore};
use super::tools::{Reader, SpillGrep, SpillQuery, SpillRead};

/// Cuts results that are too large for a model, keeps the whole of them in private files, and registers `spill_read`,
/// `spill_grep` and `spill_query` to read them.
///
/// The model's copy of a direct call's result, and the logged copy of a program's sub-call, get head and tail of the
/// text, both sizes and a handle. Value, metadata and contexts stay as they are, so programs still get everything. Failures
/// are cut as well. What a tool's own content finaliser makes, and the content of a value that another listener
/// replaced, come after this policy and are not cut. A content that cannot be kept stays whole and is reported through
/// `tracing`.
///
/// Who may read: the agent that made the call and those below it, for as long as they may still make that very call.
///
/// Each installation has files of its own. They go when they expire, when the quota needs their room, and with the
/// runtime; what a crash leaves is removed by the next start on the same folder. The folder must belong to this user
/// alone; `$XDG_CACHE_HOME/toolgate/spill` is a good one.
#[derive(Clone)]
pub struct Spill {
    folder: PathBuf,
    config: SpillConfig,
    clock: Clock,
}

impl Spill {
    /// A plugin that keeps content below `folder`, which is made where there is none. Installing it fails for settings
    /// that make no sense ([`SpillConfigError`](super::SpillConfigError)) and for a folder that is not private
    /// ([`SpillFolderError`](super::SpillFolderError)).
    pub fn new(folder: impl Into<PathBuf>, config: SpillConfig) -> Self {
        Self { folder: folder.into(), config, clock: Arc::new(Instant::now) }
    }

    /// The same with another clock, which says when content expires.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

impl Plugin for Spill {
    fn name(&self) -> &str {
        "spill"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let limits = Arc::new(Limits::check(self.config.clone())?);
        let store = SpillStore::open(&self.folder, limits.quota, Arc::clone(&self.clock))?;
        let store = Arc::new(store);
        let reader = Reader { store: Arc::clone(&store), limits: Arc::clone(&limits) };
        cx.register(SpillRead(reader.clone()))?;
        cx.register(SpillGrep(reader.clone()))?;
        cx.register(SpillQuery(reader))?;
        // Outermost, so that it sees what all others have made of the result.
        cx.first().on_post_execute(Cutter { store: Arc::clone(&store), limits: Arc::clone(&limits) });
        cx.first().on_code_dispatch_log(Cutter { store, limits });
        Ok(())
    }
}
