//! [`Changes`]: tells when what a client may call has changed.
//!
//! Changes come in bursts and concern every scope, so it waits for a pause and then compares what the client would be
//! told. A change that the client cannot see is none.

use std::sync::Arc;
use std::time::Duration;

use ring::digest::{SHA256, digest};
use tokio::sync::watch;

use super::catalog::{self, CodePresentation};
use super::session::Session;

pub(super) struct Changes {
    session: Arc<Session>,
    code: CodePresentation,
    pause: Duration,
    counted: watch::Receiver<u64>,
    /// The digest of what the client was told last.
    told: [u8; 32],
}

impl Changes {
    /// Changes from now on.
    pub(super) fn of(session: Arc<Session>, code: CodePresentation, pause: Duration) -> Self {
        let mut counted = session.changed();
        counted.mark_unchanged();
        let told = list(&session, code);
        Self { session, code, pause, counted, told }
    }

    /// Waits for the next change. None when there will be no more.
    pub(super) async fn next(&mut self) -> Option<()> {
        loop {
            self.counted.changed().await.ok()?;
            tokio::time::sleep(self.pause).await;
            self.counted.mark_unchanged();
            let list = list(&self.session, self.code);
            if list != self.told {
                self.told = list;
                return Some(());
            }
        }
    }
}

/// The digest of what the client would be told.
fn list(session: &Session, code: CodePresentation) -> [u8; 32] {
    let tools = catalog::tools(&session.scope, code).unwrap_or_default();
    let text = serde_json::to_vec(&tools).unwrap_or_default();
    digest(&SHA256, &text).as_ref().try_into().unwrap_or_default()
}
