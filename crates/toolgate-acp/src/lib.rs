//! The Agent Client Protocol: Toolgate's agent in an editor.
//!
//! [`serve`] speaks version 1 of the protocol over a pair of byte streams. It opens sessions, runs turns, shows them as
//! session updates and carries questions to the person at the editor. What an agent is made of (tools, policy, models,
//! a place for sessions) comes from a [`Host`].
//!
//! ```text
//! host         what whoever embeds this gives a session
//! serve        the connection: its requests, and its end
//! transport    lines of bounded length, and how many updates wait to be read
//! sessions     the open sessions, and those that are kept
//! session      one open session: its settings and its turns
//! watch        one turn, told to the editor in the order of the log
//! story        events as session updates, the same live and from the log
//! card         cards as tool call content
//! content      what a person says, and what a model reads, in both forms
//! question     questions to the person, as permission requests and forms
//! settings     modes and configuration options
//! command      slash commands
//! editor       the editor's files
//! terminal     commands in the editor's terminals
//! ```
//!
//! Nothing here decides about a call, runs a tool or keeps a record: that is the pipeline's, the agent's and the log's.

mod card;
mod command;
mod content;
mod editor;
mod host;
mod question;
mod serve;
mod session;
mod sessions;
mod settings;
mod story;
mod terminal;
mod transport;
mod watch;

pub use editor::{Editor, EditorError, EditorFiles};
pub use host::{
    AccessNeeded, Equipment, Host, HostError, McpServer, McpTransport, ModelChoice, SessionOrder,
};
pub use serve::{ServeError, serve};
pub use terminal::TerminalTool;
