//! [`Host`]: what whoever embeds the protocol gives each session.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use toolgate::Scope;
use toolgate_agent::{Prompt, SessionRoutes, SharedModel, TurnLimits};
use toolgate_policy::{Approvals, People};
use toolgate_session::{Backend, SessionId};

use crate::{Editor, TerminalTool};

/// Gives sessions what they work with.
pub trait Host: Send + Sync + 'static {
    /// Whether models can be reached. Asked before each session is opened.
    ///
    /// # Errors
    /// [`AccessNeeded`], which the editor shows as something to be done first.
    fn access(&self) -> Result<(), AccessNeeded>;

    /// The models that a person may choose from; the first is asked unless another one is chosen. At least one.
    fn models(&self) -> Vec<ModelChoice>;

    /// Where sessions are kept.
    fn backend(&self) -> Arc<dyn Backend>;

    /// Makes the tools and the policy of a session. Runs apart from other requests, so it may take its time. Where it is
    /// dropped, the connection is over.
    ///
    /// # Errors
    /// [`HostError`]; the session is not opened.
    fn equip(&self, order: SessionOrder) -> impl Future<Output = Result<Equipment, HostError>> + Send;
}

/// A model that can be chosen.
#[derive(Clone, Debug)]
pub struct ModelChoice {
    /// What the choice is remembered by, such as `openai:NAME`. Unique.
    pub id: String,
    /// What a person reads.
    pub name: String,
    /// The model itself.
    pub model: SharedModel,
}

/// Somebody has to do something before there can be a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct AccessNeeded {
    /// The identity of the way to do it.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What to do.
    pub description: String,
}

/// A session cannot be equipped. The message is shown to the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(String);

impl HostError {
    /// A reason in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// What a session is to be equipped for.
#[derive(Debug)]
pub struct SessionOrder {
    /// The session.
    pub id: SessionId,
    /// The directory that the editor has open: absolute, and not looked at yet.
    pub directory: PathBuf,
    /// The servers whose tools the editor wants in the session's scope.
    pub mcp_servers: Vec<McpServer>,
    /// Who is asked: the person at the editor has joined already.
    pub people: People,
    /// The editor's own files and terminals, as far as it offers them.
    pub editor: Editor,
}

/// A server of the Model Context Protocol that the editor hands over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// The editor's name of it.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program on standard input and output.
    Stdio {
        /// The program.
        command: PathBuf,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment, which may hold secrets.
        env: BTreeMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of every request, which may hold secrets.
        headers: Vec<(String, String)>,
    },
}

impl fmt::Debug for McpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, .. } => {
                f.debug_struct("Stdio").field("command", command).finish_non_exhaustive()
            }
            Self::Http { .. } => f.debug_struct("Http").finish_non_exhaustive(),
        }
    }
}

/// What a session works with.
pub struct Equipment {
    /// The agent's scope, with all of its hooks. It is closed with the session.
    pub scope: Scope,
    /// The approvals of its runtime, whose stance the person may change.
    pub approvals: Approvals,
    /// The routes that its Code Mode and approvals were given.
    pub routes: SessionRoutes,
    /// What the model is told.
    pub prompt: Prompt,
    /// How far a turn may go.
    pub limits: TurnLimits,
    /// The workspace: absolute. Relative paths on cards are taken from here.
    pub root: PathBuf,
    /// Whether Code Mode is mounted, so that tools can be presented as code.
    pub presents_code: bool,
    /// The tool whose commands run in a terminal of the editor, where it offers one. Only for commands that nothing
    /// confines: the editor confines none.
    pub terminal_tool: Option<TerminalTool>,
    /// What lives as long as the session, such as connections to servers.
    pub keep: Option<Box<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment")
            .field("scope", &self.scope)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
