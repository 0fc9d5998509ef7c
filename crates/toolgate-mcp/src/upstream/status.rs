//! What is known of a server at one moment, for people: `toolgate mcp doctor` and the web page.

use std::time::Duration;

use super::Identity;
use crate::config::ServerName;

/// A server at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name here.
    pub name: ServerName,
    /// Whether it can be used.
    pub state: ServerState,
    /// What it says of itself, once there was a connection.
    pub identity: Option<Identity>,
    /// How long the last connection took, the start of a program and the list of tools included.
    pub latency: Option<Duration>,
    /// The tools that are offered, in order.
    pub tools: Vec<OfferedTool>,
    /// The tools that are not, in order.
    pub quarantined: Vec<Quarantined>,
    /// Tools that were pinned and are gone, in order.
    pub removed: Vec<String>,
    /// What else is worth knowing, such as a list of tools that goes round in circles.
    pub warnings: Vec<String>,
    /// How many connections there were.
    pub connections: u64,
}

/// Whether a server can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// Its settings say that it is not.
    Disabled,
    /// Somebody is trying.
    Connecting,
    /// It can.
    Ready,
    /// It cannot.
    Down {
        /// Why.
        reason: String,
        /// How long until the next attempt, counted from when it went down.
        retry_in: Duration,
    },
    /// It has been closed.
    Closed,
}

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    /// The server's own name for it.
    pub tool: String,
    /// Its name here.
    pub name: String,
}

/// A tool that the server has and that is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The server's own name for it.
    pub tool: String,
    /// Why, and what to do.
    pub reason: String,
}

impl ServerStatus {
    pub(crate) fn new(name: ServerName, state: ServerState) -> Self {
        Self {
            name,
            state,
            identity: None,
            latency: None,
            tools: Vec::new(),
            quarantined: Vec::new(),
            removed: Vec::new(),
            warnings: Vec::new(),
            connections: 0,
        }
    }

    /// Whether the first attempt is over, however it ended.
    pub(crate) fn is_settled(&self) -> bool {
        match self.state {
            ServerState::Connecting => false,
            ServerState::Disabled | ServerState::Ready | ServerState::Down { .. } | ServerState::Closed => {
                true
            }
        }
    }
}
