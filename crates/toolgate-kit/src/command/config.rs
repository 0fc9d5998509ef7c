//! [`ShellConfig`]: everything about shell commands that `toolgate.toml` can say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::confine::SandboxConfig;

/// How shell commands run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellConfig {
    /// The shell, called with `-c` and the command. Without it `/bin/bash`, or `/bin/sh` where there is none.
    pub shell: Option<PathBuf>,
    /// How long a command may take that does not say so itself, in milliseconds.
    pub timeout_ms: u64,
    /// How long any command may take that is waited for, in milliseconds. Jobs have no limit but the session.
    pub max_timeout_ms: u64,
    /// How much of a command's output is kept, in bytes: a quarter from its beginning and the rest from its end.
    pub max_output_bytes: usize,
    /// How many processes a command may have at one time; one that has more is ended.
    pub max_processes: usize,
    /// How many jobs may run at one time.
    pub max_jobs: usize,
    /// How much output of a job waits to be read, in bytes; the oldest goes first.
    pub job_buffer_bytes: usize,
    /// What a command may reach.
    pub sandbox: SandboxConfig,
    /// What it inherits.
    pub environment: EnvironmentConfig,
}

impl Default for ShellConfig {
    fn default() -> Self {
        Self {
            shell: None,
            timeout_ms: 120_000,
            max_timeout_ms: 600_000,
            max_output_bytes: 32 << 10,
            max_processes: 512,
            max_jobs: 8,
            job_buffer_bytes: 1 << 20,
            sandbox: SandboxConfig::default(),
            environment: EnvironmentConfig::default(),
        }
    }
}

impl ShellConfig {
    /// How long a command may take that is waited for. What it asks for is shortened to what is allowed.
    pub(crate) fn timeout(&self, asked: Option<u64>) -> Duration {
        Duration::from_millis(asked.unwrap_or(self.timeout_ms).min(self.max_timeout_ms).max(1))
    }
}

/// Which variables a command inherits.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EnvironmentConfig {
    /// Names of variables that are passed on although they look like credentials, such as `GITHUB_TOKEN`.
    pub pass: Vec<String>,
    /// Variables that are set for every command, whatever they look like.
    pub set: BTreeMap<String, String>,
}

impl fmt::Debug for EnvironmentConfig {
    /// The values may be credentials, so only the names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.set.keys().collect();
        f.debug_struct("EnvironmentConfig").field("pass", &self.pass).field("set", &names).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::confine::{Enforcement, NetworkAccess, SandboxBackend, SandboxMode};

    fn parse(value: Value) -> Result<ShellConfig, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        assert_eq!(parse(json!({})), Ok(ShellConfig::default()));
        let config = parse(json!({
            "timeout_ms": 5_000,
            "sandbox": { "mode": "read-only", "network": "unix", "backend": "bubblewrap", "enforcement": "best-effort" },
            "environment": { "pass": ["GITHUB_TOKEN"], "set": { "CI": "1" } },
        }))
        .unwrap();
        let SandboxConfig { mode, network, writable, backend, enforcement } = &config.sandbox;
        assert_eq!((*mode, *network), (SandboxMode::ReadOnly, Some(NetworkAccess::Unix)));
        assert_eq!((*backend, *enforcement), (SandboxBackend::Bubblewrap, Enforcement::BestEffort));
        assert!(writable.is_empty());
        assert_eq!((config.timeout(None).as_secs(), config.timeout(Some(u64::MAX)).as_secs()), (5, 600));
        assert_eq!(config.environment.pass, ["GITHUB_TOKEN"]);
    }

    #[test]
    fn what_nobody_knows_is_a_mistake() {
        for value in [
            json!({ "timeout": 1 }),
            json!({ "sandbox": { "mode": "none" } }),
            json!({ "sandbox": { "readonly": true } }),
            json!({ "environment": { "allow": [] } }),
        ] {
            assert!(parse(value.clone()).is_err(), "{value}");
        }
    }
}
