//! [`Shared`]: what all conversations of a gateway share, and the order in which it shuts down.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::asking::Routes;
use super::catalog::CodePresentation;
use super::parked::Parked;
use super::profile::Conversation;
use super::{Client, GatewayLimits, Profile};

#[derive(Debug)]
pub(super) struct Shared {
    /// The first one is for clients that no other is for.
    pub(super) profiles: Vec<Profile>,
    pub(super) limits: GatewayLimits,
    pub(super) code: CodePresentation,
    pub(super) instructions: Option<String>,
    pub(super) routes: Routes,
    pub(super) parked: Parked,
    /// Calls under way, of all conversations.
    pub(super) calls: TaskTracker,
    /// Whatever else was started.
    pub(super) tasks: TaskTracker,
    /// Nothing new begins.
    pub(super) closing: CancellationToken,
    /// Calls under way are cancelled.
    pub(super) cancelled: CancellationToken,
    /// Conversations end.
    pub(super) ended: CancellationToken,
}

impl Shared {
    pub(super) fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name() == name)
    }

    /// Opens the scope of a conversation: of the profile that was asked for, or of the first one that is for the client.
    pub(super) async fn open(&self, asked: Option<&str>, client: Client) -> Result<Conversation, String> {
        let profile = match asked {
            Some(name) => self.profile(name),
            None => self.profiles.iter().find(|profile| profile.is_for(&client)).or(self.profiles.first()),
        };
        match profile {
            Some(profile) => profile.open(client).await,
            None => Err("there is no such profile".to_owned()),
        }
    }

    /// Shuts down: nothing new begins, calls under way get a time to finish, are cancelled, and get a time to come to
    /// rest; then conversations end. Several may wait for it.
    pub(super) async fn shut_down(&self) {
        self.closing.cancel();
        self.calls.close();
        if !settles(&self.calls, self.limits.shutdown_grace).await {
            self.cancelled.cancel();
            if !settles(&self.calls, self.limits.shutdown_settle).await {
                tracing::error!(target: "toolgate", "{} calls did not stop when they were cancelled", self.calls.len());
            }
        }
        self.cancelled.cancel();
        self.ended.cancel();
        self.tasks.close();
    }
}

/// Whether everything has come to rest in time.
pub(super) async fn settles(tasks: &TaskTracker, time: Duration) -> bool {
    tokio::time::timeout(time, tasks.wait()).await.is_ok()
}
