//! [`Plan`]: which servers a workspace has. Reads files, starts nothing.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toolgate::text::Line;
use toolgate_mcp::config::{
    Endpoint, ForeignServers, ServerConfig, ServerName, ServerTable, read_mcp_servers,
};
use toolgate_mcp::names::could_be_of;

use crate::config::{McpConfig, TrustFolder, hashed, read_other, state};
use crate::fault::UsageError;
use crate::output::Page;

/// The servers of a workspace.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The servers, those of `toolgate.toml` first.
    pub(crate) configs: Vec<ServerConfig>,
    /// The workspace.
    pub(crate) root: PathBuf,
    /// Where it is kept how tools described themselves when they were first seen.
    pub(crate) lock: Option<PathBuf>,
}

impl Plan {
    /// Finds the servers. Where two have one name, `toolgate.toml` goes before other files, and an earlier file before a
    /// later one.
    ///
    /// # Errors
    /// The settings of a server make no sense, or a file cannot be read.
    pub(crate) fn new(config: &McpConfig, root: &Path) -> Result<Self, UsageError> {
        let variables = |name: &str| std::env::var(name).ok();
        let mut configs = Vec::new();
        for (name, table) in &config.servers {
            let checked =
                ServerName::new(name.as_str()).and_then(|name| table.clone().check(name, &variables));
            configs.push(checked.map_err(|error| wrong(name, &error.to_string()))?);
        }
        for (path, text) in other_files(config, root)? {
            if is_below(&path, root) && !TrustFolder::of_user().is_some_and(|folder| folder.has(&path, &text))
            {
                warn(
                    &format!(
                        "the servers of {} are not used, because nobody trusts the file",
                        path.display()
                    ),
                    "if you trust it, run `toolgate config trust`",
                );
                continue;
            }
            let ForeignServers { servers, problems } = read_mcp_servers(&text, &variables)
                .map_err(|error| UsageError::new(format!("`{}`: {error}", path.display())))?;
            for (name, problem) in problems {
                let (what, hint) = hinted(&format!("the server `{name}` of {}: {problem}", path.display()));
                warn(&what, &hint);
            }
            let known: BTreeSet<_> = configs.iter().map(|config| config.name.clone()).collect();
            configs.extend(servers.into_iter().filter(|server| !known.contains(&server.name)));
        }
        for config in &mut configs {
            place(config, root);
        }
        let lock = match &config.lock {
            Some(path) => Some(root.join(path)),
            None => state().map(|state| {
                let name = hashed(&[root.as_os_str().as_encoded_bytes()]);
                state.join("mcp").join(format!("{name}.json"))
            }),
        };
        Ok(Self { configs, root: root.to_owned(), lock })
    }

    /// Adds a server that somebody hands over; one of the same name that is there already goes before it. Its texts are
    /// taken as they are: who hands a server over has put values into them.
    ///
    /// # Errors
    /// Its settings make no sense.
    pub(crate) fn add(&mut self, name: &str, table: ServerTable) -> Result<(), UsageError> {
        let as_it_is = |_: &str| None;
        let checked = ServerName::new(name).and_then(|name| table.check(name, &as_it_is));
        let mut config = checked.map_err(|error| wrong(name, &error.to_string()))?;
        place(&mut config, &self.root);
        if self.configs.iter().all(|known| known.name != config.name) {
            self.configs.push(config);
        }
        Ok(())
    }

    /// The same with the servers that could have a tool of this name.
    pub(crate) fn for_tool(mut self, tool: &str) -> Self {
        self.configs.retain(|config| could_be_of(tool, config.name.as_str()));
        self
    }

    /// The servers that all sessions share, and those of which each session has its own.
    pub(crate) fn divided(mut self) -> (Self, Self) {
        let mut own = self.clone();
        self.configs.retain(|config| config.shared);
        own.configs.retain(|config| !config.shared);
        (self, own)
    }

    /// The same with the servers that are meant, by name.
    ///
    /// # Errors
    /// There is no server of a name.
    pub(crate) fn only(mut self, names: &[String]) -> Result<Self, UsageError> {
        for name in names {
            if !self.configs.iter().any(|config| config.name.as_str() == name) {
                let known: Vec<_> = self.configs.iter().map(|config| config.name.as_str()).collect();
                let hint = match known.as_slice() {
                    [] => {
                        "no server is configured; `[mcp.servers.NAME]` in toolgate.toml adds one".to_owned()
                    }
                    known => format!("configured: {}", known.join(", ")),
                };
                return Err(UsageError::new(format!("there is no server `{name}`")).with_hint(hint));
            }
        }
        if !names.is_empty() {
            self.configs.retain(|config| names.iter().any(|name| name == config.name.as_str()));
        }
        Ok(self)
    }
}

/// The files of other programs that there are, with their texts.
///
/// # Errors
/// One is there that cannot be read.
pub(crate) fn other_files(config: &McpConfig, root: &Path) -> Result<Vec<(PathBuf, String)>, UsageError> {
    let mut files = Vec::new();
    for path in &config.files {
        let path = root.join(path);
        if let Some(text) = read_other(&path, is_below(&path, root))? {
            files.push((path, text));
        }
    }
    Ok(files)
}

/// Whether somebody who writes the workspace's files writes this one.
fn is_below(path: &Path, root: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.starts_with(root)
}

/// Lets a program start in the workspace where nothing else is said.
fn place(config: &mut ServerConfig, root: &Path) {
    match &mut config.endpoint {
        Endpoint::Process { cwd, .. } => {
            *cwd = Some(cwd.as_ref().map_or_else(|| root.to_owned(), |cwd| root.join(cwd)))
        }
        Endpoint::Http { .. } => {}
    }
}

fn wrong(name: &str, problem: &str) -> UsageError {
    let (what, hint) = hinted(&format!("the server `{name}`: {problem}"));
    UsageError::new(what).with_hint(hint)
}

/// A message and its advice.
fn hinted(message: &str) -> (String, String) {
    let (what, hint) = message
        .split_once("; hint: ")
        .unwrap_or((message, "`toolgate config --schema` says what a server takes"));
    (what.to_owned(), hint.to_owned())
}

/// Says on standard error what of the configuration cannot be used.
pub(crate) fn warn(what: &str, hint: &str) {
    let mut page = Page::stderr();
    let styles = page.styles();
    let (warning, faint) = (styles.warning, styles.hint);
    let written =
        writeln!(page, "{warning}warning:{warning:#} {}\n{faint}hint:{faint:#} {}", Line(what), Line(hint));
    // Where standard error is gone, nothing is lost but the words.
    let _ = written.and_then(|()| page.flush());
}
