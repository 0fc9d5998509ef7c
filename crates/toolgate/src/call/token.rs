//! Execution tokens: the identity that only the runtime gives (rule P3).

use std::fmt;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of one execution: fresh for each, comparable, and nothing else (rule P3).
///
/// It has no text or serial form, so it cannot end up in a log, a program or a model request. A nested call cites
/// the token of the execution it belongs to as its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExecutionToken(NonZeroU64);

impl ExecutionToken {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // 2^64 executions do not happen in the life of a process; the fallback only keeps this total.
        Self(NonZeroU64::new(NEXT.fetch_add(1, Ordering::Relaxed)).unwrap_or(NonZeroU64::MAX))
    }
}

impl fmt::Debug for ExecutionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExecutionToken")
    }
}
