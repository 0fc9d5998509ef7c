//! Servers that another program's file configures: the `mcpServers` object of a `.mcp.json`, or of an editor's settings.
//!
//! The reading is lenient: keys that mean nothing here are passed over, and an entry that cannot be used keeps none of
//! the others from being used. What such a file says never loosens anything: only how to reach a server is read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};
use toolgate::{JsonValue, ParseError, text};

use super::{ConfigError, Secret, ServerConfig, ServerName, ServerTable, Variables};

/// What a file configures: the servers in the order of the file, and the entries that cannot be used.
#[derive(Debug)]
pub struct ForeignServers {
    /// The servers.
    pub servers: Vec<ServerConfig>,
    /// Names of entries, each with what is wrong with it.
    pub problems: Vec<(String, ConfigError)>,
}

/// A file that configures nothing.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    Json(#[from] ParseError),
    /// It has no servers.
    #[error("the file has no object `mcpServers`")]
    NoServers,
}

/// Reads the `mcpServers` object of a JSON text: `command`, `args`, `env`, `cwd`, `url`, `headers`, `type` and `disabled`.
///
/// # Errors
/// The text is not JSON, or has no such object. What is wrong with single entries is in the answer.
pub fn read_mcp_servers(json: &str, variables: &dyn Variables) -> Result<ForeignServers, ForeignError> {
    let file = JsonValue::parse(json)?;
    let entries = file.get("mcpServers").and_then(Value::as_object).ok_or(ForeignError::NoServers)?;
    let mut found = ForeignServers { servers: Vec::new(), problems: Vec::new() };
    for (name, entry) in entries {
        let server = ServerName::new(name.as_str()).and_then(|name| table(entry)?.check(name, variables));
        match server {
            Ok(server) => found.servers.push(server),
            Err(problem) => found.problems.push((text::shortened(name, 64), problem)),
        }
    }
    Ok(found)
}

fn table(entry: &Value) -> Result<ServerTable, ConfigError> {
    let entry = entry.as_object().ok_or_else(|| shape("the entry", "an object"))?;
    match optional(entry, "type")?.as_deref() {
        None | Some("stdio" | "http" | "streamable-http" | "streamableHttp") => {}
        Some(other) => return Err(ConfigError::UnknownType(text::shortened(other, 64))),
    }
    let args = match entry.get("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(args) => {
            let args = args.as_array().ok_or_else(|| shape("args", "a list of texts"))?;
            let secret = |arg: &Value| arg.as_str().map(Secret::new);
            args.iter().map(secret).collect::<Option<_>>().ok_or_else(|| shape("args", "a list of texts"))?
        }
    };
    let disabled = match entry.get("disabled") {
        None | Some(Value::Null) => false,
        Some(disabled) => disabled.as_bool().ok_or_else(|| shape("disabled", "true or false"))?,
    };
    Ok(ServerTable {
        command: optional(entry, "command")?.map(Secret::new),
        args,
        env: texts(entry, "env")?,
        cwd: optional(entry, "cwd")?.map(PathBuf::from),
        url: optional(entry, "url")?.map(Secret::new),
        headers: texts(entry, "headers")?,
        enabled: Some(!disabled),
        ..ServerTable::default()
    })
}

fn optional(entry: &Map<String, Value>, key: &'static str) -> Result<Option<String>, ConfigError> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| shape(key, "a text")),
    }
}

/// A table of texts. Numbers and truth values are taken as they are written, as other programs take them.
fn texts(entry: &Map<String, Value>, key: &'static str) -> Result<BTreeMap<String, Secret>, ConfigError> {
    let Some(table) = entry.get(key).filter(|table| !table.is_null()) else { return Ok(BTreeMap::new()) };
    let table = table.as_object().ok_or_else(|| shape(key, "an object of texts"))?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    table
        .iter()
        .map(|(name, value)| Some((name.clone(), Secret::new(text(value)?))))
        .collect::<Option<_>>()
        .ok_or_else(|| shape(key, "an object of texts"))
}

fn shape(key: &str, expected: &str) -> ConfigError {
    ConfigError::Shape(format!("`{key}` must be {expected}"))
}
