//! [`ServerConfig`]: everything that can be said about one server, checked; [`ServerTable`] is its written form.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use toolgate::registry::patterns_admit;
use toolgate::{ToolEffect, text};
use toolgate_policy::duration;
use url::Url;

use super::{Secret, Variables, expand};

/// One server of a configuration file, as it is written. [`ServerTable::check`] makes a [`ServerConfig`] of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerTable {
    /// The program to start; for a server that speaks over its standard input and output.
    pub command: Option<Secret>,
    /// The program's arguments.
    pub args: Vec<Secret>,
    /// Variables that the program gets beside those that every program gets.
    pub env: BTreeMap<String, Secret>,
    /// Names of variables that it inherits although they look like credentials.
    pub pass_env: Vec<String>,
    /// Where the program starts; the folder of the host without it.
    pub cwd: Option<PathBuf>,
    /// The address of a server that speaks over streamable HTTP.
    pub url: Option<Secret>,
    /// Headers of every request to it.
    pub headers: BTreeMap<String, Secret>,
    /// The client that was registered by hand with a server that people log in to, and what to ask it for.
    pub oauth: OAuthTable,
    /// Whether the server is used at all.
    pub enabled: Option<bool>,
    /// Whether all sessions share one connection. Without it each session has its own, and with it its own state.
    pub shared: bool,
    /// The tools to offer: names, or beginnings of names with a `*` behind. Without it all of them.
    pub allow: Option<Vec<String>>,
    /// Tools that are not offered, whatever `allow` says.
    pub deny: Vec<String>,
    /// How long connecting may take, the start of the program included; 30 s without it.
    #[serde(deserialize_with = "written")]
    pub start_timeout: Option<Duration>,
    /// How long asking for the tools may take; 10 s without it.
    #[serde(deserialize_with = "written")]
    pub discovery_timeout: Option<Duration>,
    /// How long a call may take; without it, as long as the deadlines of the host allow.
    #[serde(deserialize_with = "written")]
    pub call_timeout: Option<Duration>,
    /// How many calls may be under way at one time; 16 without it.
    pub concurrency: Option<usize>,
    /// Whether the server's own hints say which tools change nothing. Without it they are not believed.
    pub trust_annotations: bool,
    /// Which handshake to begin with.
    pub handshake: Handshake,
    /// What happens when a definition is not the one that was seen first.
    pub pins: PinPolicy,
    /// Settings of single tools, under the server's own names for them.
    pub tools: BTreeMap<String, ToolSettings>,
}

/// How somebody logs in at a server, where the server does not say all of it itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OAuthTable {
    /// The id of the client.
    pub client_id: Option<String>,
    /// Its secret, where it has one.
    pub client_secret: Option<Secret>,
    /// What to ask for.
    pub scopes: Vec<String>,
}

/// How the two sides begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Handshake {
    /// Ask once in the newer way, and fall back to the older one.
    #[default]
    Auto,
    /// The older one, `initialize`.
    Initialize,
    /// The newer one, `server/discover`, without a way back.
    Discover,
}

/// What is done about definitions that change (see [`Pins`](crate::pin::Pins)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PinPolicy {
    /// Whether definitions are not compared at all.
    pub off: bool,
    /// What happens to a tool that a known server did not have before.
    pub new_tools: NewTools,
}

/// What happens to a tool that a known server did not have before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NewTools {
    /// It waits for approval.
    #[default]
    Quarantine,
    /// It is pinned and offered.
    Pin,
}

/// Settings of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSettings {
    /// What a call leaves behind, whatever the server says.
    pub effect: Option<Effect>,
    /// How long a call may take.
    #[serde(deserialize_with = "written")]
    pub timeout: Option<Duration>,
}

/// What a call of a tool leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Pure,
    /// Doing it twice is doing it once.
    Idempotent,
    /// Something every time.
    NonIdempotent,
}

impl From<Effect> for ToolEffect {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Pure => Self::Pure,
            Effect::Idempotent => Self::Idempotent,
            Effect::NonIdempotent => Self::NonIdempotent,
        }
    }
}

/// The name of a server in its configuration: 1 to 64 bytes without hidden characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(String);

impl ServerName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`ConfigError::Name`].
    pub fn new(name: impl Into<String>) -> Result<Self, ConfigError> {
        let name = name.into();
        let is_name = (1..=64).contains(&name.len()) && !name.chars().any(text::is_hidden);
        if is_name { Ok(Self(name)) } else { Err(ConfigError::Name(text::shortened(&name, 64))) }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How to reach a server.
#[derive(Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A program that is started and spoken to over its standard input and output.
    Process {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside those that every program gets.
        env: BTreeMap<String, Secret>,
        /// Names of variables that it inherits although they look like credentials.
        pass_env: Vec<String>,
        /// Where it starts.
        cwd: Option<PathBuf>,
    },
    /// A server that speaks over streamable HTTP.
    Http {
        /// Its address.
        url: Url,
        /// Headers of every request.
        headers: BTreeMap<String, Secret>,
        /// How somebody logs in.
        oauth: OAuthTable,
    },
}

/// What may be shown of it: the program or the host. Arguments and the rest of an address may hold secrets.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { command, .. } => write!(f, "{}", text::Line(command)),
            Self::Http { url, .. } => f.write_str(&url.origin().ascii_serialization()),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Connecting, the start of a program included.
    pub start: Duration,
    /// Asking for the tools.
    pub discovery: Duration,
    /// A call, where the server's settings say so.
    pub call: Option<Duration>,
}

/// One server, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name here.
    pub name: ServerName,
    /// How to reach it.
    pub endpoint: Endpoint,
    /// Whether it is used at all.
    pub enabled: bool,
    /// Whether all sessions share one connection.
    pub shared: bool,
    /// The tools to offer; all without it. Entries that end in `*` stand for every name that begins so.
    pub allow: Option<Vec<String>>,
    /// Tools that are not offered, in the same form.
    pub deny: Vec<String>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// How many calls may be under way at one time; at least 1.
    pub concurrency: usize,
    /// Whether the server's own hints are believed.
    pub trust_annotations: bool,
    /// Which handshake to begin with.
    pub handshake: Handshake,
    /// What is done about definitions that change.
    pub pins: PinPolicy,
    /// Settings of single tools.
    pub tools: BTreeMap<String, ToolSettings>,
}

/// Why a server's configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The name is not one.
    #[error("{0:?} is no name of a server: it has 1 to 64 bytes and no hidden characters")]
    Name(String),
    /// There is no way to reach it.
    #[error(
        "it has neither `command` nor `url`; hint: give the program to start, or the address of the server"
    )]
    NoEndpoint,
    /// There are two.
    #[error("it has both `command` and `url`; hint: keep one of them")]
    TwoEndpoints,
    /// Something belongs to the other kind of server.
    #[error("`{0}` does not go with `{1}`")]
    Misplaced(&'static str, &'static str),
    /// The address is not one.
    #[error("its `url` is no address that begins with http:// or https://")]
    Url,
    /// The address holds a password.
    #[error("its `url` holds a user or a password; hint: put that into `headers`")]
    Password,
    /// A limit is zero.
    #[error("`concurrency` must be at least 1")]
    NoConcurrency,
    /// A variable is not set.
    #[error("the variable {0} is not set; hint: set it, or write ${{{0}:-default}}")]
    UnsetVariable(String),
    /// The transport is one that is not spoken here.
    #[error("it is of type {0:?}, which is not spoken here; hint: use `stdio` or `http`")]
    UnknownType(String),
    /// A value has another shape than its key wants.
    #[error("{0}")]
    Shape(String),
}

impl ServerTable {
    /// Checks the settings and puts the values of variables into them.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(self, name: ServerName, variables: &dyn Variables) -> Result<ServerConfig, ConfigError> {
        let text = |secret: &Secret| expand(secret.expose(), variables);
        let table = |secrets: &BTreeMap<String, Secret>| -> Result<BTreeMap<String, Secret>, ConfigError> {
            secrets.iter().map(|(key, value)| Ok((key.clone(), Secret::new(text(value)?)))).collect()
        };
        let endpoint = match (&self.command, &self.url) {
            (None, None) => return Err(ConfigError::NoEndpoint),
            (Some(_), Some(_)) => return Err(ConfigError::TwoEndpoints),
            (Some(_), None) if !self.headers.is_empty() => {
                return Err(ConfigError::Misplaced("headers", "command"));
            }
            (Some(command), None) => Endpoint::Process {
                command: text(command)?,
                args: self.args.iter().map(text).collect::<Result<_, _>>()?,
                env: table(&self.env)?,
                pass_env: self.pass_env,
                cwd: self.cwd,
            },
            (None, Some(_)) if !self.args.is_empty() => return Err(ConfigError::Misplaced("args", "url")),
            (None, Some(_)) if !self.env.is_empty() => return Err(ConfigError::Misplaced("env", "url")),
            (None, Some(url)) => {
                let url = Url::parse(&text(url)?).map_err(|_| ConfigError::Url)?;
                if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
                    return Err(ConfigError::Url);
                }
                if !url.username().is_empty() || url.password().is_some() {
                    return Err(ConfigError::Password);
                }
                let client_secret = self.oauth.client_secret.as_ref().map(text).transpose()?.map(Secret::new);
                let oauth = OAuthTable { client_secret, ..self.oauth };
                Endpoint::Http { url, headers: table(&self.headers)?, oauth }
            }
        };
        let concurrency = self.concurrency.unwrap_or(16);
        if concurrency == 0 {
            return Err(ConfigError::NoConcurrency);
        }
        Ok(ServerConfig {
            name,
            endpoint,
            enabled: self.enabled.unwrap_or(true),
            shared: self.shared,
            allow: self.allow,
            deny: self.deny,
            timeouts: Timeouts {
                start: self.start_timeout.unwrap_or(Duration::from_secs(30)),
                discovery: self.discovery_timeout.unwrap_or(Duration::from_secs(10)),
                call: self.call_timeout,
            },
            concurrency,
            trust_annotations: self.trust_annotations,
            handshake: self.handshake,
            pins: self.pins,
            tools: self.tools,
        })
    }
}

impl ServerConfig {
    /// Whether the settings let a tool be offered.
    #[must_use]
    pub fn admits(&self, tool: &str) -> bool {
        patterns_admit(self.allow.as_deref(), &self.deny, tool)
    }

    /// How long a call of a tool may take, where the settings say so.
    #[must_use]
    pub fn call_timeout(&self, tool: &str) -> Option<Duration> {
        self.tools.get(tool).and_then(|settings| settings.timeout).or(self.timeouts.call)
    }
}

/// Reads a duration such as `10s`.
fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration::parse(&text)
        .map(Some)
        .map_err(|expected| serde::de::Error::custom(format!("{text:?}: {expected}")))
}
