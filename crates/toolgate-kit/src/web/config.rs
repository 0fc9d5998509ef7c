//! What an operator can set about the web tools; the section `[web]` of a configuration file.
//!
//! Every value has a default that is safe: no private address, no key, and limits that fit a model's context.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::http::AllowedHost;
use crate::key::KeySource;

/// The settings of [`web_tools`](crate::web_tools).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolgate_kit::WebConfig;
///
/// let config: WebConfig = serde_json::from_str(
///     r#"{ "allow_private": ["localhost", "10.1.0.0/16"], "timeout_ms": 10000 }"#,
/// )?;
/// assert_eq!(config.max_redirects, 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebConfig {
    /// Hosts and networks that may be reached although they are not public: a host name, an address, or a network such
    /// as `10.1.0.0/16`. A host name permits whatever addresses it resolves to. None by default, so loopback, private,
    /// link-local and other special addresses are refused.
    pub allow_private: Vec<AllowedHost>,
    /// PEM files with certificate authorities to trust besides those of the system.
    pub ca_files: Vec<PathBuf>,
    /// How long one call may take in all, redirects included; `timeout_ms` in a file. 30 s by default.
    #[serde(rename = "timeout_ms", deserialize_with = "milliseconds")]
    pub timeout: Duration,
    /// How many bytes of one body are read, counted both as they arrive and after decompression. 4 MiB by default.
    /// What lies beyond is left out, and the result says so.
    pub max_bytes: usize,
    /// How many characters of text one call returns. 50,000 by default; the rest is reached by `offset`.
    pub max_characters: usize,
    /// How many redirects are followed. 5 by default.
    pub max_redirects: u32,
    /// Who answers `web_search`.
    pub search: SearchConfig,
}

impl Default for WebConfig {
    fn default() -> Self {
        Self {
            allow_private: Vec::new(),
            ca_files: Vec::new(),
            timeout: Duration::from_secs(30),
            max_bytes: 4 * 1024 * 1024,
            max_characters: 50_000,
            max_redirects: 5,
            search: SearchConfig::default(),
        }
    }
}

/// The provider of `web_search`; the section `[web.search]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Which provider.
    pub provider: ProviderName,
    /// Where the provider is, in place of its own address. The key is sent there: `https`, or `http` to this machine.
    pub base_url: Option<String>,
    /// Where its key comes from.
    pub key: KeySource,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            provider: ProviderName::Brave,
            base_url: None,
            key: KeySource::Environment("BRAVE_API_KEY".to_owned()),
        }
    }
}

/// The search providers that this crate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderName {
    /// The Brave Search API.
    Brave,
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}
