//! [`Host`]: what the program around the servers gives them: folders, answers to their questions, pins.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use toolgate::JsonValue;
use toolgate_kit::SupervisorCommand;

use crate::config::ServerName;
use crate::pin::Pins;
use crate::transport::TokenStore;

/// What servers get from the program around them.
#[derive(Clone, Default)]
pub struct Host {
    /// The folders that servers are told to work in. They are told, not kept to them.
    pub roots: Vec<PathBuf>,
    /// Who answers what servers ask; without one, every question is declined and servers are not told that they could ask.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// The pins; without them definitions are not compared.
    pub pins: Option<Pins>,
    /// The tokens of people who have logged in; without them nobody has.
    pub tokens: Option<TokenStore>,
    /// How the process is started that watches over a server's.
    pub supervisor: SupervisorCommand,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("roots", &self.roots).field("pins", &self.pins).finish_non_exhaustive()
    }
}

/// Answers what a server asks its user in the middle of a call.
///
/// Everything in the question is a stranger's text. The future is dropped where the server takes its question back or the
/// connection ends.
pub trait Elicitor: Send + Sync + 'static {
    /// Asks, and waits for the answer.
    fn elicit(&self, question: Elicitation) -> Pin<Box<dyn Future<Output = ElicitationAnswer> + Send + '_>>;
}

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Elicitation {
    /// The server.
    pub server: ServerName,
    /// What it says.
    pub message: String,
    /// What it wants.
    pub wanted: ElicitationWanted,
}

/// What a server wants of its user.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationWanted {
    /// An object of this schema.
    Form(JsonValue),
    /// That the user goes to this address.
    Visit(String),
}

/// The answer to a server's question.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationAnswer {
    /// The user agrees, and gives this where something was wanted: an object. What a form says its fields are by default
    /// stands for fields that are left out.
    Accept(Option<JsonValue>),
    /// The user does not want to.
    Decline,
    /// The user was not there, or went away.
    Cancel,
}
