//! [`Provider`]: where a model is, under which name, and how patient its adapter is.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;

/// A key of a provider. It is never shown and never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key; none where the text is blank.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

/// How a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Chat completions, as OpenAI and most servers of open models speak them.
    OpenAi,
    /// Messages, as Anthropic speaks them.
    Anthropic,
}

impl Protocol {
    /// The base address that is meant where none is said.
    #[must_use]
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }
}

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The address that the protocol's paths are added to, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// The provider's name of the model.
    pub model: String,
    /// The key, where the provider wants one.
    pub key: Option<ApiKey>,
    /// What somebody without a key reads: where one would be looked for.
    pub key_hint: String,
    /// How many tokens an answer may have. Anthropic wants a number, and gets 8,192 where there is none.
    pub output_tokens: Option<u64>,
    /// How long it waits, and how often it tries.
    pub patience: Patience,
}

impl Provider {
    /// A model at the protocol's own address.
    #[must_use]
    pub fn new(protocol: Protocol, model: impl Into<String>) -> Self {
        Self {
            base_url: protocol.default_base_url().to_owned(),
            model: model.into(),
            key: None,
            key_hint: "set the key of the provider".to_owned(),
            output_tokens: None,
            patience: Patience::default(),
        }
    }
}

/// How long an adapter waits, and how often it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the first byte of an answer. Models may think for long.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// How often a request is sent at most, while the provider is busy (429) or fails (5xx) before it has said anything.
    pub attempts: u32,
    /// The first wait between two attempts; each one after it is twice as long.
    pub backoff: Duration,
    /// The longest wait. A provider that asks for a longer one is not asked again.
    pub longest_wait: Duration,
}

impl Default for Patience {
    /// 10 s for a connection, 300 s for the first byte, 90 s between pieces; four attempts, from 0.5 s to 60 s apart.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(90),
            attempts: 4,
            backoff: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
        }
    }
}
