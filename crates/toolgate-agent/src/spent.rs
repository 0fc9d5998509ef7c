//! [`Spent`]: how many tokens a turn has used, its sub-agents' included.
//!
//! Counted by the turn and by the sub-agents that it begins; read before each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The tokens of a turn under way. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent(Arc<AtomicU64>);

impl Spent {
    /// A turn begins.
    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, tokens: u64) {
        // Far from the end of the numbers: nobody pays that much.
        self.0.fetch_add(tokens, Ordering::Relaxed);
    }

    pub(crate) fn so_far(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// What is left of a limit.
    pub(crate) fn left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.so_far())
    }
}
