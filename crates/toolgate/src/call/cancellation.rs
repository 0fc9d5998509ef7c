//! The cancellation that a stage sees: the caller's signal, and those that wrappers put beside it (rule P10).

use std::sync::Arc;

use futures_util::future::select_all;
use tokio_util::sync::CancellationToken;

/// A request to stop, seen by everyone who works on a call. Cheap to clone.
///
/// It has fired once any of its sources has fired, and it never goes back. Nobody can take a source out of it, so
/// the caller's own signal is always heard.
#[derive(Clone, Debug)]
pub struct Cancellation(Sources);

#[derive(Clone, Debug)]
enum Sources {
    One(CancellationToken),
    Many(Arc<[CancellationToken]>),
}

impl Cancellation {
    /// Whether the work should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        match &self.0 {
            Sources::One(token) => token.is_cancelled(),
            Sources::Many(tokens) => tokens.iter().any(CancellationToken::is_cancelled),
        }
    }

    /// Waits until the work should stop; for ever, where that never happens.
    pub async fn cancelled(&self) {
        match &self.0 {
            Sources::One(token) => token.cancelled().await,
            Sources::Many(tokens) => {
                select_all(tokens.iter().map(|token| Box::pin(token.cancelled()))).await;
            }
        }
    }

    /// A cancellation that fires when this one or `other` does.
    #[must_use]
    pub fn or(&self, other: CancellationToken) -> Self {
        Self(Sources::Many(self.sources().iter().cloned().chain([other]).collect()))
    }

    fn sources(&self) -> &[CancellationToken] {
        match &self.0 {
            Sources::One(token) => std::slice::from_ref(token),
            Sources::Many(tokens) => tokens,
        }
    }
}

impl From<CancellationToken> for Cancellation {
    fn from(token: CancellationToken) -> Self {
        Self(Sources::One(token))
    }
}
