//! Slash commands: what a person asks of the session itself. They ask no model and are not in the log.

use std::fmt::Write as _;

use agent_client_protocol::v1::schema as acp;
use toolgate::text::Line;
use toolgate::{ContentBlock, Scope};
use toolgate_session::SessionId;

use crate::settings::Chosen;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// What the agent can call.
    Tools,
    /// Which session this is.
    Session,
}

const COMMANDS: [(Command, &str, &str); 2] = [
    (Command::Tools, "tools", "List the tools that the agent can call"),
    (Command::Session, "session", "Show the name and the settings of this session"),
];

/// The commands, for the editor.
pub(crate) fn available() -> acp::SessionUpdate {
    let commands =
        COMMANDS.iter().map(|(_, name, description)| acp::AvailableCommand::new(*name, *description));
    acp::SessionUpdate::AvailableCommandsUpdate(acp::AvailableCommandsUpdate::new(commands.collect()))
}

/// The command that a message is. Whatever else begins with a slash is for the model.
pub(crate) fn of(message: &[ContentBlock]) -> Option<Command> {
    let [only] = message else { return None };
    let word = only.as_text()?.trim().strip_prefix('/')?;
    COMMANDS.iter().find(|(_, name, _)| *name == word).map(|(command, ..)| *command)
}

impl Command {
    /// The answer, in Markdown.
    pub(crate) fn answer(self, id: SessionId, scope: &Scope, chosen: &Chosen) -> String {
        match self {
            Self::Tools => tools(scope),
            Self::Session => format!(
                "Session `{id}`\n\n- model: `{}`\n- approvals: {}\n- tools: {}",
                Line(&chosen.model),
                crate::settings::mode_id(chosen.stance),
                chosen.presentation,
            ),
        }
    }
}

fn tools(scope: &Scope) -> String {
    let mut text = String::new();
    for tool in scope.tools() {
        let description = tool.description();
        let sentence = description.split_inclusive(". ").next().unwrap_or(description).trim();
        // Writing to memory cannot fail.
        let _ = writeln!(text, "- `{}`: {}", Line(tool.name()), Line(sentence));
    }
    text
}
